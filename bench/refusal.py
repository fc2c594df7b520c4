"""Fit the weights by which questions are refused, and print what they do.

    python bench/refusal.py SET [SET …] [--counted SET …] [--sentences 2000]

SET is a folder as ``evaluation_sets.py`` reads it. Questions are asked of the whole set and of
parts of it, of some 50 and 500 sentences: where their document is among what is searched, and
where it is not (on documents that the set names as absent, on their own document left out, and of
another part). Signals are the product's own, from its own search.

For each mode it prints the weights fitted on everything, then the per cent refused: with the
weights of ``rag/ranking/refusal.py`` as they are, and on held-apart halves of the documents,
weights and threshold made on one half and counted on the other, both ways. "gap" are questions
whose document is there and does not answer them. Of the sets after ``--counted`` neither weights
nor threshold are made.
"""

from __future__ import annotations

import argparse
import random
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, Question, absent_questions, read_set
from retrieval import collection, of_set

from rag.ranking.fusion import rank_hits
from rag.ranking.refusal import SURE, Signals, answerable, refusal
from rag.ranking.refuser import Refuser
from rag.retrieval import Retrieved, find_hits
from rag.stores.base import Legs, Store
from rag.types import Condition, Mode

Numbers = npt.NDArray[np.float64]
Kind = Literal["answerable", "gap", "absent", "left out"]
KINDS: tuple[Kind, ...] = ("answerable", "gap", "absent", "left out")
REFUSED = 0.024
"""Share of the answerable questions refused, on the whole set where it is most, with 0.5."""
PARTS = (50, 500)
MOST = 200
"""Questions of a kind that are asked of the parts of one size."""
FITTED: dict[str, tuple[Mode, tuple[str, ...]]] = {
    "HYBRID": ("hybrid", ("lead", "level", "size", "coverage")),
    "DENSE": ("dense", ("lead", "level", "size")),
    "KEYWORD": ("keyword", ("size", "coverage", "keyword")),
}


@dataclass(frozen=True)
class Asked:
    """A question, what it is to the collection it was asked of, and what was seen in each mode."""

    group: str
    kind: Kind
    source: str
    signals: dict[Mode, Signals]


def ask(
    store: Store,
    embeddings: CachedEmbeddings,
    refuser: Refuser,
    question: Question,
    where: Sequence[Condition] = (),
) -> dict[Mode, Signals]:
    """Return what a search sees in each mode."""
    hybrid = find_hits(
        store, embeddings, question.text, mode="hybrid", top_k=6, candidates=60, where=where
    )
    seen: dict[Mode, Signals] = {"hybrid": refuser.signals(store, hybrid, "hybrid", filtered=False)}
    alone: dict[Mode, Retrieved] = {
        "dense": replace(hybrid, legs=Legs(dense=hybrid.legs.dense)),
        "keyword": replace(hybrid, legs=Legs(keyword=hybrid.legs.keyword), vector=None),
    }
    for mode, found in alone.items():
        hits = tuple(rank_hits(found.legs, mode)[:6])
        if hits:
            seen[mode] = refuser.signals(store, replace(found, hits=hits), mode, filtered=False)
    return seen


def ask_set(folder: Path, sentences: int) -> Iterator[Asked]:
    """Ask the questions of a set of so many sentences, of all of it and of its parts."""
    questions = read_set(folder, sentences)
    embeddings = CachedEmbeddings(questions.name)
    everything = of_set(questions, embeddings, lambda parsed: parsed.embedded_text)
    absent = absent_questions(folder)
    embeddings.queries([q.text for q in (*questions.questions, *absent)])
    name, refuser = questions.name, Refuser(0.5, calibrated=True)
    with collection(everything, embeddings) as store:
        for question in questions.questions:
            kind: Kind = "answerable" if question.answerable else "gap"
            seen = ask(store, embeddings, refuser, question)
            yield Asked(name, kind, question.source, seen)
            where = [Condition("source", "!=", question.source)]
            seen = ask(store, embeddings, refuser, question, where)
            yield Asked(name, "left out", question.source, seen)
        for question in absent:
            seen = ask(store, embeddings, refuser, question)
            yield Asked(name, "absent", question.source, seen)
    for size in PARTS:
        random.Random(3).shuffle(everything)
        ends = np.cumsum([len(each[1]) for each in everything]) // size
        parts = [
            [each for each, end in zip(everything, ends, strict=True) if end == part]
            for part in sorted(set(ends.tolist()))
        ]
        for place, part in enumerate(parts):
            sources = {each[0].path for each in part}
            own = [q for q in questions.questions if q.source in sources]
            others = [q for q in questions.questions if q.source not in sources]
            some = max(1, MOST // len(parts))
            random.Random(place).shuffle(others)
            refuser = Refuser(0.5, calibrated=True)
            with collection(part, embeddings) as store:
                for question in (*own[:some], *others[:some]):
                    seen = ask(store, embeddings, refuser, question)
                    here: Kind = "answerable" if question.answerable else "gap"
                    kind = here if question.source in sources else "left out"
                    yield Asked(f"{name}, {size}", kind, question.source, seen)


def table(asked: Sequence[Asked], mode: Mode, names: Sequence[str]) -> Numbers:
    """Return the numbers that the weights are for, a row a question."""

    def row(signals: Signals | None) -> list[float]:
        if signals is None:  # nothing was found
            return [0.0 for _ in names]
        level = signals.level or 0.0
        value = {
            "lead": (signals.nearest or 0.0) - level,
            "level": level,
            "size": float(np.log(signals.size)),
            "coverage": 1.0 if signals.complete else signals.coverage or 0.0,
            "keyword": signals.keyword or 0.0,
        }
        return [value[name] for name in names]

    return np.array([row(each.signals.get(mode)) for each in asked])


def fit(asked: Sequence[Asked], numbers: Numbers) -> Numbers:
    """Return the weights and the bias of a logistic regression, by Newton's method.

    Each group and side counts the same, however many its questions. Gaps are not looked at.
    """
    sides = [(each.group, each.kind == "answerable") for each in asked]
    used = np.array([each.kind != "gap" for each in asked])
    share = {side: sides.count(side) for side in set(sides)}
    weight = np.array([1 / share[side] for side in sides]) * used
    weight *= used.sum() / weight.sum()
    right = np.array([side[1] for side in sides], dtype=float)
    mean, deviation = numbers[used].mean(0), numbers[used].std(0)
    scaled = np.hstack([(numbers - mean) / deviation, np.ones((len(numbers), 1))])
    found = np.zeros(scaled.shape[1])
    ridge = np.array([1e-3] * len(mean) + [1e-9])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weight * (likely - right)) + ridge * found
        curve = (scaled.T * (weight * likely * (1 - likely))) @ scaled + np.diag(ridge)
        found -= np.linalg.solve(curve, slope)
    weights = found[:-1] / deviation
    return np.append(weights, found[-1] - weights @ mean)


def threshold(asked: Sequence[Asked], scores: Numbers) -> float:
    """Return the score that refuses :data:`REFUSED` of a whole set's answerable questions."""
    groups = {a.group for a in asked if a.kind == "answerable" and "," not in a.group}
    return min(
        float(np.quantile([s for s, a in zip(scores, asked, strict=True)
                           if a.group == group and a.kind == "answerable"], REFUSED))
        for group in groups
    )  # fmt: skip


def _fit(
    asked: Sequence[Asked], numbers: Numbers, used: npt.NDArray[np.bool_]
) -> tuple[Numbers, float]:
    """Return weights and threshold made of the questions that are ``used``."""
    some = [each for each, one in zip(asked, used, strict=True) if one]
    weights = fit(some, numbers[used])
    return weights, threshold(some, numbers[used] @ weights[:-1] + weights[-1])


def report(title: str, asked: Sequence[Asked], refused: Sequence[bool]) -> None:
    """Print the per cent refused of each group and kind."""
    print(f"    {title}")
    for group in dict.fromkeys(each.group for each in asked):
        cells = []
        for kind in KINDS:
            these = [
                r for r, a in zip(refused, asked, strict=True) if (a.group, a.kind) == (group, kind)
            ]
            if these:
                cells.append(f"{kind} {100 * np.mean(these):5.1f} of {len(these)}")
        print(f"      {group:20} {' · '.join(cells)}", flush=True)


def report_mode(asked: Sequence[Asked], name: str, counted: Sequence[str]) -> None:
    """Fit the weights of a mode, print them and what they do; ``counted`` are only counted."""
    mode, names = FITTED[name]
    numbers = table(asked, mode, names)
    fitted = np.array([each.group.partition(",")[0] not in counted for each in asked])
    weights, least = _fit(asked, numbers, fitted)
    bias = weights[-1] - least
    pairs = [f"{n}={w:.2f}" for n, w in zip(names, weights[:-1], strict=True)]
    print(f"\n{name} = Weights({', '.join(pairs)}, bias={bias:.2f})")
    known = [each.signals.get(mode, Signals(0)) for each in asked]
    product = [refusal(signals, 0.5) for signals in known]
    report("refused by the product", asked, [each is not None for each in product])
    report("as off-topic", asked, [each == "off-topic" for each in product])
    apart = np.zeros(len(asked), dtype=bool)
    half = np.array([zlib.crc32(each.source.encode()) % 2 for each in asked])
    for side in (0, 1):
        weights, least = _fit(asked, numbers, fitted & (half == side))
        scores = numbers @ weights[:-1] + weights[-1]
        apart[half != side] = (scores < least)[half != side]
    apart &= [s.size == 0 or answerable(s) is not None for s in known]
    report("refused, on held-apart halves", asked, apart.tolist())


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--counted", nargs="+", type=Path, default=[], metavar="SET")
    parser.add_argument("--sentences", type=int, default=2000, help="of a large set")
    arguments = parser.parse_args()
    folders = [*arguments.sets, *arguments.counted]
    asked = [each for folder in folders for each in ask_set(folder, arguments.sentences)]
    print(f"{len(asked)} questions; off-topic is below {SURE} of the threshold, 0.5")
    for name in FITTED:
        report_mode(asked, name, [folder.name for folder in arguments.counted])


if __name__ == "__main__":
    main()
