"""Plain text: decoded, nothing else."""

from __future__ import annotations

from rag.readers import Content
from rag.readers.encoding import decode


def read(data: bytes) -> Content:
    """Decode a text file."""
    return Content(decode(data))
