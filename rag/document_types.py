"""The values on the way in: which files, what was read, where it is cut.

    Selection → Document → Span → Sentence

See :mod:`rag.types`, which has them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rag.splitting.blocks import Block

Scalar = str | int | float | bool | date
"""What a document's metadata may hold: front matter, typed."""

Metadata = Mapping[str, Scalar | tuple[Scalar, ...]]

SpanKind = Literal[
    "sentence", "item", "row", "code", "quote", "html", "footnote",  # may be searchable
    "heading",  # searchable only where nothing stands under it
    "rule", "separator", "front-matter", "blank",  # shown, never hits
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files of the documents folder are documents.

    ``include`` and ``exclude`` are patterns as in ``.gitignore``, divided by commas: with
    ``include``, only what matches one of them. A folder with more than ``max_files`` is refused.
    """

    include: str = ""
    exclude: str = ""
    max_files: int = 20_000


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paged document: ``text[start:end]`` stands on page ``number`` (from 1)."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read.

    ``path`` is relative to the documents folder, with ``/``. ``text`` has line feeds for line ends
    and no byte-order mark. ``digest`` is the hex SHA-256 of the file's bytes, ``size`` their
    number, ``modified`` seconds since the epoch. ``markdown`` says whether ``text`` is Markdown.
    ``pages`` is empty where the format has none. ``blocks`` come from formats that know their
    layout, in order, with white space alone between them; without any the text's layout decides.
    ``notes`` are remarks for the user on what of the file could not be read.
    """

    path: str
    text: str
    title: str
    digest: str
    size: int = 0
    modified: float = 0.0
    markdown: bool = False
    metadata: Metadata = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    blocks: tuple[Block, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not read, and why, in words for the user."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text. The spans of a text tile it: joined in order they are the text.

    ``searchable`` spans are the sentences; the others (headings, rules, white space, …) are shown
    between them and never found, but for a heading with nothing under it. White space after a piece
    belongs to it; only that at the very start of a text is a ``blank`` span of its own. ``section``
    is the path of headings above it, outermost first. ``paragraph`` numbers the blocks of the text
    from 0: sentences of one paragraph, list or table share it. ``context`` is what the sentence
    needs to be understood alone and does not say itself (a table's header row); it is embedded
    before the sentence and never shown as part of it.
    """

    start: int
    end: int
    kind: SpanKind = "sentence"
    searchable: bool = True
    section: tuple[str, ...] = ()
    paragraph: int = 0
    context: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stored sentence: one searchable span, without outer white space.

    ``index`` counts the sentences of ``source`` from 0. ``before`` is the text between the end of
    the previous sentence (or the start of the file) and ``start``; the last sentence of a file
    also has ``after``, the text up to the end of the file. So the file's text is the concatenation
    of ``before + text`` over its sentences, plus the last one's ``after``.
    """

    source: str
    index: int
    start: int
    end: int
    text: str
    title: str = ""
    kind: SpanKind = "sentence"
    section: tuple[str, ...] = ()
    paragraph: int = 0
    page: int | None = None
    before: str = ""
    after: str = ""
