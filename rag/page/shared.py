"""What all visitors of the process share: for each settings an open collection, and its builder.

Does not draw.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import fields

import streamlit as st

from rag.assistant import open_assistant
from rag.errors import RagError
from rag.page.arenas import bound_arenas
from rag.page.building import Builder
from rag.page.library import Library
from rag.settings import BUNDLED, Settings

LOOKING_SECONDS = 1.5
"""How long the first visitor's browser has both cores to draw the page, before that is loaded which
the first question needs: a question takes longer to type."""

KEPT = 4
"""Settings whose assistant is kept open: another comes when ``.env`` is changed while it runs."""


def _identity(settings: Settings) -> tuple[str, ...]:
    """Return what tells two settings apart, keys included; kept in memory only, as a hash."""
    return tuple(repr(getattr(settings, field.name)) for field in fields(settings))


@st.cache_resource(show_spinner=False, max_entries=KEPT, hash_funcs={Settings: _identity})
def builder_of(settings: Settings) -> Builder:
    """Return what builds the collection of these settings."""
    return Builder(settings)


@st.cache_resource(show_spinner=False, max_entries=KEPT, hash_funcs={Settings: _identity})
def library_of(settings: Settings) -> Library:
    """Return the collection of these settings, open. Raises :class:`~rag.errors.RagError`."""
    bound_arenas()
    library = Library(open_assistant(settings))
    builder_of(library.assistant.settings).serve(library.assistant)
    return library


@st.cache_resource(show_spinner=False, max_entries=KEPT, hash_funcs={Library: id})
def preload(library: Library) -> None:
    """Load, once and beside the page, what the first question would have to wait for."""
    later = threading.Timer(LOOKING_SECONDS, _load, args=(library,))
    later.daemon, later.name = True, "preload"
    later.start()


def _load(library: Library) -> None:
    from rag.answering import preload as preload_model

    settings = library.assistant.settings
    if settings.embedding_model == BUNDLED:
        with suppress(RagError):  # the first question will say so
            library.assistant.retrieve("warm", top_k=1)
    if settings.chat_model is not None:
        preload_model()
