"""A share of the documents, for one of several machines that build side by side. Pure."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """Part ``number`` (from 1) of ``of``. Raises ``ValueError`` for one that cannot be."""

    number: int
    of: int

    def __post_init__(self) -> None:
        """Refuse a number out of range."""
        if not 1 <= self.number <= self.of:
            raise ValueError(f"there is no part {self}")

    def __str__(self) -> str:
        """Spell it as it is typed."""
        return f"{self.number}/{self.of}"

    @classmethod
    def of_text(cls, text: str) -> Part:
        """Read ``2/8``. Raises ``ValueError``."""
        match = re.fullmatch(r"\s*(\d{1,6})/(\d{1,6})\s*", text)
        if match is None:
            raise ValueError(f"expected K/N, such as 2/8, found {text!r}")
        return cls(int(match[1]), int(match[2]))

    def has(self, path: str) -> bool:
        """Whether the document of this path is in the part, on whatever machine."""
        digest = hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest) % self.of == self.number - 1
