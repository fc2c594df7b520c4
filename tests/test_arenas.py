"""The page's memory is taken from a few arenas, however many threads it has."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

COUNT = """
import ctypes, sys, threading
from rag.page.arenas import bound_arenas
if sys.argv[1] == "bound" and not bound_arenas():
    sys.exit("no glibc")
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fflush.argtypes = [ctypes.c_void_p]
ready, done = threading.Barrier(9), threading.Event()
def work():
    held = [bytearray(2000) for _ in range(50)]
    ready.wait()
    done.wait()
for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
ready.wait()
out = libc.fdopen(1, b"w")
libc.malloc_info(0, out)
libc.fflush(out)
done.set()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's arenas are Linux's")
def test_arenas_are_bounded() -> None:
    """Eight threads share two arenas; left alone they have more."""
    found = {}
    for how in ("bound", "alone"):
        done = subprocess.run(
            [sys.executable, "-c", COUNT, how], capture_output=True, text=True, cwd=ROOT, check=True
        )
        found[how] = done.stdout.count("<heap nr=")
    assert found["bound"] <= 2 < found["alone"]
