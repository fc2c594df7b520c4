"""The SQLite file of conversations: its tables, opened for one thing at a time.

Any number of processes and threads may use the file at once. Each call opens it, does one
transaction and closes it; a killed process leaves nothing half done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import HistoryError

BUSY_SECONDS = 10.0
"""How long a transaction waits for those of other processes."""
READ_SECONDS = 1.0
"""The same for one that only reads: a page waits for it."""

VERSION = 1

_TABLES = """
CREATE TABLE conversations (
    id TEXT PRIMARY KEY, owner TEXT, title TEXT NOT NULL, created REAL NOT NULL,
    changed REAL NOT NULL
);
CREATE INDEX conversations_of_owner ON conversations (owner, changed);
CREATE TABLE turns (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, asked REAL NOT NULL, question TEXT NOT NULL, record TEXT NOT NULL,
    folded TEXT NOT NULL, thumb TEXT, comment TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (conversation, number)
) WITHOUT ROWID;
"""


@contextmanager
def open_file(path: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the file, made where it is missing, for one transaction: all of it, or nothing.

    Raises :class:`~rag.errors.HistoryError` when it cannot be read or written, or was made by a
    newer version.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)  # what was asked is nobody else's business
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS if write else READ_SECONDS, isolation_level=None
        )
    except (OSError, sqlite3.Error) as error:
        raise _told(path, error) from None
    try:
        _prepare(connection, path)
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        yield connection
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise _told(path, error) from None
    finally:
        connection.close()  # what was not committed is rolled back


def clean(text: str) -> str:
    """Return ``text`` without what SQLite cannot keep: NULs and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == VERSION:
        return
    if version > VERSION:
        raise HistoryError(
            f"Conversations of version {version} in {path}; this program knows version {VERSION}: "
            "install the newer one, or name another file in RAG_HISTORY"
        )
    connection.execute("PRAGMA journal_mode = WAL")  # readers and a writer at the same time
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:  # nobody else was quicker
        for statement in filter(str.strip, _TABLES.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION:d}")
    connection.execute("COMMIT")


def _told(path: Path, error: Exception) -> HistoryError:
    hint = "Set RAG_HISTORY to another file, or to off"
    return HistoryError(f"Cannot use the conversations in {path}: {error}. {hint}")
