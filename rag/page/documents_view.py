"""The documents view, in place of the passages: every file, what is the matter with it, uploads.

Draws only. It is open until one closes it, asks something, or goes to a passage.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from rag.building.status import read_status
from rag.errors import DocumentError
from rag.page.build_view import draw_fault, draw_update
from rag.page.file_rows import file_rows
from rag.page.frontend import Action, draw
from rag.page.suggestions import escaped
from rag.page.uploading import draw_upload, forget_outcome, last_outcome, may_upload
from rag.uploads import Uploads

if TYPE_CHECKING:
    from rag.building.status import Status
    from rag.page.building import Builder
    from rag.page.library import Library
    from rag.page.session import Session
    from rag.page.strings import Strings
    from rag.settings import Settings

FRESH_SECONDS = 5.0
"""How long a look at the files is good for: it reads all of them, about a gigabyte a second."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What the files were found to be at a time, and at a state of the collection."""

    status: Status
    state: tuple[object, ...]
    seconds: float


def draw_documents_button(session: Session, words: Strings) -> None:
    """Draw the way to the documents, and back."""
    st.button(words.documents_view, key="documents", icon=":material/folder_open:",
              width="stretch", on_click=_turn, args=(session,))  # fmt: skip


def documents_open(session: Session) -> bool:
    """Say whether the documents stand in place of the passages."""
    return bool(st.session_state.get("documents-open") == _looked_at(session))


def open_if_refused(session: Session, settings: Settings) -> None:
    """Open the documents where some of the first files were not taken: the view says why."""
    first = st.session_state.pop("first-documents", False)
    if first and last_outcome(settings).refused:
        st.session_state["documents-open"] = _looked_at(session)


def draw_documents(session: Session, library: Library, builder: Builder, words: Strings) -> None:
    """Draw the documents, the uploader where one may upload, and the way to read them again."""
    settings = library.assistant.settings
    st.button(f"← {words.back}", key="documents-close", type="tertiary", on_click=_close)
    st.subheader(words.documents_view, anchor=False)
    if may_upload(settings):
        draw_upload(settings, builder, words)
    uploads = Uploads(settings)
    status = _status(library, builder)
    with st.container(key="documents-state"):
        if not status.is_current and not builder.state.running:
            st.caption(words.documents_outdated)
        draw_update(builder, words)
    fault = st.session_state.pop("documents-fault", None)
    if fault is not None:
        draw_fault(words, fault)
    removed = st.session_state.pop("documents-removed", None)
    if removed is not None:
        st.success(words.removed.format(name=escaped(removed)), icon=":material/delete:")

    def act(action: Action) -> None:
        if action.what == "remove" and may_upload(settings):
            _remove(action.source, uploads, builder)
        elif action.what == "passage":
            _close()
            if session.shown is not None:
                session.select(session.shown.number, action.passage)

    names = ("cancel", "remove", "remove_sure", "uploaded")
    can_remove = uploads.has if may_upload(settings) else lambda _: False
    draw(
        "documents",
        "files",
        {
            "rows": file_rows(status, words, can_remove),
            "words": {name: getattr(words, name) for name in names},
        },
        act,
    )


def _remove(path: str, uploads: Uploads, builder: Builder) -> None:
    try:
        uploads.remove(path)
    except DocumentError as error:
        st.session_state["documents-fault"] = error
        return
    st.session_state["documents-removed"] = path.partition("/")[2]
    builder.start(again=True)


def _status(library: Library, builder: Builder) -> Status:
    """Return what has become of the files; from a moment ago when nothing can have happened."""
    settings = library.assistant.settings
    folder = Uploads(settings).folder
    changed = folder.stat().st_mtime_ns if folder.is_dir() else 0
    state = (library.assistant.info.generation, builder.state.ended, changed)
    look: _Look | None = st.session_state.get("documents-look")
    if look is None or look.state != state or time.monotonic() - look.seconds > FRESH_SECONDS:
        look = _Look(read_status(settings), state, time.monotonic())
        st.session_state["documents-look"] = look
    return look.status


def _turn(session: Session) -> None:
    if documents_open(session):
        _close()
    else:
        st.session_state["documents-open"] = _looked_at(session)
        forget_outcome()


def _close() -> None:
    st.session_state.pop("documents-open", None)


def _looked_at(session: Session) -> tuple[object, ...]:
    """Return what changes as soon as one asks something, or looks at passages."""
    asked = session.made + (session.live is not None) + len(session.waiting)
    return asked, session.selected or session.made + 1, session.focus
