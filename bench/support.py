"""Print how well the support check tells altered claims from faithful ones, by language.

    python bench/support.py SET_FOLDER [SET_FOLDER …] [--misses N] [--words-only] [--most 150]
        [--seed 11]

SET_FOLDERs are question sets (see evaluation_sets.py) named ``<name>-<language>``; the claims are
made by support_cases.py. Caught: the share of altered claims that are "not found in the passages".
False alarms: the same share of faithful ones. ``--words-only`` leaves the embeddings out, as with
an endpoint's; what is left open is then "not checked". Milliseconds are those of one sentence that
is all of an answer: the mean, the median and the 95th of 100; ``--misses`` prints that many wrong
verdicts of each kind. The rules were written with the claims of seed 11 in view; those of another
``--seed`` say how they do on claims that nobody looked at.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support_cases import ALTERED, FAITHFUL, Case, make_cases

from rag.embeddings import BundledEmbeddings
from rag.support.checking import check_support
from rag.support.verdict import Support
from rag.types import Answer

BARS = {"number": 0.95, "unit": 0.95, "negation": 0.80, "name": 0.80}


def verdict(case: Case, embeddings: BundledEmbeddings | None) -> Support:
    """Return the verdict on the claim as the only sentence of an answer.

    A claim that the splitter takes for several sentences counts as not found when one of them is.
    """
    answer = Answer("", "", case.claim, case.windows)
    found = check_support(answer, embeddings)
    bad = [support for support in found if support.verdict == "not found in the passages"]
    return (bad or list(found) or [Support(0, 0, "not checked")])[0]


def main() -> None:
    """Read the command line, check all claims and print a table for each language."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--most", type=int, default=150, help="claims of a kind and set")
    parser.add_argument("--seed", type=int, default=11, help="of the draw of claims")
    parser.add_argument("--words-only", action="store_true")
    options = parser.parse_args()
    embeddings = None if options.words_only else BundledEmbeddings()
    if embeddings:
        list(embeddings.embed_passages(["load the model"]))
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    wrong: dict[tuple[str, str], list[str]] = defaultdict(list)
    times: dict[str, list[float]] = defaultdict(list)
    for folder in options.folders:
        for case in make_cases(folder, options.most, options.seed):
            began = time.perf_counter()
            support = verdict(case, embeddings)
            times[case.language].append((time.perf_counter() - began) * 1000)
            key = case.language, case.kind
            found = support.verdict == "not found in the passages"
            for i, counted in enumerate((True, found, support.verdict == "not checked")):
                counts[key][i] += counted
            if found == (case.kind in FAITHFUL):
                why = f"{support.verdict} {support.reason} {support.said!r}/{support.found!r}"
                wrong[key].append(f"    {case.claim}\n      from: {case.before}\n      {why}")
    for language, spent in times.items():
        report(language, counts, spent)
        for kind in (*FAITHFUL, *ALTERED):
            for line in wrong[language, kind][: options.misses]:
                print(f"  {kind}\n{line}")


def report(language: str, counts: dict[tuple[str, str], list[int]], spent: list[float]) -> None:
    """Print the table of a language."""
    total = sum(counts[language, kind][0] for kind in (*FAITHFUL, *ALTERED))
    print(f"{language}: {total} claims")
    for kind in (*FAITHFUL, *ALTERED):
        claims, found, unchecked = counts[language, kind]
        if not claims:
            continue
        bar = f"  bar {BARS[kind]:.0%}" if kind in BARS else ""
        word = "false alarms" if kind in FAITHFUL else "caught"
        print(
            f"  {kind:9} {claims:5}  {word} {found / claims:6.1%}"
            f"  not checked {unchecked / claims:6.1%}{bar}"
        )
    for name, kinds, bar in (
        ("faithful", FAITHFUL, "≤ 5%"),
        ("number+unit", ("number", "unit"), "≥ 95%"),
    ):
        claims = sum(counts[language, kind][0] for kind in kinds)
        found = sum(counts[language, kind][1] for kind in kinds)
        if claims:
            print(f"  {name:12} {found / claims:6.1%}  bar {bar}")
    print(
        f"  ms a sentence: mean {statistics.mean(spent):.1f},"
        f" median {statistics.median(spent):.1f},"
        f" 95th of 100 {statistics.quantiles(spent, n=20)[-1]:.1f}"
    )


if __name__ == "__main__":
    main()
