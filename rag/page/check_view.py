"""What works and what does not, tried while one looks.

Draws only; what is tried is :mod:`rag.check`'s business. Names are the page's words, details are as
they come: a server's own words may be among them, so they are shown as plain text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rag.check import check

if TYPE_CHECKING:
    from rag.page.library import Library
    from rag.page.strings import Strings


def draw_check(library: Library, words: Strings) -> None:
    """Draw the button that opens the trial."""
    if st.button(words.check, key="check", type="tertiary", icon=":material/network_check:"):
        st.dialog(words.check, width="medium")(_draw_results)(library, words)


def _draw_results(library: Library, words: Strings) -> None:
    with st.spinner(words.check_under_way, show_time=True):
        for result in check(library.assistant.settings):
            mark = ":green[:material/check_circle:]" if result.ok else ":red[:material/error:]"
            said = words.check_ok if result.ok else words.check_failed
            name = words.check_names.get(result.name, result.name)
            with st.container(gap=None):
                st.markdown(f"{mark} **{name}** · {said}")
                st.text(result.detail)
