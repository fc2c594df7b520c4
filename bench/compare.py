"""Compare whole pipelines on one folder, each step in a process of its own.

    pip install -e '.[bench]'
    python bench/compare.py [SET …] [--sentences 10000] [--rounds 3]
        [--json FILE] [--chart FILE] [--results FILE]

The folder is generated; vectors are stand-ins of 384 dimensions, so that no figure holds time of an
embedding model. Printed, the median of the rounds, the pipelines by turns:

* build: from the folder to what is kept on disk, imports aside (s); its peak of memory (MB);
* disk: what is kept (MB);
* cold start: from the start of a process to the first question's passages, imports included (s);
* reopen: opening what is kept, imports aside (ms);
* query, filtered query: a question's passages, without and with one document asked for (ms);
* memory: of the process after 100 questions (MB).

With SETs, folders as ``evaluation_sets.py`` reads them, also how often the passages hold the answer
at equal characters, by ``quality.py``. ``--results`` writes a Markdown page, with the reason beside
each row in which ours is behind, and ``--chart`` a picture of the times and sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.compare_chart import chart, spelled
from bench.pipelines import PIPELINES, texts

FIGURES = {
    "build_s": "build, s", "build_mb": "build, MB", "disk_mb": "disk, MB",
    "cold_s": "cold start, s", "open_ms": "reopen, ms", "query_ms": "query, ms",
    "filtered_ms": "filtered, ms", "memory_mb": "memory, MB",
}  # fmt: skip
PACKAGES = (
    "qdrant-edge-py", "qdrant-client", "langchain-qdrant", "llama-index-core", "haystack-ai",
    "langchain-community", "faiss-cpu",
)  # fmt: skip
QUESTIONS = 100
HITS = (
    "of ours, cut to as many characters as the pipeline sends : of the pipeline; the difference in "
    "points, with its 95 % interval:"
)
WHY = {
    "build_s": "It cuts text every 512 characters: a fifth as many pieces as there are sentences, "
    "without windows, keywords or an index, and it does all of it again when one file changes.",
    "disk_mb": "A fifth as many vectors; ours keeps each sentence with its window and keywords.",
    "open_ms": "It reads one array and a pickle, which runs what is in it; ours loads an engine.",
    "query_ms": "It compares a fifth as many vectors, in memory, by one leg; ours searches dense "
    "and keyword, joins them and puts windows together. To embed a question takes 20 ms and more.",
    "memory_mb": "As for disk; ours also holds the engine, and what it has read.",
}
"""Of each figure in which ours has been behind the chunks in FAISS: why."""


def build(name: str, docs: Path, kept: Path) -> dict[str, float]:
    """Build once to have everything imported, and once to measure."""
    warm = kept.with_name("warm")
    small = kept.with_name("small")
    small.mkdir()
    (small / "a.md").write_text("# A\n\nOne sentence. Another one.\n", "utf-8")
    PIPELINES[name]().build(small, warm)
    began = time.perf_counter()
    PIPELINES[name]().build(docs, kept)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return {"build_s": seconds, "build_mb": peak}


def ask(name: str, docs: Path, kept: Path) -> dict[str, float]:
    """Open and ask."""
    pipeline = PIPELINES[name]()
    pipeline.open(kept)
    assert pipeline.ask("How do I clean the kettle?")
    cold = time.time() - float(os.environ["STARTED"])
    began = time.perf_counter()
    pipeline = PIPELINES[name]() if name != "tutorial" else pipeline  # it locks its folder
    if name != "tutorial":
        pipeline.open(kept)
    opening = (time.perf_counter() - began) * 1000
    sources = [path for path, _ in texts(docs)]
    plain, filtered = [], []
    for number in range(QUESTIONS):
        question, source = f"How do I clean filter {number}?", sources[number % len(sources)]
        began = time.perf_counter()
        assert pipeline.ask(question)
        plain.append(time.perf_counter() - began)
        began = time.perf_counter()
        assert pipeline.ask(question, source)
        filtered.append(time.perf_counter() - began)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    figures = {
        "cold_s": cold, "query_ms": statistics.median(plain) * 1000,
        "filtered_ms": statistics.median(filtered) * 1000,
        "memory_mb": pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
    }  # fmt: skip
    return figures if name == "tutorial" else {**figures, "open_ms": opening}


def apart(step: str, name: str, docs: Path, kept: Path) -> dict[str, float]:
    """Do a step in a process of its own."""
    command = [sys.executable, __file__, "--step", step, name, str(docs), str(kept)]
    environ = {**os.environ, "STARTED": str(time.time())}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environ, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def tutorial_opening(kept: Path) -> float:
    """Milliseconds to open qdrant-client's local mode, in this process."""
    pipeline = PIPELINES["tutorial"]()
    began = time.perf_counter()
    pipeline.open(kept)
    return (time.perf_counter() - began) * 1000


def measured(docs: Path, folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Return the figures of each pipeline: medians over the rounds."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in PIPELINES}
    for number in range(rounds):
        for place, name in enumerate(PIPELINES):
            own = folder / f"{number}-{place}"
            own.mkdir()
            kept = own / "kept"
            figures = apart("build", name, docs, kept)
            files = [path for path in kept.rglob("*") if path.is_file()]
            figures["disk_mb"] = sum(path.stat().st_blocks * 512 for path in files) / 1e6
            figures |= apart("ask", name, docs, kept)
            if name == "tutorial":
                figures["open_ms"] = tutorial_opening(kept)
            found[name].append(figures)
            print(f"round {number + 1}: {name}", file=sys.stderr, flush=True)
    return {
        name: {figure: statistics.median(f[figure] for f in all_) for figure in FIGURES}
        for name, all_ in found.items()
    }


def table(figures: dict[str, dict[str, float]]) -> str:
    """Write the figures as a Markdown table, the least in bold, and why ours is not where it is
    not.
    """
    lines = [f"| | {' | '.join(figures)} |", "|---" * (len(figures) + 1) + "|"]
    behind = []
    for figure, label in FIGURES.items():
        values = {name: each[figure] for name, each in figures.items()}
        best = min(values.values())
        cells = [f"**{spelled(v)}**" if v == best else spelled(v) for v in values.values()]
        lines.append(f"| {label} | {' | '.join(cells)} |")
        ahead = [name for name, value in values.items() if value < values["ours"]]
        if ahead:
            behind.append(f"- {label}: behind {', '.join(ahead)}. {WHY.get(figure, '')}")
    return "\n".join([*lines, "", *behind])


def hits(folders: Sequence[Path]) -> str:
    """Ask the questions of the sets, and write the hits at equal characters as a table."""
    from quality import measure

    with redirect_stdout(sys.stderr):
        results = [measure(folder, 300, 3000) for folder in folders]
    lines = [f"| | {' | '.join(result.name for result in results)} |"]
    lines.append("|---" * (len(results) + 1) + "|")
    behind = []
    for name in results[0].others:
        cells = []
        for result in results:
            mean, low, high = result.difference(name)
            mine, theirs = (
                100 * statistics.fmean(c[name].hits) for c in (result.cut, result.others)
            )
            cells.append(f"{mine:.1f} : {theirs:.1f}, {mean:+.1f} ({low:+.1f} to {high:+.1f})")
            if mean < 0:
                behind.append(
                    f"- {result.name}: behind {name}, {'within' if high >= 0 else 'beyond'} the "
                    f"interval. It sends {result.others[name].mean_characters:,.0f} characters a "
                    f"question, whole paragraphs, lists and tables; ours, uncut, "
                    f"{result.ours.mean_characters:,.0f}."
                )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *behind])


def machine() -> str:
    """Say what it was measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.machine()
    names = []
    for package in PACKAGES:
        try:
            names.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    where = f"{os.cpu_count()} cores of {model}, Python {platform.python_version()}"
    return f"{where}; {', '.join(names)}"


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--chart", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--step", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step, name, docs, kept = options.step
        done = (build if step == "build" else ask)(name, Path(docs), Path(kept))
        print(json.dumps(done))
        return
    from bench.build import write_documents

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_documents(folder / "docs", options.sentences)
        figures = measured(folder / "docs", folder, options.rounds)
    what = f"{options.sentences:,} sentences in 50 files, median of {options.rounds} rounds"
    shown = f"{what}.\n\n{table(figures)}\n"
    if options.sets:
        shown += f"\nPassages that hold the answer, in %, {HITS}\n\n{hits(options.sets)}\n"
    shown += f"\n{machine()}."
    print(shown)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    if options.chart:
        panels = {
            label: {name: each[figure] for name, each in figures.items()}
            for figure, label in FIGURES.items()
        }
        options.chart.write_text(chart(panels, f"{what}; shorter is better"), "utf-8")
    if options.results:
        picture = f"![The same as a chart]({options.chart.name})\n\n" if options.chart else ""
        page = f"# Beside other pipelines\n\n`{command(options)}`: {shown[:1].lower()}{shown[1:]}\n"
        options.results.write_text(page.replace("\n\n|", f"\n\n{picture}|", 1), "utf-8")


def command(options: argparse.Namespace) -> str:
    """Return the command that makes the page again."""
    sets = "".join(f" {folder.name}" for folder in options.sets)
    return (
        f"python bench/compare.py{sets} --sentences {options.sentences} --rounds {options.rounds}"
    )


if __name__ == "__main__":
    main()
