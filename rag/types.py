"""The values that flow between the modules, in the order in which they flow.

    Document → Span → Sentence → Hit → Window → Citation, Answer → Turn

All are frozen and slotted; none knows where it came from or where it goes. Offsets are half-open
and count code points of a document's decoded, newline-normalised text, so that
``document.text[x.start:x.end]`` is what ``x`` stands for.
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

EXTRACTIVE = "extractive"
"""The answerer of an answer that is made of found sentences."""

Mode = Literal["dense", "keyword", "hybrid"]
Refusal = Literal["off-topic", "not-found", "filter"]
ReasoningMode = Literal["auto", "unopened", "text"]
FollowUps = Literal["auto", "rule", "off"]


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


Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "contains"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter on a field of the sentences' metadata; several must all hold.

    ``value`` is a tuple for ``in`` and ``not in``, a scalar otherwise. A sentence that lacks the
    field fulfils ``!=`` and ``not in`` alone.
    """

    field: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A found sentence, and why it was found.

    ``rank`` is its place among the hits, from 1. ``dense`` is a cosine (-1 to 1), ``keyword`` a
    BM25-like sum (0 and up), ``fused`` (0 to 1) orders the hits of one query and is no similarity.
    A score or rank is None where the mode has no such leg or the leg did not find the sentence.
    ``terms`` are the question's terms that the sentence holds, as the sentence spells them.
    ``reranked`` is the score of a reranking model, in its own measure, if there is one. ``share``
    (0 to 1) is what its score is of the best candidate's, None where that cannot be said.
    """

    sentence: Sentence
    rank: int
    dense: float | None = None
    keyword: float | None = None
    fused: float | None = None
    dense_rank: int | None = None
    keyword_rank: int | None = None
    terms: tuple[str, ...] = ()
    reranked: float | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A passage: consecutive sentences of one file with at least one hit among them.

    ``text == source_text[start:end]``. ``rank`` counts the windows from 1, by their best hit.
    ``first`` and ``last`` are the indices of its first and last sentence, both inside.
    ``hits`` are in document order. ``bounds`` are the offsets of each of its sentences in the
    source, by which it can be shortened to whole sentences.
    """

    rank: int
    source: str
    start: int
    end: int
    text: str
    first: int
    last: int
    hits: tuple[Hit, ...]
    title: str = ""
    section: tuple[str, ...] = ()
    page: int | None = None
    bounds: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in an answer that points at a passage.

    ``marker`` is the number as written, ``passage`` the ``rank`` of the window it names; both from
    1. ``start`` and ``end`` are offsets of the whole marker in the answer's text.
    """

    marker: int
    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens counted by the model's server, as it reports them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds. ``first_token`` is None until there is a first piece of text. ``rewrite`` is
    what making a follow-up stand alone took, before the search.
    """

    embed: float = 0.0
    search: float = 0.0
    retrieve: float = 0.0
    first_token: float | None = None
    total: float = 0.0
    rewrite: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer, with all that it was made from.

    ``query`` is what was searched, ``question`` what the user typed. ``windows`` are the passages
    the answer rests on, in rank order: the same that were sent to the model. ``answerer`` is
    ``extractive`` or the chat model's name. ``cut`` says that the text ended before its end: the
    stream broke, was stopped, or ran into the length limit; ``cut_reason`` says which, in words.
    ``left_out`` are the found sentences, best first, that stand in none of the windows: they were
    not worth sending, or did not fit.
    ``refusal`` is None, or why the documents were found not to hold the answer. ``notes`` are
    remarks for the user, such as that fewer passages fitted than were found.
    """

    question: str
    query: str
    text: str
    windows: tuple[Window, ...]
    citations: tuple[Citation, ...] = ()
    answerer: str = EXTRACTIVE
    refusal: Refusal | None = None
    cut: bool = False
    cut_reason: str = ""
    usage: Usage | None = None
    reasoning: str = ""
    notes: tuple[str, ...] = ()
    timings: Timings = field(default_factory=Timings)
    left_out: tuple[Hit, ...] = ()

    @property
    def rewritten(self) -> bool:
        """Whether the query is another than the question, a long question's beginning aside."""
        return not " ".join(self.question.split()).startswith(" ".join(self.query.split()))

    @property
    def refused(self) -> bool:
        """Whether the documents were found not to hold the answer."""
        return self.refusal is not None


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer, as the next question of a conversation sees them."""

    question: str
    answer: str
