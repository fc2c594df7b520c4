"""Split and parse one large text; print megabytes a second, sentences a second and peak memory.

    python bench/large_text.py [MEGABYTES] [--markdown] [--parse] [--text FILE]

The text is FILE (or a few sentences of ours) again and again, in paragraphs of ten kilobytes.
``--parse`` also makes the sentences that are stored, through llama-index's nodes.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.sentences import split_sentences
from rag.types import Document

SAMPLE = (
    "Fill the kettle with fresh water, e.g. from the tap. It holds 1.7 litres and draws 2.2 kW."
    " Before first use, boil it twice and pour the water out. If E07 is shown (see Fig. 3), the"
    " filter is missing. Dr. Lee wrote in 2019: “Scale is harmless.”"
    " 首次使用前请清洗水壶。煮沸后倒掉。 "
)


def peak_megabytes() -> float:
    """The most memory this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print one line for each step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("megabytes", type=float, nargs="?", default=50)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--parse", action="store_true")
    parser.add_argument("--text", type=Path)
    options = parser.parse_args()
    sample = options.text.read_text(encoding="utf-8") if options.text else SAMPLE
    paragraph = sample * max(1, 10_000 // len(sample.encode())) + "\n\n"
    text = paragraph * max(1, int(options.megabytes * 1e6 / len(paragraph.encode())))
    size = len(text.encode()) / 1e6
    print(f"text     {size:8.1f} MB                   peak {peak_megabytes():6.0f} MB")
    begun, cpu = time.perf_counter(), time.process_time()
    spans = split_sentences(text, markdown=options.markdown)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    print(
        f"split    {len(spans):8} spans {size / seconds:6.1f} MB/s peak {peak_megabytes():6.0f} MB"
        f" (CPU {size / cpu:.1f} MB/s)"
    )
    del spans
    if options.parse:
        from rag.nodes import parse_sentences

        parse_sentences(Document("a.txt", "One.", "A", ""), window_size=2)  # imports aside
        document = Document("a.txt", text, "Kettle", "", markdown=options.markdown)
        begun, cpu = time.perf_counter(), time.process_time()
        parsed = parse_sentences(document, window_size=2)
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
        print(
            f"parse {len(parsed):11} sentences {len(parsed) / seconds:6.0f}/s peak"
            f" {peak_megabytes():6.0f} MB (CPU {len(parsed) / cpu:.0f}/s)"
        )


if __name__ == "__main__":
    main()
