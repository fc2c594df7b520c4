"""The Streamlit page: views that draw what one assistant returns.

    library (assistant) + session → conversation, evidence, sidebar

``main`` is what ``app.py`` runs, once for each visitor and each click.
"""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Draw the page."""
    from rag.page.layout import draw_page

    draw_page()
