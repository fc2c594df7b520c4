"""The stored conversations in the sidebar: open, search, begin another, and what to do with one.

Draws only. The conversation looked at stands in the URL, so that a reload goes on with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rag.conversations.conversation import Conversations
from rag.conversations.stored_turn import Visitor
from rag.errors import HistoryError
from rag.page.build_view import draw_fault
from rag.page.keeper import Archive, Keeper
from rag.page.login import visitor as logged_in
from rag.page.manage_view import draw_manage, export_rated, managing
from rag.page.reopening import reopen
from rag.page.session import Session
from rag.page.suggestions import escaped
from rag.page.uploading import HERE

if TYPE_CHECKING:
    from rag.conversations.stored_turn import ConversationInfo
    from rag.page.library import Library
    from rag.page.strings import Strings

IN_URL = "c"
"""The name of the conversation's id in the URL."""

SHOWN, SEARCH_FROM = 12, 6
"""Conversations listed at once, and how many there must be for a search box."""


def current_session(library: Library) -> Session:
    """Return the session of this tab: as it was, or the conversation of the URL, or a new one."""
    session = st.session_state.get("session")
    if isinstance(session, Session):
        return session
    file = library.assistant.settings.history
    archive = _archive(file) if file is not None else None
    new = Session(keeper=Keeper(archive, _visitor()))
    st.session_state["session"] = new
    conversation = st.query_params.get(IN_URL)
    if conversation and archive is not None:
        _open(conversation, new, library)
    opened: Session = st.session_state["session"]
    return opened


def keep_in_url(session: Session) -> None:
    """Put the conversation into the URL once it has an id."""
    conversation = session.keeper.conversation
    if conversation and st.query_params.get(IN_URL) != conversation:
        st.query_params[IN_URL] = conversation


def draw_problem(session: Session, words: Strings) -> None:
    """Say why a conversation is not stored, or not there."""
    problem = session.keeper.problem
    if problem is not None:
        with st.container(key="history-problem"):
            draw_fault(words, problem)


def draw_conversations(session: Session, library: Library, words: Strings) -> None:
    """Draw the way to a new chat, and to those that there are."""
    st.button(words.new_chat, key="new-chat", icon=":material/edit_square:", width="stretch",
              on_click=_renew, args=(session,))  # fmt: skip
    archive = session.keeper.archive
    if archive is None:
        return
    try:
        _draw_list(session, archive, library, words)
        draw_manage(session, archive, words, deleted=_renew)
    except HistoryError as error:
        session.keeper.problem = error


def _draw_list(session: Session, archive: Archive, library: Library, words: Strings) -> None:
    visitor, current = session.keeper.visitor, session.keeper.conversation
    wanted = str(st.session_state.get("find-conversation") or "")
    found = [info for info in archive.conversations.list(visitor, wanted) if info.turns]
    known = current is None or any(info.id == current for info in found)
    if not known and not wanted and current is not None:
        own = archive.conversations.info(current, visitor)  # not listed: reached by its link
        found = [own, *found] if own.turns else found
    if not found and not wanted:
        return
    with st.container(key="conversations", gap=None):
        st.caption(words.conversations)
        if wanted or len(found) >= SEARCH_FROM:
            st.text_input(words.find_conversation, key="find-conversation",
                          placeholder=words.find_conversation,
                          label_visibility="collapsed")  # fmt: skip
        for info in found[: st.session_state.get("conversations-shown", SHOWN)]:
            _draw_row(info, session, library, words)
        if not found:
            st.caption(words.nothing_like_it)
        if len(found) > st.session_state.get("conversations-shown", SHOWN):
            st.button(words.more, key="more-conversations", type="tertiary", on_click=_more)
        export_rated(found, archive, visitor, words)


def _draw_row(info: ConversationInfo, session: Session, library: Library, words: Strings) -> None:
    here = info.id == session.keeper.conversation
    with st.container(
        key=f"conversation-{'here-' if here else ''}{info.id}",
        horizontal=True, vertical_alignment="center", gap=None,
    ):  # fmt: skip
        st.button(
            escaped(info.title), key=f"open-{info.id}", type="tertiary", width="stretch",
            on_click=_open, args=(info.id, session, library), disabled=here,
        )  # fmt: skip
        st.button(
            words.manage, key=f"manage-{info.id}", type="tertiary", icon=":material/more_horiz:",
            on_click=managing, args=(info.id,),
        )  # fmt: skip


def _open(conversation: str, session: Session, library: Library) -> None:
    archive = session.keeper.archive
    if archive is None:
        return
    try:
        opened = reopen(archive, session.keeper.visitor, conversation, library)
    except HistoryError as error:
        session.keeper.problem = error
        st.query_params.pop(IN_URL, None)
        return
    # What is under way elsewhere goes on: its thread stores it.
    st.session_state["session"] = opened
    keep_in_url(opened)


def _renew(session: Session) -> None:
    st.session_state["session"] = session.renewed()
    st.query_params.pop(IN_URL, None)


def _more() -> None:
    st.session_state["conversations-shown"] = SHOWN + st.session_state.get(
        "conversations-shown", SHOWN
    )


def _visitor() -> Visitor:
    return Visitor(logged_in(), local=st.get_option("server.address") in HERE)


@st.cache_resource(show_spinner=False)
def _archive(file: Path) -> Archive:
    return Archive(Conversations(file))
