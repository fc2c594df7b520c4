"""A file's bytes → its :class:`Content`, by the file's suffix: one small module a format.

A reader's module has one function, ``read(data: bytes) -> Content``, and raises
:class:`ValueError` with the reason, in words for the user, when the bytes are not what the suffix
says. It is imported when the first file of its format is met, so that a heavy library costs only
those who need it. To add a format: write the module and name its suffixes in :data:`READERS`.
Readers know nothing of paths, digests or the collection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import PurePosixPath
from typing import Protocol, cast

from rag.splitting.blocks import Block
from rag.types import Metadata, Page

READING = "readers-1"
"""Version of the readers, a part of the fingerprint. Raise it when one of them gives another text
for the same bytes: digests are of the bytes, so that a build would not notice."""

READERS: Mapping[str, str] = {
    ".md": "rag.readers.markdown",
    ".markdown": "rag.readers.markdown",
    ".txt": "rag.readers.text",
    ".text": "rag.readers.text",
    ".html": "rag.readers.html",
    ".htm": "rag.readers.html",
    ".xhtml": "rag.readers.html",
    ".docx": "rag.readers.docx",
    ".pdf": "rag.readers.pdf",
    ".csv": "rag.readers.csv",
    ".tsv": "rag.readers.csv",
}
"""Suffix, in lower case → the module that reads it."""

APART = frozenset({"rag.readers.docx", "rag.readers.html", "rag.readers.pdf"})
"""Modules whose files may do anything to their reader: they are read in a process of their own."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds. ``text`` has line feeds alone; ``title`` is empty where it has none."""

    text: str
    title: str = ""
    markdown: bool = False
    metadata: Metadata = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    blocks: tuple[Block, ...] = ()
    notes: tuple[str, ...] = ()


class _Reader(Protocol):
    def read(self, data: bytes) -> Content:
        """Turn a file's bytes into its content."""
        ...


def is_supported(path: str) -> bool:
    """Whether there is a reader for files with this name."""
    return suffix_of(path) in READERS


def suffix_of(path: str) -> str:
    """Return the suffix of ``path`` in lower case, with its dot; empty where it has none."""
    return PurePosixPath(path).suffix.lower()


def read_content(path: str, data: bytes) -> Content:
    """Read ``data``, the bytes of a file with the name ``path``; ValueError says why it cannot."""
    if READERS[suffix_of(path)] in APART:
        from rag.readers.reading_process import read_apart

        return read_apart(path, data)
    return read_here(path, data)


def read_here(path: str, data: bytes) -> Content:
    """Read ``data`` in this process, without bounds."""
    reader = cast(_Reader, import_module(READERS[suffix_of(path)]))
    return reader.read(data)


def missing(package: str) -> ValueError:
    """Return the reason why a file is not read where its reader's library is not installed."""
    return ValueError(f"needs the package {package}: pip install {package}")
