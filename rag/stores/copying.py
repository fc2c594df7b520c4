"""Copies of folders that keep the holes in their files, and writing that is safe on power loss.

Knows files and folders, nothing of what is in them.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

ROOM_BYTES = 32 << 20
"""Free space that is wanted beside what is to be written. The engine writes to files mapped into
memory, and on a full disk that would end the process; a page of points takes some 5 MB."""

_PIECE_BYTES = 1 << 20


def copy_tree(source: Path, target: Path, *, without: str = "") -> None:
    """Copy a folder, leaving out files named ``without``. ``target`` must not exist.

    Names that start with a dot are left out: the engine writes its small files beside their place
    under such names, also in a process that only reads, and they are soon gone. Raises
    :class:`OSError`.
    """
    target.mkdir()
    for entry in _entries(source):
        if entry.is_dir(follow_symlinks=False):
            copy_tree(Path(entry.path), target / entry.name, without=without)
        elif entry.name != without:
            _copy_file(Path(entry.path), target / entry.name)


def list_files(folder: Path) -> list[str]:
    """Return the paths of all files below ``folder``, relative to it; no temporary ones."""
    files: list[str] = []
    for entry in _entries(folder):
        if entry.is_dir(follow_symlinks=False):
            files.extend(f"{entry.name}/{name}" for name in list_files(Path(entry.path)))
        else:
            files.append(entry.name)
    return files


def require_room(folder: Path, *, copies_of: Path | None = None) -> None:
    """Raise the :class:`OSError` of a full disk unless there is room in ``folder``.

    Wanted are :data:`ROOM_BYTES`, and with ``copies_of`` as much as that folder takes up.
    """
    needed = ROOM_BYTES
    if copies_of is not None:
        files = list_files(copies_of)
        needed += sum((copies_of / name).stat().st_blocks * 512 for name in files)
    if shutil.disk_usage(folder).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file with its holes: the engine makes its files large and fills them later."""
    with source.open("rb") as old, target.open("wb") as new:
        size = os.fstat(old.fileno()).st_size
        os.ftruncate(new.fileno(), size)
        start = 0
        while start < size:
            start, end = _data_from(old.fileno(), start, size)
            while start < end:
                copied = _copy_piece(old.fileno(), new.fileno(), start, end)
                if not copied:  # the file has become shorter
                    return
                start += copied


def _data_from(file: int, start: int, size: int) -> tuple[int, int]:
    """Return where the next bytes begin that are no hole, and where these end."""
    try:
        start = os.lseek(file, start, os.SEEK_DATA)
        return start, os.lseek(file, start, os.SEEK_HOLE)
    except OSError as error:
        if error.errno == errno.ENXIO:  # nothing but a hole up to the end
            return size, size
        return start, size  # this file system cannot tell holes


def _copy_piece(old: int, new: int, start: int, end: int) -> int:
    """Copy some of the bytes from ``start`` to ``end``; return how many, 0 if there are none."""
    if hasattr(os, "copy_file_range"):  # Linux: not through this process, some disks not at all
        try:
            return os.copy_file_range(old, new, end - start, start, start)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
    piece = os.pread(old, min(end - start, _PIECE_BYTES), start)
    return os.pwrite(new, piece, start)


def write_synced(path: Path, text: str) -> None:
    """Write a file and wait until it is on the disk."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sync_tree(folder: Path) -> None:
    """Wait until a folder with all that is in it is on the disk."""
    for directory, _, names in os.walk(folder):
        for name in names:
            sync(Path(directory) / name)
        sync(Path(directory))


def sync(path: Path) -> None:
    """Wait until one file, or the names in one folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as it can be; what is left is for the next time."""
    shutil.rmtree(folder, ignore_errors=True)
