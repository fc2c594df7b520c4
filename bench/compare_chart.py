"""Figures of pipelines → a chart, as SVG: a panel a figure, a bar a pipeline. Pure.

Bars are as long as the figure is part of the panel's largest, so that a panel is read by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

_WIDTH, _COLUMNS, _PANEL, _ROW = 960, 3, 296, 17
_OURS, _OTHERS, _INK, _SOFT = "#1f6fb2", "#c3cdd6", "#1f2933", "#616e7c"
_STYLE = (
    "text{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:11px;"
    f"fill:{_INK}}}.t{{font-size:13px;font-weight:600}}.s{{fill:{_SOFT}}}"
)
_NAMES = 104
"""How much of a panel's width its pipelines' names take."""


def chart(panels: Mapping[str, Mapping[str, float]], title: str, *, ours: str = "ours") -> str:
    """Draw ``panels``: label → pipeline → figure. Returns an SVG document."""
    rows = max(len(values) for values in panels.values())
    height_of_panel = 44 + rows * _ROW
    lines = -(-len(panels) // _COLUMNS)
    height = 48 + lines * height_of_panel
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"',
        f' width="{_WIDTH}" height="{height}" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" rx="8" fill="#fff"/>',
        f'<text x="24" y="30" class="t">{escape(title)}</text>',
    ]
    for place, (label, values) in enumerate(panels.items()):
        x = 24 + (place % _COLUMNS) * (_PANEL + 12)
        y = 58 + (place // _COLUMNS) * height_of_panel
        parts += _panel(x, y, label, values, ours)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(x: float, y: float, label: str, values: Mapping[str, float], ours: str) -> Iterator[str]:
    yield f'<text x="{x}" y="{y}" class="t">{escape(label)}</text>'
    largest = max(values.values()) or 1.0
    room = _PANEL - _NAMES - 52
    for row, (name, value) in enumerate(values.items()):
        top = y + 10 + row * _ROW
        width = max(1.0, room * value / largest)
        color = _OURS if name == ours else _OTHERS
        yield f'<text x="{x}" y="{top + 10}" class="s">{escape(name)}</text>'
        yield (
            f'<rect x="{x + _NAMES}" y="{top}" width="{width:.1f}" height="12" rx="2" '
            f'fill="{color}"/>'
        )
        yield f'<text x="{x + _NAMES + width + 5:.1f}" y="{top + 10}">{spelled(value)}</text>'


def spelled(value: float) -> str:
    """Spell a figure with three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
