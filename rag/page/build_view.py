"""A build, as a visitor sees it: a bar that goes on whatever is clicked, or what went wrong.

Draws only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rag.page.strings import count, fault

if TYPE_CHECKING:
    from rag.errors import RagError
    from rag.page.building import Builder
    from rag.page.strings import Strings

LOOK_SECONDS = 0.3
"""How often the bar is drawn."""


def draw_first_build(builder: Builder, words: Strings) -> None:
    """Draw the build of a collection that is not there yet, and begin it unless one has failed."""
    if builder.state.ended == 0:
        builder.start()
    with st.container(key="building"):
        state = builder.state
        if state.running:
            st.subheader(words.building, anchor=False)
            st.caption(words.building_hint)
            st.fragment(_watch, run_every=LOOK_SECONDS)(builder, words)
        else:
            draw_fault(words, state.error, unnamed=state.failed)
            st.button(words.build, key="build", type="primary", on_click=builder.start)


def draw_stale(builder: Builder, words: Strings, error: RagError) -> None:
    """Say why a collection cannot be used, and offer to build it again from nothing."""
    with st.container(key="building"):
        if builder.state.running:
            st.subheader(words.building, anchor=False)
            st.fragment(_watch, run_every=LOOK_SECONDS)(builder, words)
            return
        draw_fault(words, builder.state.error or error)
        again = {"full": True}
        st.button(words.rebuild, key="build", type="primary", on_click=builder.start, kwargs=again)


def draw_update(builder: Builder, words: Strings) -> None:
    """Draw the way to bring the collection up to date, while the chat goes on."""
    running = builder.state.running
    st.fragment(_watch_update, run_every=LOOK_SECONDS if running else None)(builder, words)


def draw_fault(words: Strings, error: RagError | None, *, unnamed: bool = False) -> None:
    """Say what went wrong and what to do, in the page's words and in the error's own."""
    if error is None and not unnamed:
        return
    st.error(fault(words, error), icon=":material/error:")
    if error is not None:
        st.text(str(error))  # not Markdown: it may quote a file, or a server


def _watch(builder: Builder, words: Strings) -> None:
    state = builder.state
    if not state.running:
        st.rerun()
    text = words.steps["read"]
    if state.progress:
        progress = state.progress
        text = f"{words.steps[progress.step]} · {progress.done:,} / {progress.total:,}"
    st.progress(state.fraction, text)
    st.button(words.cancel_build, key="cancel-build", type="tertiary", on_click=builder.cancel)


def _watch_update(builder: Builder, words: Strings) -> None:
    state = builder.state
    if state.running:
        _watch(builder, words)
        return
    st.button(words.update, key="update", help=words.update_help, icon=":material/sync:",
              type="tertiary", on_click=builder.start)  # fmt: skip
    draw_fault(words, state.error, unnamed=state.failed)
    if state.report is not None:
        st.caption(f"{words.built} · {count(state.report.sentences, words.sentences)}")
