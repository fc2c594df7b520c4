"""Memory of a process with many threads that runs for weeks, kept flat.

glibc gives each thread an arena of its own to take memory from, up to eight a core, and gives
little of it back: every thread that comes and goes leaves some behind. Two arenas are enough here,
where the interpreter's lock lets one thread run at a time.
"""

from __future__ import annotations

import ctypes
import sys

ARENAS = 2
_M_ARENA_MAX = -8  # of glibc's malloc.h


def bound_arenas() -> bool:
    """Let this process have :data:`ARENAS` arenas and no more; say whether that can be done here.

    Those that it has already stay. ``MALLOC_ARENA_MAX=2`` in the environment does the same from the
    first moment on.
    """
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    return mallopt is not None and mallopt(_M_ARENA_MAX, ARENAS) == 1
