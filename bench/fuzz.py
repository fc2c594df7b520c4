"""Throw made-up text at the splitter, the windows, the readers and the citations.

    python bench/fuzz.py [--characters 10000000] [--seconds 600] [--seed 0] [--documents FOLDER]

Texts are put together from pieces that mean something to a splitter, from any characters, and from
real documents (of FOLDER, by default ours) that were cut, doubled and damaged. For each: spans tile
it, sentences and windows are slices, citations are in bounds, in reasonable time. Bytes of real
files are damaged and read: a reader may refuse them, not crash or hang. What fails is printed with
what is needed to do it again; exit 1 then.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.citations import find_citations, split_citations
from rag.nodes import parse_sentences
from rag.readers import is_supported, read_content
from rag.sentences import split_sentences
from rag.types import Document
from tests.strange_texts import PIECES

SLOW_SECONDS_A_MEGABYTE = 20.0
"""Sixty times what the splitter takes for prose: what takes longer counts as hanging."""
CITATIONS = ["[1]", "[2][3]", "[1, 2]", "［1］", "【2】", "[1-3]", "[9]", "`[1]`", "```\n[1]\n```", "[[1]]", "[1](x)"]  # fmt: skip  # noqa: E501


class Fault(Exception):
    """Something did not hold."""


def texts(chance: random.Random, samples: list[str]) -> Iterator[str]:
    """Yield texts of a few to some thousand characters, without end."""
    while True:
        kind = chance.randrange(4)
        if kind == 0:
            yield "".join(chance.choices(PIECES, k=chance.randint(1, 400)))
        elif kind == 1:
            most = chance.choice([0x7F, 0x2FF, 0xFFFF, 0x10FFFF])
            yield "".join(chr(chance.randint(0, most)) for _ in range(chance.randint(1, 2000)))
        elif kind == 2:
            yield chance.choice([*PIECES, "字", "a", "[1] ", "(", "> "]) * chance.randint(1, 5000)
        else:
            yield damaged(chance, chance.choice(samples))


def damaged(chance: random.Random, text: str) -> str:
    """Cut a piece of real text out, and damage it here and there."""
    start = chance.randrange(len(text))
    piece = list(text[start : start + chance.randint(1, 20_000)])
    for _ in range(chance.randint(0, 40)):
        at = chance.randrange(len(piece))
        piece[at] = chance.choice(["", chance.choice(PIECES), piece[at] * 3, "\n", chr(chance.randint(0, 0xFFFF))])  # fmt: skip  # noqa: E501
    return "".join(piece)


def check_text(text: str, *, markdown: bool) -> None:
    """Raise Fault if a span, a sentence or a window is not what it says."""
    began = time.process_time()
    spans = split_sentences(text, markdown=markdown)
    took = time.process_time() - began
    if took > 0.5 + SLOW_SECONDS_A_MEGABYTE * len(text) / 1e6:
        raise Fault(f"{took:.1f} s for {len(text)} characters")
    ends = [0, *(span.end for span in spans)]
    if [span.start for span in spans] != ends[:-1] or ends[-1] != len(text):
        raise Fault("the spans do not tile the text")
    if any(span.start >= span.end for span in spans):
        raise Fault("an empty span")


def check_nodes(text: str, chance: random.Random, *, markdown: bool) -> None:
    """Raise Fault if a sentence or a window is not a slice of the text."""
    size = chance.randint(0, 4)
    for parsed in parse_sentences(
        Document("a", text, "A", "", markdown=markdown), window_size=size
    ):
        sentence = parsed.sentence
        if sentence.text != text[sentence.start : sentence.end]:
            raise Fault(f"sentence {sentence.index} is not its slice")
        if sentence.text not in parsed.window or parsed.window not in text:
            raise Fault(f"the window of sentence {sentence.index} is not its slice")


def check_citations(text: str, chance: random.Random) -> None:
    """Raise Fault if a citation is out of bounds, or if its pieces are not the text."""
    passages = chance.randint(0, 4)
    for citation in find_citations(text, passages):
        if not 1 <= citation.passage <= passages:
            raise Fault(f"citation {citation}")
    if "".join(segment.text for segment in split_citations(text, passages)) != text:
        raise Fault("the segments are not the text")


def damaged_bytes(chance: random.Random, data: bytes) -> bytes:
    """Change, cut or repeat some of the bytes of a file."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 30)):
        at = chance.randrange(len(changed) or 1)
        changed[at : at + chance.choice([0, 1, 1, 8, 200])] = chance.randbytes(chance.choice([0, 1, 1, 4]))  # fmt: skip  # noqa: E501
        if not changed:
            break
    return bytes(changed[: chance.randint(0, len(changed))] if chance.random() < 0.2 else changed)


def check_reader(name: str, data: bytes) -> None:
    """Raise Fault if a reader fails in another way than by saying why it cannot."""
    began = time.monotonic()
    try:
        content = read_content(name, data)
    except ValueError:
        pass
    else:
        if "\r" in content.text:
            raise Fault("a carriage return is left")
        if content.blocks and content.blocks[-1].end > len(content.text):
            raise Fault("a block reaches beyond the text")
    if time.monotonic() - began > 60:
        raise Fault("a reader took more than a minute")


def tried(check: Callable[[], None], what: str) -> bool:
    """Do a check; print what failed, whatever it was."""
    try:
        check()
    except Exception as error:  # noqa: BLE001  finding the unexpected is what this is for
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:200]}", flush=True)
        return False
    return True


def main() -> None:
    """Go on until there were enough characters, or the time is up."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--characters", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--documents", type=Path, default=Path(__file__).parents[1] / "docs")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    files = sorted(p for p in options.documents.rglob("*") if is_supported(p.name))
    samples = [text for p in files if (text := read_content(p.name, p.read_bytes()).text)]
    done = failed = number = read = 0
    end = time.monotonic() + options.seconds
    for text in texts(chance, samples):
        if done >= options.characters or time.monotonic() > end:
            break
        number, done = number + 1, done + len(text)
        what = f"text {number} of seed {options.seed}: {text[:60]!r}… of {len(text)}"
        markdown = bool(number % 2)
        cited = text[:3000] + chance.choice(CITATIONS) + text[3000:6000]
        failed += not tried(lambda: check_text(text, markdown=markdown), what)  # noqa: B023
        failed += not tried(lambda: check_citations(cited, chance), what)  # noqa: B023
        if number % 4 == 0:
            failed += not tried(lambda: check_nodes(text, chance, markdown=markdown), what)  # noqa: B023
            path = chance.choice(files)
            data = damaged_bytes(chance, path.read_bytes())
            what = f"file {read} of seed {options.seed}, from {path.name}"
            failed += not tried(lambda: check_reader(path.name, data), what)  # noqa: B023
            read += 1
    print(f"{done:,} characters in {number:,} texts, {read:,} damaged files: {failed} failed")
    sys.exit(int(failed > 0))


if __name__ == "__main__":
    main()
