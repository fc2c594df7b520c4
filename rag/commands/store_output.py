"""Reports of a build, its forecast and a collection's status → JSON objects, and text to read.

Text holds names as the file system has them: strip control characters before it reaches a terminal.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.building.forecast import Forecast
    from rag.building.report import BuildReport
    from rag.building.status import Status
    from rag.stores.base import CollectionInfo

Record = dict[str, object]
"""A JSON object, on its way out."""


def report_record(report: BuildReport) -> Record:
    """Turn a report into the object of the command-line contract."""
    record = asdict(report)
    record["seconds"] = {name: round(spent, 4) for name, spent in record["seconds"].items()}
    return record


def report_text(report: BuildReport) -> str:
    """Write a report for reading."""
    held = f"{report.sentences} sentences of {report.documents} documents"
    done = f"{report.added} added, {report.reused} reused, {report.removed} removed"
    return "\n".join(
        [
            f"{held} in collection {report.collection} ({report.location})",
            f"{done} in {report.seconds.total:.1f} s",
            "Sources:",
            *(f"  {source}" for source in report.sources),
        ]
    )


def switch_record(info: CollectionInfo) -> Record:
    """Turn a collection that was switched to into a JSON object."""
    return {
        "collection": info.collection,
        "location": info.location,
        "generation": info.generation,
        "documents": info.documents,
        "sentences": info.sentences,
        "embedding_model": info.record.fingerprint.embedding_model,
        "window_size": info.record.window_size,
    }


def switch_text(info: CollectionInfo) -> str:
    """Write it for reading."""
    held = f"{info.sentences} sentences of {info.documents} documents"
    return f"Switched: {held} in collection {info.collection} ({info.location})"


def forecast_record(forecast: Forecast) -> Record:
    """Turn a forecast into a JSON object; its fields are those of :class:`Forecast`."""
    return asdict(forecast)


def forecast_text(forecast: Forecast) -> str:
    """Write a forecast for reading."""
    need = f"{forecast.texts} texts, {forecast.characters} characters"
    if forecast.seconds is not None:
        need += f", about {_duration(forecast.seconds)}"
    if forecast.tokens is not None:
        need += f", about {forecast.tokens} tokens"
    lines = [
        f"Would embed {forecast.added} sentences ({need}) and reuse {forecast.reused}",
        *(f"  new      {path}" for path in forecast.new),
        *(f"  changed  {path}" for path in forecast.changed),
        *(f"  removed  {path}" for path in forecast.removed),
        *(f"  skipped  {each.path}: {each.reason}" for each in forecast.skipped),
    ]
    return "\n".join(lines)


def status_record(status: Status) -> Record:
    """Turn a status into a JSON object. Times are seconds since the epoch, sizes bytes."""
    info = status.info
    return {
        "collection": info.collection,
        "location": info.location,
        "generation": info.generation,
        "docs": info.record.docs,
        "built": info.record.built,
        "sentences": info.sentences,
        "embedding_model": info.record.fingerprint.embedding_model,
        "dimension": info.record.fingerprint.dimension,
        "window_size": info.record.window_size,
        "engine": info.record.engine,
        "current": status.is_current,
        "documents": [
            {
                "path": each.record.path,
                "title": each.record.title,
                "sentences": each.record.sentences,
                "size": each.record.size,
                "modified": each.record.modified,
                "since": each.since,
            }
            for each in status.documents
        ],
        "new": list(status.new),
        "skipped": [asdict(each) for each in status.skipped],
        "notes": list(status.notes),
    }


def status_text(status: Status, now: float | None = None) -> str:
    """Write a status for reading; ``now`` is seconds since the epoch."""
    now = time.time() if now is None else now
    info, record = status.info, status.info.record
    marks = {"same": "", "changed": "changed since", "gone": "gone since"}
    rows = [
        (
            str(each.record.sentences),
            _size(each.record.size),
            _duration(now - each.record.modified),
            f"{each.record.path}  {marks[each.since]}".rstrip(),
        )
        for each in status.documents
    ]
    rows.insert(0, ("sentences", "size", "age", "document"))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    held = f"{info.sentences} sentences of {info.documents} documents"
    built = f"Built {_duration(now - record.built)} ago from {record.docs} by {record.engine}"
    lines = [
        f"{held} in collection {info.collection} ({info.location})",
        f"{built}, {record.fingerprint.embedding_model}, window {record.window_size}",
    ]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[3]]))
    lines += [f"New: {path}" for path in status.new]
    lines += [f"Skipped {each.path}: {each.reason}" for each in status.skipped]
    lines += [f"Note: {note}" for note in status.notes]
    if not status.is_current and not status.notes:
        lines.append("Not up to date. Run: python store.py")
    return "\n".join(lines)


def _size(count: int) -> str:
    for unit, factor in (("MB", 1_000_000), ("kB", 1000)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def _duration(seconds: float) -> str:
    for unit, factor in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * factor:
            return f"{seconds / factor:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"
