"""The sidebar: how to search, what is loaded, and the page's language.

Draws only. What is set is kept in the URL, so that a reload or a shared link finds it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import streamlit as st

from rag.page.exchange import Options
from rag.page.strings import LANGUAGES, count

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rag.page.library import Library
    from rag.page.session import Session
    from rag.page.strings import Strings
    from rag.types import Mode

LARGEST_WINDOW, MOST_SENTENCES = 8, 30
"""The ends of the sliders: what still fits beside an answer. Settings may go beyond; the slider's
end then goes with them."""

ENDPOINT = """\
RAG_CHAT_MODEL=llama3.2
OPENAI_BASE_URL=http://localhost:11434/v1
OPENAI_API_KEY=…"""
"""An example for ``.env``: Ollama on this machine."""


def choose_options(session: Session, library: Library, words: Strings) -> Options:
    """Draw the settings of the search, and return them."""
    settings = library.assistant.settings

    def resized() -> None:
        session.resize(st.session_state["window"])

    window_size = st.slider(
        words.window_size,
        0,
        max(LARGEST_WINDOW, settings.window_size),
        settings.window_size,
        key="window",
        help=words.window_size_help,
        on_change=resized,
        bind="query-params",
    )
    with st.expander(words.advanced):
        top_k = st.slider(
            words.top_k,
            1,
            max(MOST_SENTENCES, settings.top_k),
            settings.top_k,
            key="top",
            help=words.top_k_help,
            bind="query-params",
        )
        mode = _choose("mode", words.mode, words.modes, settings.mode, words.mode_help)
        sources = st.multiselect(
            words.sources_filter,
            [record.path for record in library.assistant.documents()],
            key="source",
            help=words.sources_filter_help,
            placeholder=words.all_documents,
            bind="query-params",
        )
    return Options(window_size, top_k, cast("Mode", mode), tuple(sources))


def draw_loaded(library: Library, words: Strings) -> None:
    """Draw what is loaded: documents, sentences and models."""
    info = library.assistant.info
    chat_model = library.assistant.settings.chat_model
    with st.container(key="loaded", gap=None):
        st.caption(words.loaded)
        st.text(
            f"{count(info.documents, words.documents)} · {count(info.sentences, words.sentences)}"
        )
        st.caption(words.embedding)
        st.text(info.record.fingerprint.embedding_model)
        st.caption(words.chat_model)
        st.text(chat_model or words.no_chat_model)
    if chat_model is None:
        with st.popover(words.connect, type="tertiary"):
            st.markdown(words.connect_how)
            st.code(ENDPOINT, language="bash")


def choose_language(language: str, words: Strings) -> None:
    """Draw the choice of the page's language; ``language`` is what the browser asks for."""
    names = {key: LANGUAGES[key].language for key in LANGUAGES}
    _choose("lang", words.interface, names, language)


def chosen(name: str, among: Collection[str], default: str) -> str:
    """Return what a visitor has chosen of ``among``, in this session or by the URL."""
    for value in (st.session_state.get(name), st.query_params.get(name)):
        if value in among:
            return str(value)
    return default


def _choose(
    name: str, label: str, labels: Mapping[str, str], default: str, help_: str | None = None
) -> str:
    """Draw a choice and keep it in the URL, by the keys of ``labels``.

    Streamlit's own binding would write the labels there, which are another language's elsewhere.
    """
    choice = st.segmented_control(
        label,
        list(labels),
        default=chosen(name, labels, default),
        required=True,
        format_func=lambda key: labels[key],
        key=name,
        help=help_,
        width="stretch",
        label_visibility="visible" if help_ else "collapsed",
    )
    if choice != default:
        st.query_params[name] = choice
    elif name in st.query_params:
        del st.query_params[name]
    return str(choice)
