"""Read files of each format; build a thousand; read what was made to do harm. Prints a table.

    python bench/readers.py [--build] [--harm] [FILE …]

Without options each format's sample is read again and again: milliseconds a file, the first one
apart, and characters a second. With FILEs, those once each. ``--build`` builds a folder of 1,000
files and prints what a file costs beside reading, splitting and embedding. ``--harm`` reads bombs,
loops and damage: seconds to the answer, and this process's and the reading process's peak memory.
"""

from __future__ import annotations

import argparse
import io
import resource
import sys
import tempfile
import time
import zipfile
import zlib
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.documents import find_files, read_document
from rag.readers import read_content

ROOT = Path(__file__).parents[1]

SAMPLES = (
    "tests/data/steam-mop-m3.en.pdf", "tests/data/steam-mop-m3.zh.pdf",
    "tests/data/steam-mop-m3.en.docx", "docs/formats/workshop-visit.html",
    "docs/formats/pickup-lockers.csv", "docs/formats/newsletter-2024-05.md",
)  # fmt: skip


def read_samples(names: list[str]) -> None:
    """Read each sample a hundred times, or each named file once."""
    print(f"{'file':40} {'bytes':>10} {'first ms':>9} {'ms':>8} {'characters/s':>13}")
    for name in names or SAMPLES:
        data, times = (ROOT / name).read_bytes(), []
        for _ in range(1 if names else 100):
            began = time.perf_counter()
            content = read_content(name, data)
            times.append(time.perf_counter() - began)
        usual = sorted(times)[len(times) // 2]
        speed = len(content.text) / usual
        print(f"{name:40} {len(data):10,} {times[0] * 1e3:9.1f} {usual * 1e3:8.2f} {speed:13,.0f}")


def build_many(count: int = 1000) -> None:
    """Build a folder of small Markdown and HTML files, each of one sentence."""
    from rag.build import build
    from rag.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder, "docs")
        docs.mkdir()
        for n in range(count):
            text = f"Part {n} of the kettle costs {n} yuan."
            if n % 2:
                (docs / f"{n:04}.md").write_text(f"---\nnumber: {n}\n---\n# Part {n}\n\n{text}\n")
            else:
                (docs / f"{n:04}.html").write_text(f"<title>Part {n}</title><p>{text}</p>")
        began = time.perf_counter()
        files = find_files(docs).files
        found = time.perf_counter() - began
        for file in files:
            read_document(file)
        read = time.perf_counter() - began - found
        print(f"find {found / count * 1e3:.3f} ms a file, read {read / count * 1e3:.3f} ms a file")
        settings = Settings(docs=docs, qdrant_path=Path(folder, "store"))
        for what in ("first build", "nothing changed"):
            seconds = build(settings).seconds
            beside = seconds.total - seconds.read - seconds.split - seconds.embed
            print(
                f"{what:16} {seconds.total:7.2f} s: read {seconds.read:.2f}, split "
                f"{seconds.split:.2f}, embed {seconds.embed:.2f}; beside them "
                f"{beside / count * 1e3:.2f} ms a file"
            )


def packed_pdf(part: bytes, times: int) -> bytes:
    """A PDF page whose text is ``part`` again and again, packed."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(part * 1000) for _ in range(times // 1000)) + packer.flush()
    page = (
        "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>"
        "endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>endobj "
        f"4 0 obj<</Filter/FlateDecode/Length {len(packed)}>>stream\n"
    )
    return f"%PDF-1.4\n{page}".encode() + packed + b"\nendstream endobj trailer<</Root 1 0 R>>\n"


def docx(part: bytes, times: int) -> bytes:
    """A Word document whose XML is ``part`` again and again, packed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w") as document:
            for _ in range(max(1, times // 1000)):
                document.write(part * min(times, 1000))
    return buffer.getvalue()


def harm() -> dict[str, bytes]:
    """Files made to do harm, by name."""
    entities = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdefghij"))
    sample = (ROOT / SAMPLES[0]).read_bytes()
    return {
        "text bomb.pdf": packed_pdf(b"BT /F1 12 Tf (hello) Tj ET ", 30_000_000),
        "blank bomb.pdf": packed_pdf(b" ", 900_000_000),
        "cut.pdf": sample[: len(sample) // 2],
        "zip bomb.docx": docx(b" ", 900_000_000),
        "entities.docx": docx(
            f'<!DOCTYPE d [<!ENTITY a "{"x" * 999}">{entities}]><d>&j;</d>'.encode(), 1
        ),
        "deep.docx": docx(b"<a>", 500_000),
        "deep.html": b"<div>" * 10_000 + b"text",
        "very deep.html": b"<div>" * 1_000_000 + b"text",
        "formatting.html": b"".join(b"<b a=%d><p>" % n for n in range(20_000)) + b"text",
        "quotes.csv": b'a,b\n"' + b'x","\n' * 1_000_000,
        "aliases.md": b"---\na: &a [x]\nb: &b [*a,*a]\n---\ntext",
    }


def read_harm() -> None:
    """Read what was made to do harm."""
    for name, data in harm().items():
        began = time.perf_counter()
        try:
            answer = f"{len(read_content(name, data).text):,} characters"
        except ValueError as error:
            answer = str(error)
        print(f"{name:16} {len(data):10,} bytes {time.perf_counter() - began:6.2f} s  {answer}")
    for what, who in (("here", resource.RUSAGE_SELF), ("reading", resource.RUSAGE_CHILDREN)):
        print(f"peak memory {what}: {resource.getrusage(who).ru_maxrss // 1024} MB")


def main() -> None:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--harm", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if options.build:
        build_many()
    if options.harm:
        read_harm()
    if options.files or not (options.build or options.harm):
        read_samples([str(Path(name).resolve()) for name in options.files])


if __name__ == "__main__":
    main()
