"""A row of a question set → the places that answer it. Pure.

A row is a JSON object with a ``question``, and where there are, ``doc_id`` (a document's path, or
its path without ``.txt``), ``answers`` (texts), ``answer_start`` (their offsets in the document, in
code points; -1 where unknown), ``also`` (further places as ``[doc_id, start, text]``),
``answerable`` (by default a question with answers is) and ``match``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast, get_args

from rag.errors import SettingsError

Match = Literal["any", "all", "overlap"]
"""What finds the answer: a piece of text that holds ``any`` one of the places whole; or one that
touches a place, where ``all`` of them are evidence, or the places are sentences (``overlap``)."""

_LATIN = "0-9A-Za-zÀ-ɏ"
"""Letters and digits of words that are written with blanks between them."""

SourceText = Callable[[str], str]
"""A document's path → its text."""


@dataclass(frozen=True, slots=True)
class Place:
    """An answer in a document: ``text[start:end]`` of ``source``."""

    source: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Gold:
    """What answers a question.

    ``places`` are empty where the row names no document: then ``texts`` are what is looked for.
    ``document`` is what the row names; ``absent`` says that the collection does not hold it, so
    that the question should be refused whatever ``answerable`` says.
    """

    answerable: bool
    match: Match = "any"
    places: tuple[Place, ...] = ()
    texts: tuple[str, ...] = ()
    document: str = ""
    absent: bool = False


def read_gold(
    row: Mapping[str, object], number: int, sources: Sequence[str], source_text: SourceText
) -> Gold:
    """Read the ``number``-th row against the collection's documents ``sources``.

    Offsets that do not hold the answer, as in a document that was changed or read otherwise, give
    way to the nearest place that does. Places in documents that the collection lacks are left out.
    Raises :class:`~rag.errors.SettingsError` for a row that is none, and for an answer that its
    document does not hold.
    """
    answers = _texts(row, number)
    answerable = bool(row.get("answerable", bool(answers)))
    if answerable and not answers:
        raise SettingsError(f'Row {number} is answerable and has no "answers"')
    match, document = _match(row, number), row.get("doc_id") or ""
    if not isinstance(document, str):
        raise SettingsError(f'Row {number} has a "doc_id" that is no text')
    places = []
    if answerable and document:
        for name, start, text in _wanted(row, document, answers, number):
            source = find_source(name, sources)
            if source is not None:
                found = _places(source, source_text(source), text, start)
                if not found:
                    raise SettingsError(
                        f"Row {number}: {source} does not hold the answer {text[:60]!r}. "
                        "Was the document changed since?"
                    )
                places += found if match == "any" else found[:1]
    absent = bool(document) and not places and find_source(document, sources) is None
    return Gold(answerable, match, tuple(places), tuple(answers), document, absent)


def find_source(name: str, sources: Iterable[str]) -> str | None:
    """Return the document that ``name`` means: its path, the path without ``.txt``, or its end."""
    paths = list(sources)
    names = (name, f"{name}.txt")
    for wanted in names:
        if wanted in paths:
            return wanted
    ends = [path for path in paths if path.endswith(tuple(f"/{wanted}" for wanted in names))]
    return ends[0] if len(ends) == 1 else None


@lru_cache(maxsize=256)
def stands(answer: str) -> re.Pattern[str]:
    """Return what finds ``answer`` in a text, in any case and layout, and not within a word."""
    pattern = r"\s+".join(map(re.escape, answer.split()))
    first, last = answer.strip()[0], answer.strip()[-1]
    before = f"(?<![{_LATIN}])" if re.match(f"[{_LATIN}]", first) else ""
    after = f"(?![{_LATIN}])" if re.match(f"[{_LATIN}]", last) else ""
    return re.compile(before + pattern + after, flags=re.IGNORECASE)


def _match(row: Mapping[str, object], number: int) -> Match:
    match = row.get("match", "any")
    for known in get_args(Match):
        if match == known:
            return cast("Match", known)
    raise SettingsError(f'Row {number} has the "match" {match!r}: expected any, all or overlap')


def _texts(row: Mapping[str, object], number: int) -> list[str]:
    texts = row.get("answers") or []
    if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise SettingsError(f'Row {number} has "answers" that are no list of texts')
    return texts


def _wanted(
    row: Mapping[str, object], document: str, answers: Sequence[str], number: int
) -> Iterator[tuple[str, int | None, str]]:
    """Yield document, offset (None where unknown) and text of each answer."""
    starts = row.get("answer_start") or [-1] * len(answers)
    also = row.get("also") or []
    try:
        for start, answer in zip(starts, answers, strict=True):  # type: ignore[call-overload]
            yield document, _offset(start), answer
        for name, start, answer in also:  # type: ignore[attr-defined]
            yield str(name), _offset(start), str(answer)
    except (TypeError, ValueError):
        raise SettingsError(
            f'Row {number}: "answer_start" must have an offset for each of its "answers", '
            'and "also" rows of document, offset and text'
        ) from None


def _offset(start: object) -> int | None:
    if not isinstance(start, int):
        raise TypeError
    return start if start >= 0 else None


def _places(source: str, text: str, answer: str, start: int | None) -> list[Place]:
    """Return where ``answer`` stands: at ``start``, or nearest to it; without one every place."""
    if start is not None and text[start : start + len(answer)] == answer:
        return [Place(source, start, start + len(answer))]
    found = [Place(source, *place.span()) for place in stands(answer).finditer(text)]
    if start is not None:
        return sorted(found, key=lambda place: abs(place.start - start))[:1]
    return found
