"""One assistant for all sessions of the process, and what the page shows of its documents' texts.

Does not draw. Texts are kept by generation and path, a few at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rag.answering import system_prompt
from rag.documents import File, digest_file
from rag.errors import DocumentError
from rag.page.cards import Lines
from rag.prompt import build_messages
from rag.upload_folder import locate, uploads_folder

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.prompt import Message
    from rag.types import Answer, Turn, Window

Change = Literal["", "changed", "gone"]

TEXTS_KEPT = 32
"""Documents whose text is kept in memory for line numbers and "open document"."""


class Library:
    """An assistant, and the texts of its documents. Safe to use from several threads."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self._text = lru_cache(TEXTS_KEPT)(self._read)

    def text(self, path: str) -> str:
        """Return the whole text of a document, as it was read.

        Raises :class:`~rag.errors.DocumentError` when the collection has no such document.
        """
        return self._text(self.assistant.info.generation, path)[0]

    def lines(self, windows: Iterable[Window]) -> dict[tuple[str, int, int], Lines]:
        """Return where each window stands in its file: ``(source, start, end)`` → lines.

        A window whose text is not the document's any more is left out.
        """
        generation = self.assistant.info.generation
        found: dict[tuple[str, int, int], Lines] = {}
        for window in windows:
            try:
                text, ends = self._text(generation, window.source)
            except DocumentError:
                continue
            if text[window.start : window.end] == window.text:
                last = max(window.start, window.start + len(window.text.rstrip()) - 1)
                first = window.start + len(window.text) - len(window.text.lstrip())
                place = (window.source, window.start, window.end)
                found[place] = (bisect_right(ends, first) + 1, bisect_right(ends, last) + 1)
        return found

    def change(self, path: str) -> Change:
        """Say whether the file has changed, or is gone, since it was read."""
        record = next((r for r in self.assistant.documents() if r.path == path), None)
        docs = Path(self.assistant.info.record.docs)
        file = locate(path, docs, uploads_folder(self.assistant.settings))
        try:
            found = file.stat()
            if record is None or found.st_size != record.size:
                return "changed"
            if found.st_mtime == record.modified:
                return ""
            same = digest_file(File(path, file, found.st_size, found.st_mtime)) == record.digest
        except (OSError, DocumentError):
            return "gone"
        return "" if same else "changed"

    def messages(self, answer: Answer, history: Sequence[Turn]) -> list[Message]:
        """Return the messages that ``answer`` was made from, as they were sent.

        Raises :class:`~rag.errors.SettingsError` when the prompt file is gone.
        """
        settings = self.assistant.settings
        return build_messages(
            answer.question,
            answer.windows,
            history,
            system=system_prompt(settings),
            max_history_characters=settings.history_characters,
        )

    def _read(self, _generation: str, path: str) -> tuple[str, list[int]]:
        """Return a document's text, and the offsets at which its second and later lines start.

        The generation is there for the cache: another one may hold another text.
        """
        text = self.assistant.source(path)
        return text, [at + 1 for at, character in enumerate(text) if character == "\n"]
