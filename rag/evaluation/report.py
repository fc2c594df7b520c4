"""Scores of many questions → the figures of a set, as JSON and as a table. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Literal, TypedDict

from rag.evaluation.scores import DEPTHS, Score

_GROUPS = {
    "answerable": ("answerable",),
    "unanswerable": ("absent", "unanswered", "unanswerable"),
    "off_topic": ("absent",),
    "not_found": ("unanswered",),
}
"""Whose refusals are counted together."""


class Refused(TypedDict):
    """Refusals among ``questions``; ``share`` is None without any."""

    questions: int
    share: float | None


class Latency(TypedDict):
    """Milliseconds: half of the questions took at most ``p50``, 95 of a hundred at most ``p95``."""

    p50: float
    p95: float


class Report(TypedDict):
    """The figures of a set. Shares are 0 to 1; None where there is no question to take them of.

    ``sentence`` and ``window`` have ``hit@1``, ``hit@3``, ``hit@5``, ``sentence`` also ``mrr@10``.
    ``coverage`` is the share of the answers' characters in what is sent, ``characters`` the mean
    length of that, ``coverage_per_1000_characters`` their quotient. All these are of answerable
    questions; ``latency_ms`` is of all.
    """

    questions: int
    answerable: int
    sentence: dict[str, float | None]
    window: dict[str, float | None]
    coverage: float | None
    characters: float | None
    coverage_per_1000_characters: float | None
    refused: dict[str, Refused]
    latency_ms: dict[str, Latency]


def summarise(scores: Sequence[Score]) -> Report:
    """Return the figures of ``scores``."""
    asked = [score for score in scores if score.group == "answerable"]

    def mean(value: Callable[[Score], float]) -> float | None:
        return statistics.fmean(map(value, asked)) if asked else None

    covered, characters = mean(lambda s: s.coverage), mean(lambda s: s.characters)
    per_thousand = covered / characters * 1000 if covered is not None and characters else None
    return {
        "questions": len(scores),
        "answerable": len(asked),
        "sentence": {
            **{f"hit@{k}": mean(_within("sentence_rank", k)) for k in DEPTHS},
            "mrr@10": mean(lambda s: 1 / s.sentence_rank if s.sentence_rank else 0.0),
        },
        "window": {f"hit@{k}": mean(_within("window_depth", k)) for k in DEPTHS},
        "coverage": covered,
        "characters": characters,
        "coverage_per_1000_characters": per_thousand,
        "refused": {name: _refused(scores, groups) for name, groups in _GROUPS.items()},
        "latency_ms": {
            "embed": _latency([s.embed_ms for s in scores]),
            "search": _latency([s.search_ms for s in scores]),
            "total": _latency([s.total_ms for s in scores]),
        },
    }


def report_text(report: Report) -> str:
    """Write a report as a table for the terminal."""
    asked, rest = report["answerable"], report["questions"] - report["answerable"]
    lines = [f"{asked} questions with an answer, {rest} without"]
    if asked:
        lines += _found_lines(report)
    lines += ["", "refused, %"]
    for name, words in (
        ("answerable", "with an answer"),
        ("off_topic", "on documents that the collection does not hold"),
        ("not_found", "that their document does not answer"),
        ("unanswerable", "without an answer, all of them"),
    ):
        refused = report["refused"][name]
        if refused["questions"]:
            share = _percent(refused["share"])
            lines.append(f"{'':16}{share:>8}  of {refused['questions']} {words}")
    lines += ["", f"{'milliseconds':16}{'p50':>8}{'p95':>8}"]
    for name, took in report["latency_ms"].items():
        lines.append(f"  {name:14}{took['p50']:8.1f}{took['p95']:8.1f}")
    return "\n".join(lines)


def _found_lines(report: Report) -> list[str]:
    # The interval of a share is widest at 50 %.
    sure = f"shares of the first are sure to ±{196 * math.sqrt(0.25 / report['answerable']):.0f}"
    lines = [f"{sure} points at most", ""]
    lines.append(f"{'found, %':16}" + "".join(f"{f'@{k}':>8}" for k in DEPTHS) + "  MRR@10")
    for name, found in (("sentence", report["sentence"]), ("window", report["window"])):
        cells = "".join(f"{_percent(found[f'hit@{k}']):>8}" for k in DEPTHS)
        rank = found.get("mrr@10")
        lines.append(f"  {name:14}{cells}" + (f"{rank:8.3f}" if rank is not None else ""))
    covered = _percent(report["coverage"])
    per_thousand = _percent(report["coverage_per_1000_characters"])
    lines += ["", f"{'sent':16}{report['characters']:8,.0f} characters a question"]
    lines.append(f"{'':16}{covered:>8} % of the answers, {per_thousand} % per 1,000 characters")
    return lines


def _within(field: Literal["sentence_rank", "window_depth"], k: int) -> Callable[[Score], float]:
    """Return 1 for a score whose rank is ``k`` or better, 0 for another."""

    def within(score: Score) -> float:
        rank: int | None = getattr(score, field)
        return float(rank is not None and rank <= k)

    return within


def _refused(scores: Sequence[Score], groups: Sequence[str]) -> Refused:
    among = [score.refusal is not None for score in scores if score.group in groups]
    return {"questions": len(among), "share": statistics.fmean(among) if among else None}


def _latency(values: Sequence[float]) -> Latency:
    """Take percentiles by the nearest rank: each is the time of a question."""
    ordered = sorted(values) or [0.0]

    def at(share: float) -> float:
        return round(ordered[math.ceil(share * len(ordered)) - 1], 3)

    return {"p50": at(0.5), "p95": at(0.95)}


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"
