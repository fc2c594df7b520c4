"""A collection's status → the rows of the documents view.

Pure. Names and reasons travel raw; the page's script makes them text nodes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rag.page.reading_faults import reason
from rag.page.strings import Strings, count

if TYPE_CHECKING:
    from rag.building.status import Status

State = Literal["same", "changed", "gone", "new", "skipped"]

_ORDER: tuple[State, ...] = ("new", "skipped", "changed", "gone", "same")
"""What wants to be seen stands first."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file. ``note`` says what is the matter with it, ``removable`` that it was uploaded."""

    path: str
    title: str
    facts: str
    state: State
    note: str
    removable: bool


def file_rows(
    status: Status, words: Strings, removable: Callable[[str], bool], now: float | None = None
) -> list[FileRow]:
    """Return a row for each document and each file that is none; uploads stand before others.

    ``removable`` tells uploads by their path; ``now`` is in seconds since the epoch.
    """
    now = time.time() if now is None else now
    skipped = {each.path: each.reason for each in status.skipped}
    rows = []
    for each in status.documents:
        record = each.record
        state: State = "skipped" if record.path in skipped else each.since
        facts = [
            count(record.sentences, words.sentences),
            size(record.size),
            age(now - record.modified, words),
        ]
        note = _note(state, skipped.pop(record.path, ""), words)
        rows.append(
            FileRow(record.path, record.title, " · ".join(facts), state, note,
                    removable(record.path))
        )  # fmt: skip
    rows += [
        FileRow(path, "", "", "new", _note("new", "", words), removable(path))
        for path in status.new
    ]
    rows += [
        FileRow(path, "", "", "skipped", _note("skipped", why, words), removable(path))
        for path, why in skipped.items()
    ]
    return sorted(rows, key=lambda row: (not row.removable, _ORDER.index(row.state), row.path))


def _note(state: State, why: str, words: Strings) -> str:
    said = words.states[state]
    return words.because.format(what=said, why=reason(why, words)) if why else said


def size(count: int) -> str:
    """Write a number of bytes, in the unit that suits it."""
    for unit, factor in (("MB", 1_000_000), ("kB", 1000)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def age(seconds: float, words: Strings) -> str:
    """Say how long ago something was, from its age in seconds."""
    for unit, factor in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * factor:
            return words.ages[unit].format(n=f"{seconds / factor:.0f}")
    return words.ages["s"]
