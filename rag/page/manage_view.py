"""One stored conversation: its title, its export, and the way to delete it. And rated answers.

Draws only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rag.conversations.export import export_json, export_markdown
from rag.conversations.rated_turns import evaluation_rows
from rag.errors import HistoryError
from rag.page.build_view import draw_fault

if TYPE_CHECKING:
    from rag.conversations.stored_turn import ConversationInfo, Visitor
    from rag.page.keeper import Archive
    from rag.page.session import Session
    from rag.page.strings import Strings

MANAGED = "managed-conversation"
"""Where the session state has the id of the conversation that the dialog is about."""


def managing(conversation: str) -> None:
    """Ask for the dialog about a conversation."""
    st.session_state[MANAGED] = conversation
    st.session_state.pop("delete-sure", None)


def draw_manage(
    session: Session, archive: Archive, words: Strings, deleted: Callable[[Session], None]
) -> None:
    """Draw the dialog, if one is asked for. ``deleted`` is called when the conversation looked at
    is. Raises :class:`~rag.errors.HistoryError`.
    """
    conversation = st.session_state.get(MANAGED)
    if conversation is None:
        return
    dialog = st.dialog(words.manage, on_dismiss=_closed)(_draw_or_say)
    dialog(conversation, session, archive, words, deleted)


def export_rated(
    conversations: Sequence[ConversationInfo], archive: Archive, visitor: Visitor, words: Strings
) -> None:
    """Draw the way to the answers with a thumb up, as questions for ``ask.py --evaluate``."""
    rated = [info.id for info in conversations if info.rated]
    if not rated:
        return
    st.download_button(
        words.export_rated,
        lambda: _rated(rated, archive, visitor),
        file_name="rated.jsonl",
        mime="application/jsonl",
        key="export-rated",
        type="tertiary",
        icon=":material/thumb_up:",
        help=words.export_rated_help,
        on_click="ignore",
    )


def _rated(conversations: Sequence[str], archive: Archive, visitor: Visitor) -> str:
    rows = [
        row
        for conversation in conversations
        for row in evaluation_rows(
            conversation[:6], archive.conversations.turns(conversation, visitor)
        )
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _draw_or_say(
    conversation: str,
    session: Session,
    archive: Archive,
    words: Strings,
    deleted: Callable[[Session], None],
) -> None:
    try:
        _draw(conversation, session, archive, words, deleted)
    except HistoryError as error:  # deleted in another tab, or a file that cannot be used
        draw_fault(words, error)


def _draw(
    conversation: str,
    session: Session,
    archive: Archive,
    words: Strings,
    deleted: Callable[[Session], None],
) -> None:
    visitor, store = session.keeper.visitor, archive.conversations
    info = store.info(conversation, visitor)
    title = st.text_input(words.conversation_title, info.title, key=f"title-{conversation}")
    if title.strip() and title != info.title:
        store.rename(conversation, visitor, title)
        _close()
    _draw_exports(info, archive, visitor, words)
    if not st.session_state.get("delete-sure"):
        st.button(words.delete, key="delete-conversation", icon=":material/delete:",
                  on_click=_ask_whether)  # fmt: skip
        return
    st.text(words.delete_sure)
    with st.container(horizontal=True):
        if st.button(words.delete, key="delete-for-good", type="primary"):
            store.delete(conversation, visitor)
            if conversation == session.keeper.conversation:
                deleted(session)
            _close()
        if st.button(words.cancel, key="delete-not"):
            _close()


def _draw_exports(
    info: ConversationInfo, archive: Archive, visitor: Visitor, words: Strings
) -> None:
    turns = archive.conversations.turns(info.id, visitor)
    with st.container(horizontal=True):
        for kind, mime, write in (
            ("Markdown", "text/markdown", export_markdown),
            ("JSON", "application/json", export_json),
        ):
            ending = {"Markdown": "md", "JSON": "json"}[kind]
            st.download_button(
                words.export.format(kind=kind), write(info, turns), f"conversation.{ending}", mime,
                key=f"export-{ending}", icon=":material/download:", on_click="ignore",
            )  # fmt: skip


def _ask_whether() -> None:
    st.session_state["delete-sure"] = True


def _closed() -> None:
    st.session_state.pop(MANAGED, None)
    st.session_state.pop("delete-sure", None)


def _close() -> None:
    _closed()
    st.rerun()
