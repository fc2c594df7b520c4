"""Windows → the cards beside an answer, and a document → the same view of its whole text.

Pure. Every piece of text is a slice of the source and travels raw; the page's script makes it text
nodes. Why a passage was found is said in the page's language here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rag.page.strings import Strings
from rag.types import Hit, Window

Lines = tuple[int, int]
"""First and last line of a passage in its file, from 1, both inside."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A slice of a source; ``rank`` is that of the found sentence it is, 0 where it is none."""

    text: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Card:
    """One passage, ready to draw.

    ``numbers`` are the passages of the answer that stand in it: one, unless the windows were
    resized after the answer and now run together, or none of its sentences was sent. ``source`` and
    ``start`` name its place for "open document".
    """

    numbers: tuple[int, ...]
    heading: str
    place: str
    source: str
    start: int
    pieces: tuple[Piece, ...]
    why: tuple[str, ...]
    cited: bool


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A whole document, with the found sentences of an answer marked.

    ``target`` is the index of the piece to scroll to. ``note`` says when the file is not what it
    was.
    """

    title: str
    place: str
    pieces: tuple[Piece, ...]
    target: int
    note: str


def cards(
    windows: Sequence[Window],
    answered: Sequence[Window],
    lines: Mapping[tuple[str, int, int], Lines],
    cited: Collection[int],
    words: Strings,
) -> list[Card]:
    """Return a card for each of ``windows``, those that the answer cites first.

    ``answered`` are the windows that the answer numbers; they give the numbers, by the found
    sentences they share. ``cited`` holds the numbers that the answer cites.
    """
    made = [_card(window, _numbers(window, answered), lines, cited, words) for window in windows]
    return sorted(made, key=lambda card: not card.cited)


def open_document(
    text: str, windows: Sequence[Window], source: str, start: int, note: str
) -> OpenDocument:
    """Return the view of a document whose whole text is ``text``, at the passage that starts at
    ``start``. The hits must be offsets into this very text.
    """
    own = [window for window in windows if window.source == source]
    hits = {(h.sentence.start, h.sentence.end): h for w in own for h in w.hits}
    in_order = [hits[place] for place in sorted(hits)]
    pieces = _pieces(text, 0, in_order)
    best = min(
        (h for w in own if w.start <= start < max(w.end, w.start + 1) for h in w.hits),
        key=lambda h: h.rank,
        default=None,
    )
    target = next((i for i, p in enumerate(pieces) if best and p.rank == best.rank), 0)
    title = next((w.title for w in own if w.title), source)
    return OpenDocument(title, source, pieces, target, note)


def _card(
    window: Window,
    numbers: tuple[int, ...],
    lines: Mapping[tuple[str, int, int], Lines],
    cited: Collection[int],
    words: Strings,
) -> Card:
    return Card(
        numbers=numbers,
        heading=heading(window),
        place=place(window, lines.get((window.source, window.start, window.end)), words),
        source=window.source,
        start=window.start,
        pieces=_pieces(window.text, window.start, window.hits),
        why=tuple(why(hit, words) for hit in sorted(window.hits, key=lambda h: h.rank)),
        cited=any(number in cited for number in numbers),
    )


def heading(window: Window) -> str:
    """Return ``title › section`` of a passage, without saying a name twice."""
    names = [window.title or window.source]
    names += [name for name in window.section if name != names[-1]]
    return " › ".join(names)


def place(window: Window, lines: Lines | None, words: Strings) -> str:
    """Return ``file:first–last`` and the page, as far as they are known."""
    place = window.source
    if lines:
        first, last = lines
        place += f":{first}" if first == last else f":{first}–{last}"
    return place if window.page is None else f"{place}, {words.page.format(page=window.page)}"


def why(hit: Hit, words: Strings) -> str:
    """Say in words how a sentence was found: ranks, scores, and the terms it shares."""
    said = [words.why_rank.format(rank=hit.rank)]
    if hit.dense_rank is not None:
        score = "–" if hit.dense is None else f"{hit.dense:.2f}"
        said.append(words.why_dense.format(rank=hit.dense_rank, score=score))
    elif hit.keyword_rank is not None:
        said.append(words.why_no_dense)
    if hit.keyword_rank is not None:
        score = "–" if hit.keyword is None else f"{hit.keyword:.1f}"
        said.append(words.why_keyword.format(rank=hit.keyword_rank, score=score))
    elif hit.dense_rank is not None:
        said.append(words.why_no_keyword)
    if hit.terms:
        said.append(words.why_terms.format(terms=", ".join(hit.terms)))
    return " ".join(said)


def _pieces(text: str, offset: int, hits: Sequence[Hit]) -> tuple[Piece, ...]:
    """Cut ``text``, which starts at ``offset`` of its source, at its found sentences."""
    pieces: list[Piece] = []
    at = 0
    for hit in sorted(hits, key=lambda h: h.sentence.start):
        start, end = hit.sentence.start - offset, hit.sentence.end - offset
        if start < at or end > len(text):
            continue  # a sentence that the context limit cut away
        pieces += [Piece(text[at:start]), Piece(text[start:end], hit.rank)]
        at = end
    pieces.append(Piece(text[at:]))
    return tuple(piece for piece in pieces if piece.text)


def _numbers(window: Window, answered: Sequence[Window]) -> tuple[int, ...]:
    own = {(h.sentence.source, h.sentence.index) for h in window.hits}
    return tuple(
        w.rank for w in answered if own & {(h.sentence.source, h.sentence.index) for h in w.hits}
    )
