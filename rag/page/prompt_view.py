"""The prompt of an answer, as it was sent.

Draws only; the messages are made by the same function that made those that were sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from rag.page.exchange import Exchange
    from rag.page.library import Library
    from rag.page.session import Session
    from rag.page.strings import Strings


def draw_prompt(session: Session, library: Library, words: Strings) -> None:
    """Open the prompt that the session asks for, until it is closed."""
    exchange = session.find(session.prompt_of)
    if exchange is None:
        return

    def closed() -> None:
        session.prompt_of = None

    opened = st.dialog(words.show_prompt, width="large", on_dismiss=closed)(_draw_messages)
    opened(exchange, library, words)


def _draw_messages(exchange: Exchange, library: Library, words: Strings) -> None:
    for message in library.messages(exchange.answer, exchange.history):
        st.caption(words.roles[message.role])
        st.code(message.content, language=None, wrap_lines=True)
