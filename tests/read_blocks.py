"""What a reader made of a file, in a form that a test can state; and what must hold for all."""

from __future__ import annotations

from rag.readers import Content
from rag.sentences import split_sentences

Read = tuple[str, str, tuple[str, ...]]
"""Kind, text, section."""


def read_blocks(content: Content) -> list[Read]:
    """The blocks of a file, after checking that their offsets are exact."""
    check(content)
    return [(b.kind, content.text[b.start : b.end], b.section) for b in content.blocks]


def sentences(content: Content) -> list[Read]:
    """The sentences that can be found in it."""
    check(content)
    return [
        (s.kind, content.text[s.start : s.end].strip(), s.section)
        for s in split_sentences(content.text, blocks=content.blocks)
        if s.searchable
    ]


def check(content: Content) -> None:
    """Blocks stand in order with white space alone between them; spans and pages tile the text."""
    end = 0
    for block in content.blocks:
        assert block.end > block.start >= end
        assert not content.text[end : block.start].strip()
        assert content.text[block.start : block.end].strip() or block.kind == "code"
        end = block.end
    assert end == len(content.text)
    spans = split_sentences(content.text, blocks=content.blocks)
    assert "".join(content.text[s.start : s.end] for s in spans) == content.text
    ends = [page.end for page in content.pages]
    if ends:
        assert [page.start for page in content.pages] == [0, *ends[:-1]]
        assert ends[-1] == len(content.text)
