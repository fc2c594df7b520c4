"""Bytes → content, read in a process of its own: bounded in time and memory, whatever they are.

    read_apart ─ suffix, bytes → serve ─ a reader → content, or the reason why not → read_apart

PDFium and Lexbor are C++ and read files from anywhere: a crash, a loop or a bomb ends this process,
not the build or the page. One process serves all files, starts with the first and ends when it has
had nothing to do for a minute. It is no sandbox: it runs with the user's rights.
"""

from __future__ import annotations

import atexit
import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from rag.readers import Content, read_here

if TYPE_CHECKING:
    from types import TracebackType

SECONDS = 20.0
"""A file that takes longer is not read."""

MEMORY_BYTES = 2_000_000_000
"""Address space of the process. Enforced by Linux; macOS and Windows have no such limit."""

IDLE_SECONDS = 60.0

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from rag.readers.reading_process import serve; serve()"
)
_ROOT = str(Path(__file__).resolve().parent.parent.parent)

Reply = tuple[Content | str, bool]
"""The content or the reason, and whether the process goes on."""


def read_apart(path: str, data: bytes) -> Content:
    """Read ``data``, a file named ``path``, in the other process; ValueError says why it cannot."""
    return _process().read(path, data)


class _Process:
    """The process as this one sees it. Any thread may ask; one file is read at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def read(self, path: str, data: bytes) -> Content:
        with self._lock:
            content: Content | str | None = None
            deadline = time.monotonic() + SECONDS
            while content is None:
                fresh = self._child is None
                # It may have ended meanwhile, or hold what earlier files left: try a new one.
                child = self._child or self._started()
                content = self._exchange(child, path, data, deadline, last=fresh)
        if isinstance(content, str):
            raise ValueError(content)
        return content

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]

    def _started(self) -> subprocess.Popen[bytes]:
        self._child = subprocess.Popen(  # noqa: S603 -- nothing in it comes from outside
            [sys.executable, "-c", _START, _ROOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the build, which ends it in order
        )
        return self._child

    def _exchange(
        self,
        child: subprocess.Popen[bytes],
        path: str,
        data: bytes,
        deadline: float,
        *,
        last: bool,
    ) -> Content | str | None:
        """Return what the process answers; None when it died and it is worth another try."""
        late = threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(deadline - time.monotonic(), give_up)
        timer.start()
        try:
            _send(cast(IO[bytes], child.stdin), path.encode("utf-8", "surrogatepass"), data)
            (pickled,) = _receive(cast(IO[bytes], child.stdout), 1)
            reply: Reply = pickle.loads(pickled)  # noqa: S301 -- made by our own program
        except (OSError, EOFError):
            status = child.wait()
            self.close()
            if late.is_set():
                return f"takes more than {SECONDS:.0f} seconds to read"
            most = f"{MEMORY_BYTES // 1_000_000} MB"
            crash = f"cannot be read: its reader crashed, or needed over {most} (status {status})"
            return crash if last else None
        finally:
            timer.cancel()
        content, goes_on = reply
        if not goes_on:
            self.close()
        return content


@cache
def _process() -> _Process:
    return _Process()


def serve() -> None:
    """Answer on standard output what comes in on standard input, until that ends."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    _limit_memory()

    def fail(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        reason = f"is damaged, or not of its type: {kind.__name__}: {error}"
        _send(replies, pickle.dumps((" ".join(reason.split())[:300], False)))

    sys.excepthook = fail
    while True:
        idle = threading.Timer(IDLE_SECONDS, os._exit, (0,))
        idle.daemon = True
        idle.start()
        try:
            path, data = _receive(requests, 2)
        except EOFError:
            return
        idle.cancel()
        _send(replies, pickle.dumps((_content(path.decode("utf-8", "surrogatepass"), data), True)))


def _content(path: str, data: bytes) -> Content | str:
    try:
        return read_here(path, data)
    except ValueError as error:
        return str(error)
    except MemoryError:
        return f"needs more than {MEMORY_BYTES // 1_000_000} MB of memory to read"
    except RecursionError:
        return "is nested too deeply"


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _send(pipe: IO[bytes], *parts: bytes) -> None:
    for part in parts:
        pipe.write(struct.pack(">Q", len(part)))
        pipe.write(part)
    pipe.flush()


def _receive(pipe: IO[bytes], parts: int) -> list[bytes]:
    received = []
    for _ in range(parts):
        for_length = pipe.read(8)
        if len(for_length) < 8:
            raise EOFError
        (length,) = struct.unpack(">Q", for_length)
        received.append(pipe.read(length))
        if len(received[-1]) < length:
            raise EOFError
    return received
