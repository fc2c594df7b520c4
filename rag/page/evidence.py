"""The right pane: the passages of the answer looked at, or one of its documents.

Draws only. At another window size than the answer's own the passages are read again, without a
search and without the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.errors import DocumentError
from rag.page.cards import OpenDocument, cards, open_document
from rag.page.exchange import Exchange, Pending
from rag.page.frontend import Action, draw
from rag.page.session import Session

if TYPE_CHECKING:
    from rag.page.library import Library
    from rag.page.strings import Strings


def draw_evidence(session: Session, library: Library, words: Strings) -> None:
    """Draw the passages, and the way to answer again when they are not those of the answer."""
    shown = session.shown
    answered = shown.answer.windows if shown else ()
    windows, lines = answered, shown.lines if shown else {}
    if shown and (session.shown_size is not None or session.all_found):
        size = shown.options.window_size if session.shown_size is None else session.shown_size
        hits = [*shown.hits, *(shown.answer.left_out if session.all_found else ())]
        windows = tuple(library.assistant.windows(hits, size))
    if windows is not answered or not lines:
        lines = library.lines(windows)

    def act(action: Action) -> None:
        if action.what == "open":
            session.opened = (action.source, action.start)
        elif action.what == "close":
            session.opened = None
        elif action.what == "more":
            session.all_found = True
        elif action.what == "again" and shown and session.shown_size is not None:
            options = shown.options.resized(session.shown_size)
            query = shown.answer.query
            session.ask(library, Pending(shown.question, options, tuple(shown.hits), query))

    names = (
        "answer_again",
        "back",
        "evidence",
        "found_sentence",
        "open_document",
        "uncited",
        "why",
    )
    draw(
        "evidence",
        "evidence",
        {
            "turn": shown.number if shown else -1,
            "of": _whose(shown, session),
            "cards": cards(windows, answered, lines, shown.cited if shown else (), words),
            "resized": _resized(shown, session, words),
            "more": _more(shown, session, words),
            "document": _document(shown, session, library, words),
            "focus": session.focus,
            "hint": words.nothing_found if shown else words.evidence_hint,
            "words": {name: getattr(words, name) for name in names},
        },
        act,
    )


def _whose(shown: Exchange | None, session: Session) -> str:
    """Return the question of an earlier turn; nothing is said of the last one."""
    if shown is None or shown.number == 0:
        return ""
    is_last = session.live is None and shown is session.exchanges[-1]
    return "" if is_last else shown.question


def _resized(shown: Exchange | None, session: Session, words: Strings) -> str:
    """Say that the passages are not those of the answer, where one can answer again with them."""
    if shown is None or session.shown_size is None or session.live is not None:
        return ""
    made = shown.options.window_size
    return words.resized.format(shown=session.shown_size, made=made)


def _more(shown: Exchange | None, session: Session, words: Strings) -> str:
    """Offer what was found and not worth sending, until it is looked at."""
    count = len(shown.answer.left_out) if shown and not session.all_found else 0
    return words.show_more.format(count=count) if count else ""


def _document(
    shown: Exchange | None, session: Session, library: Library, words: Strings
) -> OpenDocument | None:
    if shown is None or session.opened is None:
        return None
    source, start = session.opened
    own = [window for window in shown.answer.windows if window.source == source]
    try:
        text = library.text(source)
    except DocumentError:
        return None
    notes = {"": "", "changed": words.changed, "gone": words.gone}
    note = notes[library.change(source)]
    if any(text[window.start : window.end] != window.text for window in own):
        own, note = [], words.rebuilt
    return open_document(text, own, source, start, note)
