"""Check every offset of every document of a folder: ``python bench/offsets.py FOLDER…``.

For each file the spans must tile the text, and the sentences, their windows and their nodes must be
slices of it. Files ending in ``.md`` are read as Markdown; others twice, as text and as Markdown.
Prints what is wrong and exits 1 if anything is.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.nodes import parse_sentences
from rag.sentences import split_sentences
from rag.types import Document, Hit
from rag.windows import merge_windows

WINDOW_SIZE = 2
SUFFIXES = {".md", ".markdown", ".txt"}


def wrong_spans(text: str, *, markdown: bool) -> Iterator[str]:
    """Yield what is wrong with the spans of ``text``."""
    spans = split_sentences(text, markdown=markdown)
    if "".join(text[span.start : span.end] for span in spans) != text:
        yield "the spans do not join to the text"
    for span in spans:
        if not span.start < span.end:
            yield f"empty span at {span.start}"
        if span.kind != "blank" and text[span.start].isspace():
            yield f"white space before the span at {span.start}"
    for before, after in pairwise(spans):
        if before.end != after.start:
            yield f"a gap at {before.end}"


def wrong_sentences(document: Document) -> Iterator[str]:
    """Yield what is wrong with the sentences, nodes and windows of ``document``."""
    text = document.text
    parsed = parse_sentences(document, window_size=WINDOW_SIZE)
    sentences = [item.sentence for item in parsed]
    if sentences:
        rebuilt = "".join(s.before + s.text for s in sentences) + sentences[-1].after
        if rebuilt != text:
            yield "the sentences do not rebuild the text"
    for index, item in enumerate(parsed):
        sentence = item.sentence
        if text[sentence.start : sentence.end] != sentence.text or sentence.index != index:
            yield f"sentence {index} is not text[{sentence.start}:{sentence.end}]"
        near = sentences[max(0, index - WINDOW_SIZE) : index + WINDOW_SIZE + 1]
        if item.window != text[near[0].start : near[-1].end]:
            yield f"the window of sentence {index} is not a slice"
        (merged,) = merge_windows([Hit(sentence, 1)], near, WINDOW_SIZE)
        if merged.text != text[merged.start : merged.end] or merged.text != item.window:
            yield f"the merged window of sentence {index} differs"


def check(path: Path, folder: Path) -> tuple[int, list[str]]:
    """Return the number of sentences of a file and all that is wrong with it."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    wrong: list[str] = []
    sentences = 0
    for markdown in (True,) if path.suffix != ".txt" else (False, True):
        name = path.relative_to(folder).as_posix()
        document = Document(name, text, path.stem, "", markdown=markdown)
        wrong += [*wrong_spans(text, markdown=markdown), *wrong_sentences(document)]
        sentences += len(split_sentences(text, markdown=markdown))
    return sentences, wrong


def main() -> None:
    """Check the folders named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    files = spans = faults = 0
    begun = time.perf_counter()
    for folder in options.folders:
        for path in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file()):
            count, wrong = check(path, folder)
            files, spans, faults = files + 1, spans + count, faults + len(wrong)
            for fault in wrong:
                print(f"{path}: {fault}")
    seconds = time.perf_counter() - begun
    print(f"{files} files, {spans} spans, {faults} wrong, {seconds:.0f} s")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
