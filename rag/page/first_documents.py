"""What stands in place of the chat while there is nothing to ask: the uploader, or the folder.

Draws only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rag.page.suggestions import escaped
from rag.page.uploading import draw_upload

if TYPE_CHECKING:
    from rag.errors import DocumentsMissing
    from rag.page.building import Builder
    from rag.page.strings import Strings
    from rag.settings import Settings


def draw_first_documents(
    settings: Settings, builder: Builder, words: Strings, error: DocumentsMissing
) -> None:
    """Ask for documents where there are none; ``error`` says what was found instead."""
    st.session_state["first-documents"] = True
    with st.container(key="first-documents"):
        st.subheader(words.first_documents, anchor=False)
        st.caption(words.first_documents_hint)
        draw_upload(settings, builder, words)
        st.caption(words.first_documents_folder.format(folder=escaped(str(settings.docs))))
        st.button(words.build, key="build", on_click=builder.start)
        with st.expander(words.first_documents_found):
            st.text(str(error))  # not Markdown: it quotes names of files
