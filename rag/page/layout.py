"""Settings and a session → the whole page: which view is shown, and where it stands.

Draws only. Whatever a click raises by name becomes a sentence with what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rag.building.previous import own_folder
from rag.errors import (
    DocumentsMissing,
    RagError,
    StoreBusy,
    StoreError,
    StoreMissing,
    StoreUnreachable,
)
from rag.page.build_view import draw_fault, draw_first_build, draw_rebuild, draw_update
from rag.page.check_view import draw_check
from rag.page.conversation import draw_conversation
from rag.page.conversations_view import (
    current_session,
    draw_conversations,
    draw_problem,
    keep_in_url,
)
from rag.page.documents_view import (
    documents_open,
    draw_documents,
    draw_documents_button,
    open_if_refused,
)
from rag.page.evidence import draw_evidence
from rag.page.exchange import Options, Pending
from rag.page.frontend import ICON, PAGE_STYLE, draw
from rag.page.login import draw_login, draw_logout
from rag.page.prompt_view import draw_prompt
from rag.page.shared import builder_of, library_of, preload
from rag.page.sidebar import choose_language, choose_options, chosen, draw_loaded
from rag.page.strings import LANGUAGES, language_of
from rag.page.uploading import note_unsent
from rag.settings import Settings

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from rag.page.building import Builder
    from rag.page.library import Library
    from rag.page.session import Session
    from rag.page.strings import Strings

EVIDENCE_SECONDS = 0.25
"""How long a run that asks waits for the passages: most searches are done by then, and the passages
are drawn in this very run."""


def draw_page() -> None:
    """Draw the page for one visitor."""
    language = language_of(st.context.locale)
    words = LANGUAGES[chosen("lang", LANGUAGES, language)]
    st.set_page_config(words.title, ICON, layout="wide")
    st.html(PAGE_STYLE)
    draw("labels", "labels", {"lang": words.tag, "labels": words.labels}, note_unsent)
    if draw_login(words):
        return
    with st.sidebar:  # whatever else is shown
        st.subheader(words.title, anchor=False)
        about_chat = st.container()
        choose_language(language, words)
        draw_logout(words)
    try:
        settings = Settings.from_env()
    except RagError as error:
        _draw_retry(error, words)
        return
    builder = builder_of(settings)
    ended = builder.state.ended
    try:
        library = library_of(settings)
        builder = builder_of(library.assistant.settings)
        ended = builder.state.ended
        if not library.assistant.info.documents:
            raise DocumentsMissing("The collection has no documents: the last was removed")
        _draw_chat(library, builder, words, about_chat)
    except RagError as error:
        if builder.state.ended > ended:
            st.rerun()  # a build has ended since
        _draw_instead(error, settings, words)


def _draw_instead(error: RagError, settings: Settings, words: Strings) -> None:
    """Draw what can be done where there is nothing to chat with."""
    if not _can_rebuild(error):
        _draw_retry(error, words)
        return
    try:
        settings = own_folder(settings)
    except RagError as unreachable:
        _draw_retry(unreachable, words)
        return
    builder = builder_of(settings)
    if isinstance(error, (StoreMissing, DocumentsMissing)):
        draw_first_build(settings, builder, words, error)
    else:
        draw_rebuild(builder, words, error)


def _draw_retry(error: RagError, words: Strings) -> None:
    draw_fault(words, error)
    st.button(words.retry, key="retry")


def _can_rebuild(error: RagError) -> bool:
    """Say whether building helps: not against a server that is away, or a build that runs."""
    if isinstance(error, (StoreUnreachable, StoreBusy)):
        return False
    return isinstance(error, (StoreError, DocumentsMissing))


def _draw_chat(
    library: Library, builder: Builder, words: Strings, about_chat: DeltaGenerator
) -> None:
    session = current_session(library)
    session.page += 1
    if session.live is not None and session.live.done:
        session.finish(library)
    open_if_refused(session, library.assistant.settings)
    with about_chat:
        options = _draw_sidebar(session, library, builder, words)
    st.chat_input(words.ask, key="question", on_submit=_typed, args=(session,))
    while session.typed:
        session.ask(library, Pending(session.typed.pop(0), options))
    if session.live is not None:
        session.live.wait_for_windows(EVIDENCE_SECONDS)
    keep_in_url(session)
    left, right = st.columns([3, 2], gap="small")
    with right, st.container(key="passages"):
        if documents_open(session):
            draw_documents(session, library, builder, words)
        else:
            draw_evidence(session, library, words)
    with left, st.container(key="chat"):
        draw_conversation(session, library, options, words)
        draw_problem(session, words)
    draw_prompt(session, library, words)
    preload(library)


def _draw_sidebar(session: Session, library: Library, builder: Builder, words: Strings) -> Options:
    draw_conversations(session, library, words)
    options = choose_options(session, library, words)
    draw_loaded(library, words)
    draw_check(library, words)
    draw_documents_button(session, words)
    if not documents_open(session):  # there it is drawn too
        draw_update(builder, words)
    return options


def _typed(session: Session) -> None:
    """Keep a question before the page is drawn: another click may end that run at any line."""
    question = str(st.session_state["question"] or "").strip()
    if question:
        session.typed.append(question)
