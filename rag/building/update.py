"""Changed files → documents → sentences → vectors → points, written group by group.

    Update.write(files): read → split → VectorSource → Writer.add

Documents are taken together until they have :data:`GROUP_SENTENCES` sentences, so that memory grows
with the largest file and not with the folder. Does not decide what changed, and finishes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rag.building.report import Progress, Step, Stopwatch
from rag.building.vectors import VectorSource, digest_text
from rag.documents import File, read_document
from rag.errors import DocumentError, RagError
from rag.keywords import passage_vector
from rag.stores.base import DocumentRecord, Point
from rag.types import Document, Skipped

if TYPE_CHECKING:
    from rag.building.journal import Journal
    from rag.nodes import ParsedSentence
    from rag.stores.base import Writer

    Parsed = tuple[Document, list[ParsedSentence]]

GROUP_SENTENCES = 2048
"""A call of the embeddings and one look-up of kept vectors serve so many sentences or more."""


class BuildCancelled(RagError):
    """The build was stopped from outside. On a server files replaced so far stay replaced."""


class Update:
    """Writes documents into the next state of a collection, and counts what it did.

    ``window_size`` is in sentences on each side. ``cancel`` is asked between batches; True raises
    :class:`BuildCancelled`. ``in_place`` says that readers see each file when it is written.
    """

    def __init__(
        self,
        writer: Writer,
        journal: Journal,
        vectors: VectorSource,
        *,
        window_size: int,
        watch: Stopwatch,
        progress: Callable[[Progress], None],
        cancel: Callable[[], bool],
        in_place: bool = False,
    ) -> None:
        self.added: dict[str, int] = {}
        """Path → sentences of it that were embedded now."""
        self.written: dict[str, DocumentRecord] = {}
        self.skipped: list[Skipped] = []
        self.notes: list[str] = []
        """Remarks on what of a document could not be read."""
        self._writer = writer
        self._journal = journal
        self._vectors = vectors
        self._window_size = window_size
        self._watch = watch
        self._tell = progress
        self._cancel = cancel
        self._in_place = in_place
        self._sentences = self._done = self._expected = 0

    def write(self, files: Sequence[File]) -> None:
        """Read, split, embed and write ``files``; those that cannot be read are in ``skipped``."""
        for group in self._groups(files):
            self._write(group)

    def _groups(self, files: Sequence[File]) -> Iterator[list[Parsed]]:
        group: list[Parsed] = []
        pending = seen_bytes = 0
        all_bytes = sum(file.size for file in files)
        for number, file in enumerate(files, start=1):
            seen_bytes += file.size
            try:
                group.append(self._parsed(file))
            except DocumentError as error:
                self.skipped.append(Skipped(file.path, str(error)))
            else:
                pending += len(group[-1][1])
                self._sentences += len(group[-1][1])
            self._expected = self._sentences * all_bytes // max(seen_bytes, 1)
            self._told("split", number, len(files))
            if group and (pending >= GROUP_SENTENCES or number == len(files)):
                yield group
                group, pending = [], 0

    def _parsed(self, file: File) -> Parsed:
        with self._watch.step("read"):
            document = read_document(file)
            self.notes += [f"{document.path}: {note}" for note in document.notes]
        with self._watch.step("split"):
            from rag.nodes import parse_sentences

            return document, parse_sentences(document, window_size=self._window_size)

    def _write(self, group: list[Parsed]) -> None:
        sentences = [each for _, parsed in group for each in parsed]
        end = self._done + len(sentences)
        with self._watch.step("embed"):
            vectors = self._vectors.vectors(
                sentences, lambda left: self._told("embed", end - left, self._expected)
            )
        for document, parsed in group:
            with self._watch.step("write"):
                record = DocumentRecord.of(document, len(parsed))
                # Made as they are written: with its window and keywords a point is large.
                self._writer.add(record, (
                    Point(
                        sentence=each.sentence,
                        window=each.window,
                        embedded=(digest := digest_text(each.embedded_text)),
                        dense=vectors[digest],
                        keyword=passage_vector(each.embedded_text),
                        metadata=document.metadata,
                    )
                    for each in parsed
                ))  # fmt: skip
            new = (self._journal.is_new(digest_text(each.embedded_text)) for each in parsed)
            self.added[document.path] = sum(new)
            self.written[document.path] = record
            self._done += len(parsed)
            self._told("write", self._done, self._expected)

    def _told(self, step: Step, done: int, total: int) -> None:
        self._tell(Progress(step, done, max(done, total)))
        if self._cancel():
            kept = "what was replaced so far stays" if self._in_place else "all is as it was"
            raise BuildCancelled(f"The build was cancelled; {kept}")
