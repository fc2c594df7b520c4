"""A report → a chart, as SVG. Pure.

Three panels beside each other: what was found, what was refused, how long it took. Written by hand:
every browser shows it, it can be read in a diff, and no drawing library is needed for three panels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from rag.evaluation.report import Report
from rag.evaluation.scores import DEPTHS, Score

WIDTH, HEIGHT = 1020, 340
_PANEL, _GAP, _LEFT, _TOP, _FLOOR = 292, 36, 36, 108, 284
"""Width of a panel, between two, left edge of the first, top and floor of what is drawn in them."""
_TITLE = 116
"""Characters of the title that fit."""
_INK, _SOFT, _LINE = "#1f2933", "#616e7c", "#e4e7eb"
_SENTENCE, _WINDOW, _WRONG, _RIGHT = "#9fc5e8", "#1f6fb2", "#d64545", "#2f9e6e"
_STYLE = (
    "text{font-family:system-ui,'Segoe UI',Helvetica,Arial,'Noto Sans CJK SC',sans-serif;"
    f"font-size:12px;fill:{_INK}}}.t{{font-size:15px;font-weight:600}}.s{{fill:{_SOFT}}}"
    ".m{text-anchor:middle}.e{text-anchor:end}"
)


def chart(report: Report, scores: Sequence[Score], title: str) -> str:
    """Draw ``report``; ``scores`` are those it was made of. Returns an SVG document."""
    left = [_LEFT + place * (_PANEL + _GAP) for place in range(3)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"',
        f' width="{WIDTH}" height="{HEIGHT}" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#fff"/>',
        _text(_LEFT, 34, title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…", "t"),
        *_found(left[0], report),
        *_refused(left[1], report),
        *_times(left[2], report, sorted(score.total_ms for score in scores)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _found(x: float, report: Report) -> Iterator[str]:
    """Draw two columns for each k: by sentence and by window."""
    yield from _heading(x, "Found among the first k", _sent(report))
    yield from _percents(x)
    step = _PANEL / len(DEPTHS)
    for place, k in enumerate(DEPTHS):
        middle = x + (place + 0.5) * step
        for offset, color, found in (
            (-36, _SENTENCE, report["sentence"]), (2, _WINDOW, report["window"]),
        ):  # fmt: skip
            share = found[f"hit@{k}"] or 0.0
            top = _height(share)
            yield _bar(middle + offset, top, 34, _FLOOR - top, color)
            yield _text(middle + offset + 17, top - 5, f"{100 * share:.0f}", "m")
        yield _text(middle, _FLOOR + 17, f"k = {k}", "s m")
    for at, color, name in ((0, _SENTENCE, "sentence"), (84, _WINDOW, "window")):
        yield _bar(x + at, _FLOOR + 28, 11, 11, color)
        yield _text(x + at + 16, _FLOOR + 38, name, "s")


def _refused(x: float, report: Report) -> Iterator[str]:
    """Draw a bar for each kind of question: of the first few should be refused, of the rest all."""
    yield from _heading(x, "Refused, %", "red should be short, green long")
    y = _TOP + 6.0
    for name, color, words in (
        ("answerable", _WRONG, "with an answer"),
        ("off_topic", _RIGHT, "on documents not in the collection"),
        ("not_found", _RIGHT, "that their document does not answer"),
        ("unanswerable", _RIGHT, "without an answer, all"),
    ):
        refused = report["refused"][name]
        share, count = refused["share"], refused["questions"]
        yield _text(x, y, f"{words} ({count})" if count else f"{words}: none", "s")
        yield _bar(x, y + 6, _PANEL - 40, 14, _LINE)
        if share is not None:
            yield _bar(x, y + 6, share * (_PANEL - 40), 14, color)
            yield _text(x + _PANEL, y + 18, f"{100 * share:.1f}", "e")
        y += 46


def _times(x: float, report: Report, totals: Sequence[float]) -> Iterator[str]:
    """Draw the share of questions that were answered by a time."""
    took = report["latency_ms"]["total"]
    yield from _heading(
        x, "Answered within, ms", f"half in {took['p50']:.0f}, 95 of 100 in {took['p95']:.0f}"
    )
    yield from _percents(x)
    # The slowest in a hundred would squeeze all the others together.
    widest = max(1.0, totals[int(0.99 * (len(totals) - 1))] if totals else 1.0)
    shown = [total for total in totals if total <= widest]
    points: list[tuple[float, float]] = [(x, _FLOOR)]
    for rank, total in enumerate(shown, 1):
        at = x + _PANEL * total / widest
        points += [(at, points[-1][1]), (at, _height(rank / len(totals)))]
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
    yield f'<polyline points="{path}" fill="none" stroke="{_WINDOW}" stroke-width="2"/>'
    for share, value in ((0.5, took["p50"]), (0.95, took["p95"])):
        if value <= widest:
            at = x + _PANEL * value / widest
            yield f'<circle cx="{at:.1f}" cy="{_height(share):.1f}" r="4" fill="{_WINDOW}"/>'
    for tick in range(5):
        words = f"{widest * tick / 4:.0f}"
        yield _text(x + _PANEL * tick / 4, _FLOOR + 17, words, "s m")


def _percents(x: float) -> Iterator[str]:
    for percent in (0, 25, 50, 75, 100):
        y = _height(percent / 100)
        yield _line(x, y, x + _PANEL, y)
        yield _text(x - 6, y + 4, str(percent), "s e")


def _sent(report: Report) -> str:
    if report["coverage"] is None:
        return "no question with an answer"
    return (
        f"sent: {report['characters']:,.0f} characters, "
        f"{100 * report['coverage']:.0f} % of the answers"
    )


def _heading(x: float, title: str, remark: str) -> tuple[str, str]:
    return _text(x, 66, title, "t"), _text(x, 86, remark, "s")


def _height(share: float) -> float:
    return _FLOOR - share * (_FLOOR - _TOP)


def _bar(x: float, y: float, width: float, height: float, color: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" '
        f'fill="{color}"/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{_LINE}"/>'


def _text(x: float, y: float, words: str, classes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}">{escape(words)}</text>'
