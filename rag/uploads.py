"""Files that visitors bring → files of the upload folder, under names that no system minds.

    name, bytes → safe_name → the readers' own check → the folder, whole or not at all

Knows nothing of the page, nor of the collection: a build reads the folder.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
import unicodedata
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rag.documents import File, read_document
from rag.errors import DocumentError
from rag.readers import is_supported
from rag.readers.folder_search import explain
from rag.upload_folder import PREFIX, uploads_folder

if TYPE_CHECKING:
    from rag.settings import Settings

LONGEST_NAME_BYTES = 180
"""Of a name in UTF-8: file systems take 255, and a number may be added to it."""

MOST_BYTES, MOST_FILES = 1_000_000_000, 1000
"""What the folder may hold together, so that nobody fills the disk."""

_PLACING = threading.Lock()
"""Held while a name is chosen and taken: one for all visitors, since each has an Uploads."""

_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible; text direction
    "\ud800-\udfff]"  # lone surrogates
)
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)", re.I)


def safe_name(name: str) -> str:
    """Make a file's name of what a browser says it is: a plain, visible one that is not too long.

    Folders before it go, and characters that are invisible or that some system forbids. A name
    that a system keeps for a device gets ``_`` before it. The suffix stays.
    """
    plain = _CONTROL.sub("", unicodedata.normalize("NFC", name)).replace("\\", "/")
    plain = _FORBIDDEN.sub("_", plain.rstrip("/").rpartition("/")[2])
    plain = plain.strip(" ").lstrip(".~ ").rstrip(". ")
    if _DEVICE.match(plain):
        plain = f"_{plain}"
    suffix = PurePosixPath(plain).suffix
    if len(suffix.encode()) > 20:
        suffix = ""
    stem = plain[: len(plain) - len(suffix)] if suffix else plain
    room = LONGEST_NAME_BYTES - len(suffix.encode())
    stem = stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ")
    return f"{stem or 'document'}{suffix}"


class Uploads:
    """The upload folder of ``settings``.

    Safe to use from several threads of one process, through one object or many: no file takes
    another's name, and the folder stays within its bounds. Nothing holds this between processes.
    """

    def __init__(self, settings: Settings) -> None:
        self.folder = uploads_folder(settings)
        self.largest_bytes = settings.max_upload_megabytes * 1_000_000

    def take(self, name: str, data: bytes) -> str:
        """Keep a file, and return its document's path, ``uploads/…``.

        A name that is taken gets a number, unless the very same file is there already. Raises
        :class:`~rag.errors.DocumentError`, with a reason for the user, when its content is not of
        the type that its name says, or holds no text, or is too large: the readers decide.
        """
        plain = safe_name(name)
        if not is_supported(plain):
            raise DocumentError("files of this type are not read", plain)
        if len(data) > self.largest_bytes:
            most = self.largest_bytes // 1_000_000
            raise DocumentError(f"is {len(data) / 1e6:.1f} MB long; {most} MB are allowed", plain)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, written = tempfile.mkstemp(dir=self.folder, prefix=".upload-")
            part = Path(written)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(data)
                read_document(File(plain, part, len(data), part.stat().st_mtime))
                part.chmod(0o644)
                return f"{PREFIX}/{self._place(part, plain, data)}"
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise DocumentError(f"cannot be kept: {explain(error)}", plain) from None

    def has(self, path: str) -> bool:
        """Whether the document ``path`` is an upload, and so can be removed."""
        return self._file(path) is not None

    def remove(self, path: str) -> None:
        """Delete the file of the document ``path``.

        Raises :class:`~rag.errors.DocumentError` when it is no upload, or cannot be deleted.
        """
        file = self._file(path)
        if file is None:
            raise DocumentError(f"{path} was not uploaded, so it is not removed here", path)
        try:
            with _PLACING:  # who chooses a name reads the files that are there
                file.unlink()
        except OSError as error:
            raise DocumentError(f"cannot be removed: {explain(error)}", path) from None

    def _file(self, path: str) -> Path | None:
        """Return the file of an upload: only one that really lies in the folder."""
        first, _, rest = path.partition("/")
        if first != PREFIX or not rest or "\0" in rest:
            return None
        file = self.folder / rest
        with suppress(OSError):
            inside = file.parent.resolve().is_relative_to(self.folder.resolve())
            if inside and ".." not in PurePosixPath(rest).parts and file.is_file():
                return file
        return None

    def _place(self, part: Path, name: str, data: bytes) -> str:
        """Move a finished file to its name, or to the first with a number that is free."""
        with _PLACING:
            there = {entry.name.casefold(): entry for entry in self.folder.iterdir()}
            others = [entry for entry in there.values() if not entry.name.startswith(".")]
            held = sum(entry.stat().st_size for entry in others)
            if len(others) >= MOST_FILES or held + len(data) > MOST_BYTES:
                most = f"{MOST_FILES} files or {MOST_BYTES // 1_000_000} MB"
                raise DocumentError(f"finds no room: uploads may be {most} together", name)
            stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
            number, free = 1, name
            while (taken := there.get(free.casefold())) is not None:
                if taken.is_file() and taken.read_bytes() == data:
                    return taken.name
                number += 1
                free = f"{stem} ({number}){suffix}"
            # The name is free, and a rename is whole or not at all.
            part.replace(self.folder / free)
            return free
