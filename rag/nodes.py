"""Document → nodes, one a sentence, by llama-index's ``SentenceWindowNodeParser``.

The only module that knows llama-index; imported inside the functions, because it takes seconds.
The parser joins window sentences with an extra blank and looks offsets up by text, so offsets and
windows are set from our own spans: each is a slice of the document.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.sentences import split_sentences
from rag.types import Document, Sentence, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence, ready to be embedded and stored.

    ``window`` is the slice of the document from the sentence ``window_size`` before to the one
    ``window_size`` after. ``embedded_text`` is "title › section: context sentence", without outer
    white space, NULs and lone surrogates: what the sentence needs to be found, never shown.
    """

    sentence: Sentence
    window: str
    embedded_text: str


def parse_nodes(document: Document, *, window_size: int) -> list[TextNode]:
    """Return a llama-index node for each sentence of ``document``, in order.

    The node's text is the sentence. Metadata: ``source``, ``title``, ``sentence`` (index from 0),
    ``kind``, ``section`` (list), ``paragraph``, ``page``, ``start`` and ``end`` (offsets in the
    document), ``paragraph_start/_end`` and ``section_start/_end`` (indices of the first and last
    sentence of the same paragraph and section), ``window``, ``original_text``, ``before``,
    ``after``, ``embedded_text``.
    """
    from llama_index.core.node_parser import SentenceWindowNodeParser
    from llama_index.core.schema import Document as LlamaDocument
    from llama_index.core.schema import TextNode

    found = split_sentences(document.text, markdown=document.markdown, blocks=document.blocks)
    spans = [span for span in found if span.searchable]
    sentences = _sentences(document, spans)
    parser = SentenceWindowNodeParser.from_defaults(
        sentence_splitter=lambda _: [sentence.text for sentence in sentences],
        window_size=max(1, window_size),  # the parser refuses 0; windows are set below
        include_prev_next_rel=False,  # hashes every node three times
        id_func=lambda i, _: f"{document.path}#{i}",
    )
    nodes = parser.build_window_nodes_from_documents([LlamaDocument(text=document.text)])
    paragraphs = _bounds([span.paragraph for span in spans])
    sections = _bounds([span.section for span in spans])
    for i, (node, sentence, span) in enumerate(zip(nodes, sentences, spans, strict=True)):
        assert isinstance(node, TextNode)
        node.start_char_idx, node.end_char_idx = sentence.start, sentence.end
        first, last = max(0, i - window_size), min(len(sentences) - 1, i + window_size)
        node.metadata |= {
            "window": document.text[sentences[first].start : sentences[last].end],
            "original_text": sentence.text,
            "source": sentence.source, "title": sentence.title, "sentence": i,
            "kind": sentence.kind, "section": list(sentence.section),
            "paragraph": sentence.paragraph, "page": sentence.page,
            "start": sentence.start, "end": sentence.end,
            "paragraph_start": paragraphs[i][0], "paragraph_end": paragraphs[i][1],
            "section_start": sections[i][0], "section_end": sections[i][1],
            "before": sentence.before, "after": sentence.after,
            "embedded_text": _embedded_text(sentence, span.context),
        }  # fmt: skip
    return [node for node in nodes if isinstance(node, TextNode)]


def parse_sentences(document: Document, *, window_size: int) -> list[ParsedSentence]:
    """Return the sentences of ``document`` in order, through :func:`parse_nodes`."""
    return [
        ParsedSentence(
            _sentence(node.metadata, node.text),
            node.metadata["window"],
            node.metadata["embedded_text"],
        )
        for node in parse_nodes(document, window_size=window_size)
    ]


def _sentence(metadata: dict[str, Any], text: str) -> Sentence:
    return Sentence(
        source=metadata["source"], index=metadata["sentence"], start=metadata["start"],
        end=metadata["end"], text=text, title=metadata["title"], kind=metadata["kind"],
        section=tuple(metadata["section"]), paragraph=metadata["paragraph"], page=metadata["page"],
        before=metadata["before"], after=metadata["after"],
    )  # fmt: skip


def _sentences(document: Document, spans: Sequence[Span]) -> list[Sentence]:
    """Make the sentences of the searchable ``spans``, with the text that stands between them."""
    sentences: list[Sentence] = []
    page_starts = [page.start for page in document.pages]
    end = 0
    for index, span in enumerate(spans):
        text = document.text[span.start : span.end].rstrip()
        before = document.text[end : span.start]
        end = span.start + len(text)
        page = bisect_right(page_starts, span.start)
        sentences.append(Sentence(
            document.path, index, span.start, end, text, document.title, span.kind, span.section,
            span.paragraph, document.pages[page - 1].number if page else None, before,
            after=document.text[end:] if index == len(spans) - 1 else "",
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
    """Join title, section, context and sentence; a first section equal to the title is said once."""
    section = sentence.section
    if section and section[0].casefold() == sentence.title.casefold():
        section = section[1:]
    path = " › ".join(part for part in (sentence.title, *section) if part)
    text = f"{context} {sentence.text}" if context else sentence.text
    clean = (f"{path}: {text}" if path else text).replace("\0", " ")
    return clean.encode("utf-8", "replace").decode("utf-8").strip()
