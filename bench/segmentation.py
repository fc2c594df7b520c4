"""Print the F1 of sentence ends, ours beside other splitters, for a folder of segmented texts.

    python bench/segmentation.py FOLDER [--lang en] [--errors] [--speed]

FOLDER holds ``*.jsonl`` files with rows ``{"lang", "text", "spans": [[start, end], …]}``. One table
row is one language of one file; splitters that are not installed are left out. An end counts as
right when it stands after exactly the same character, white space aside; the end of a text, which
every splitter finds, does not count.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.sentences import split_sentences

Splitter = Callable[[str, str], Iterable[str]]
"""(language, text) → its sentences, in order."""


class Text(NamedTuple):
    """A text and the offsets at which its sentences end."""

    name: str
    lang: str
    text: str
    ends: frozenset[int]


def read(folder: Path, lang: str | None) -> dict[str, list[Text]]:
    """Return the texts of each row of the table."""
    sets: dict[str, list[Text]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if lang in (None, row["lang"]):
                ends = inner({end for _, end in row["spans"]}, row["text"])
                text = Text(row.get("id", ""), row["lang"], row["text"], frozenset(ends))
                sets[f"{path.stem} {row['lang']}"].append(text)
    return sets


def inner(ends: set[int], text: str) -> set[int]:
    """Leave out the end of the text."""
    return ends - {len(text.rstrip()), len(text)}


def found(splitter: Splitter, text: Text) -> set[int]:
    """Return the ends of the splitter's sentences, looked up: it may change blanks."""
    ends, at = set(), 0
    for piece in splitter(text.lang, text.text):
        words = piece.strip()
        if words and (start := text.text.find(words, at)) >= 0:
            at = start + len(words)
            ends.add(at)
    return inner(ends, text.text)


def f1(splitter: Splitter, texts: list[Text]) -> float:
    """Return the F1 over all ends of all texts together."""
    right = wrong = missed = 0
    for text in texts:
        ends = found(splitter, text)
        right += len(ends & text.ends)
        wrong += len(ends - text.ends)
        missed += len(text.ends - ends)
    return 2 * right / (2 * right + wrong + missed) if right else 0.0


def ours(_lang: str, text: str) -> list[str]:
    """The product's splitter, which is not told the language."""
    return [text[span.start : span.end] for span in split_sentences(text)]


def splitters() -> dict[str, Splitter]:
    """Return ours and those of the others that are installed."""
    found: dict[str, Splitter] = {
        "ours": ours,
        "regex": lambda _, text: re.split(r"(?<=[.!?。！？])\s*", text),
    }
    try:
        import sentencex

        found["sentencex"] = sentencex.segment
    except ImportError:
        pass
    try:
        import pysbd

        def by_pysbd(lang: str, text: str) -> list[str]:
            try:
                segmenter = pysbd.Segmenter(language=lang, clean=False)
            except ValueError:  # a language it does not have
                segmenter = pysbd.Segmenter(language="en", clean=False)
            pieces: list[str] = segmenter.segment(text)
            return pieces

        found["pysbd"] = by_pysbd
    except ImportError:
        pass
    try:
        from syntok import segmenter as syntok

        def by_syntok(_lang: str, text: str) -> list[str]:
            return [
                "".join(token.spacing + token.value for token in sentence)
                for paragraph in syntok.process(text)
                for sentence in paragraph
            ]

        found["syntok"] = by_syntok
    except ImportError:
        pass
    try:
        from llama_index.core.node_parser.text.utils import split_by_sentence_tokenizer

        punkt = split_by_sentence_tokenizer()
        punkt("It runs. It has its data.")
        found["llama-index"] = lambda _, text: punkt(text)
    except (ImportError, LookupError, PermissionError):
        pass
    return found


def print_errors(texts: list[Text]) -> None:
    """Print every end that ours missed (-) or invented (+), with what stands around it."""
    for text in texts:
        ends = found(ours, text)
        for end in sorted(ends ^ text.ends):
            sign = "+" if end in ends else "-"
            around = text.text[max(0, end - 50) : end], text.text[end : end + 40]
            print(f"  {sign} {text.name} {around[0]!r} ¶ {around[1]!r}")


def print_speed(sets: dict[str, list[Text]]) -> None:
    """Print the megabytes (UTF-8) a second of each splitter, on each row's texts joined to 1 MB."""
    for name, texts in sets.items():
        text = "\n\n".join(text.text for text in texts)
        text = (text + "\n\n") * max(1, 1_000_000 // len(text))
        begun = time.perf_counter()
        split_sentences(text)
        seconds = time.perf_counter() - begun
        print(f"{name:24} {len(text.encode()) / seconds / 1e6:6.1f} MB/s")


def main() -> None:
    """Print the table, and what was asked for with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lang", help="rows of this language alone")
    parser.add_argument("--errors", action="store_true", help="print where ours is wrong")
    parser.add_argument("--speed", action="store_true", help="print ours in MB/s")
    options = parser.parse_args()
    sets = read(options.folder, options.lang)
    columns = {"ours": ours} if options.errors else splitters()
    print(f"{'':24} texts  ends" + "".join(f"{name:>12}" for name in columns))
    for name, texts in sets.items():
        scores = "".join(f"{f1(splitter, texts):12.3f}" for splitter in columns.values())
        print(f"{name:24} {len(texts):5} {sum(len(t.ends) for t in texts):5}{scores}")
        if options.errors:
            print_errors(texts)
    if options.speed:
        print_speed(sets)


if __name__ == "__main__":
    main()
