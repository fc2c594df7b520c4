"""A build, as a visitor sees it: a bar that goes on whatever is clicked, or what went wrong.

Draws only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rag.errors import DocumentsMissing
from rag.page.first_documents import draw_first_documents
from rag.page.strings import fault
from rag.page.uploading import may_upload

if TYPE_CHECKING:
    from rag.errors import RagError
    from rag.page.building import Builder
    from rag.page.strings import Strings
    from rag.settings import Settings

LOOK_SECONDS = 0.3
"""How often the bar is drawn."""


def draw_first_build(settings: Settings, builder: Builder, words: Strings, error: RagError) -> None:
    """Draw the build of a collection that is not there or is empty, and begin it unless one has
    ended. Where it found no documents the visitor is asked for some.
    """
    state = builder.state
    begun = state.ended == 0
    found = state.error if state.failed else error
    if begun:
        builder.start()
    elif not state.running and isinstance(found, DocumentsMissing) and may_upload(settings):
        draw_first_documents(settings, builder, words, found)
        return
    _draw_build(builder, words, error, words.build, begun=begun)


def draw_rebuild(builder: Builder, words: Strings, error: RagError) -> None:
    """Say why a collection cannot be used, and offer to build it again from nothing."""
    _draw_build(builder, words, error, words.rebuild, full=True)


def draw_update(builder: Builder, words: Strings) -> None:
    """Draw the way to bring the collection up to date, while the chat goes on."""
    state = builder.state
    if state.running:
        st.fragment(_watch, run_every=LOOK_SECONDS)(builder, words)
        return
    st.button(words.update, key="update", help=words.update_help, icon=":material/sync:",
              type="tertiary", on_click=builder.start)  # fmt: skip
    if state.failed:
        draw_fault(words, state.error)
    elif state.report is not None:
        st.caption(words.built)


def draw_fault(words: Strings, error: RagError | None) -> None:
    """Say what went wrong and what to do, in the page's words and in the error's own.

    None stands for a fault of the program.
    """
    st.error(fault(words, error), icon=":material/error:")
    if error is not None:
        st.text(str(error))  # not Markdown: it may quote a file, or a server


def _draw_build(
    builder: Builder,
    words: Strings,
    error: RagError,
    label: str,
    *,
    full: bool = False,
    begun: bool = False,
) -> None:
    with st.container(key="building"):
        state = builder.state
        if state.running or begun:
            st.subheader(words.building, anchor=False)
            st.caption(words.building_hint)
            st.fragment(_watch, run_every=LOOK_SECONDS)(builder, words)
            return
        draw_fault(words, state.error if state.failed else error)
        begin = {"full": full}
        st.button(label, key="build", type="primary", on_click=builder.start, kwargs=begin)


def _watch(builder: Builder, words: Strings) -> None:
    state = builder.state
    if not state.running:
        st.rerun()
    text = words.steps["read"]
    if state.progress:
        progress = state.progress
        text = f"{words.steps[progress.step]} · {progress.done:,} / {progress.total:,}"
    if state.seconds_left is not None:
        text += f" · {_time_left(state.seconds_left, words)}"
    st.progress(state.fraction, text)
    st.button(words.cancel_build, key="cancel-build", type="tertiary", on_click=builder.cancel)


def _time_left(seconds: float, words: Strings) -> str:
    if seconds >= 90:
        time = words.minutes.format(n=round(seconds / 60))
    else:
        time = words.seconds.format(seconds=max(1, round(seconds)))
    return words.time_left.format(time=time)
