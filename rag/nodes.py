"""Document → nodes, one a sentence, by llama-index's ``SentenceWindowNodeParser``.

The only module that knows llama-index; imported inside the functions, because it takes seconds.
The parser joins a window's sentences with an extra blank and looks offsets up by text, so offsets
and windows are set from our own spans: each is a slice of the document.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from rag.sentences import split_sentences
from rag.types import Document, Sentence, Span

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

_BATCH = 2000
"""Nodes made at once: each takes some ten kilobytes, a sentence of ours less than one."""


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence, ready to be embedded and stored.

    ``embedded_text`` is "title › section: context sentence", without outer white space, NULs and
    lone surrogates: what the sentence needs to be found, never shown. ``text`` is the document's,
    ``window_start`` and ``window_end`` are offsets in it.
    """

    sentence: Sentence
    embedded_text: str
    text: str = field(repr=False)
    window_start: int
    window_end: int

    @property
    def window(self) -> str:
        """The slice of the document from ``window_size`` sentences before to as many after."""
        return self.text[self.window_start : self.window_end]


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A document's sentences, with the context of each and the bounds of what it stands in."""

    sentences: Sequence[Sentence]
    contexts: Sequence[str]
    paragraphs: Sequence[tuple[int, int]]
    sections: Sequence[tuple[int, int]]


def parse_nodes(document: Document, *, window_size: int) -> list[TextNode]:
    """Return a llama-index node for each sentence of ``document``, in order.

    The node's text is the sentence. Metadata: ``source`` (path), ``title``, ``index`` (from 0),
    ``kind``, ``section`` (list), ``paragraph``, ``page``, ``start`` and ``end`` (offsets in the
    document), ``before`` and ``after`` (the text around it that no sentence has),
    ``paragraph_first``, ``paragraph_last``, ``section_first`` and ``section_last`` (indices of the
    sentences that begin and end the same paragraph and section), ``window``, ``original_text``,
    ``embedded_text``. A window is ``window_size`` sentences on each side, 0 allowed, within the
    document.
    """
    return [node for batch in _batches(document, window_size) for node in batch]


def parse_sentences(document: Document, *, window_size: int) -> list[ParsedSentence]:
    """Return the sentences of ``document`` in order, as :func:`parse_nodes` finds them."""
    parsed = []
    for batch in _batches(document, window_size):
        for node in batch:
            data = node.metadata
            sentence = Sentence(
                source=data["source"], index=data["index"], start=data["start"], end=data["end"],
                text=node.text, title=data["title"], kind=data["kind"],
                section=tuple(data["section"]), paragraph=data["paragraph"], page=data["page"],
                before=data["before"], after=data["after"],
            )  # fmt: skip
            low, high = data["window_start"], data["window_end"]
            parsed.append(ParsedSentence(sentence, data["embedded_text"], document.text, low, high))
    return parsed


def _batches(document: Document, window_size: int) -> Iterator[list[TextNode]]:
    """Yield the nodes of ``document`` in batches, so that a large one does not fill the memory."""
    from llama_index.core.node_parser import SentenceWindowNodeParser
    from llama_index.core.schema import Document as LlamaDocument

    parsed = _parse(document)
    for low in range(0, len(parsed.sentences), _BATCH):
        batch = parsed.sentences[low : low + _BATCH]
        texts = [sentence.text for sentence in batch]
        parser = SentenceWindowNodeParser.from_defaults(
            sentence_splitter=lambda _, texts=texts: texts,  # type: ignore[misc]
            window_size=1,  # it refuses 0; the windows are set below
            include_prev_next_rel=False,  # would hash every node three times
            id_func=lambda place, _, low=low: f"{document.path}#{low + place}",  # type: ignore[misc]
        )
        # Our splitter needs no text, and the parser would hash it for nothing.
        source = LlamaDocument(id_=document.path, text="")
        nodes = cast("list[TextNode]", parser.build_window_nodes_from_documents([source]))
        for index, node in enumerate(nodes, low):
            _complete(node, document, parsed, index, window_size)
        yield nodes


def _complete(
    node: TextNode, document: Document, parsed: _Parsed, index: int, window_size: int
) -> None:
    """Set the offsets, window and metadata of the node of sentence ``index``."""
    sentences = parsed.sentences
    sentence = sentences[index]
    start = sentences[max(0, index - window_size)].start
    end = sentences[min(len(sentences) - 1, index + window_size)].end
    node.start_char_idx, node.end_char_idx = sentence.start, sentence.end
    node.metadata = {
        "source": sentence.source, "title": sentence.title, "index": index,
        "kind": sentence.kind, "section": list(sentence.section),
        "paragraph": sentence.paragraph, "page": sentence.page,
        "start": sentence.start, "end": sentence.end,
        "before": sentence.before, "after": sentence.after,
        "paragraph_first": parsed.paragraphs[index][0],
        "paragraph_last": parsed.paragraphs[index][1],
        "section_first": parsed.sections[index][0], "section_last": parsed.sections[index][1],
        "window": document.text[start:end], "window_start": start, "window_end": end,
        "original_text": sentence.text,
        "embedded_text": _embedded_text(sentence, parsed.contexts[index]),
    }  # fmt: skip
    node.excluded_embed_metadata_keys = node.excluded_llm_metadata_keys = list(node.metadata)


def _parse(document: Document) -> _Parsed:
    found = split_sentences(document.text, markdown=document.markdown, blocks=document.blocks)
    spans = [span for span in found if span.searchable]
    return _Parsed(
        _sentences(document, spans),
        [span.context for span in spans],
        _bounds([span.paragraph for span in spans]),
        _bounds([span.section for span in spans]),
    )


def _sentences(document: Document, spans: Sequence[Span]) -> list[Sentence]:
    """Make the sentences of the searchable ``spans``, with the text that stands between them."""
    sentences: list[Sentence] = []
    page_starts = [page.start for page in document.pages]
    end = 0
    for index, span in enumerate(spans):
        text = document.text[span.start : span.end].rstrip()
        before = document.text[end : span.start]
        end = span.start + len(text)
        place = bisect_right(page_starts, span.start)
        page = document.pages[place - 1].number if place else None
        after = document.text[end:] if index == len(spans) - 1 else ""
        sentences.append(Sentence(
            document.path, index, span.start, end, text, document.title, span.kind, span.section,
            span.paragraph, page, before, after,
        ))  # fmt: skip
    return sentences


def _bounds(values: Sequence[object]) -> list[tuple[int, int]]:
    """Return for each place the first and last place of its run of equal values."""
    bounds: list[tuple[int, int]] = []
    first = 0
    for place, value in enumerate(values):
        if place + 1 == len(values) or values[place + 1] != value:
            bounds += [(first, place)] * (place + 1 - first)
            first = place + 1
    return bounds


def _embedded_text(sentence: Sentence, context: str) -> str:
    """Join title, section, context and sentence; what says the same twice is said once."""
    section = sentence.section[:-1] if sentence.kind == "heading" else sentence.section
    path = [sentence.title]
    for title in section:
        if title.casefold() != path[-1].casefold():
            path.append(title)
    names = " › ".join(name for name in path if name)
    text = f"{context} {sentence.text}" if context else sentence.text
    whole = (f"{names}: {text}" if names else text).replace("\0", " ")
    return whole.encode("utf-8", "replace").decode("utf-8").strip()
