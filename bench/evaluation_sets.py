"""Question sets in folders → documents, sentences, questions; and vectors that are made once.

A set is a folder with ``docs/<doc_id>.txt`` (UTF-8), ``docs.tsv`` (rows ``doc_id, title, …``) and
``questions.jsonl`` with rows ``{"id", "question", "doc_id", "answers": […], "answer_start": […],
"answerable", "match"}``; offsets count code points of the document. ``absent_docs.txt`` may name
documents to leave out. Vectors are kept in ``bench/out/``.
"""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1]))

from rag.documents import title_of
from rag.embeddings import BundledEmbeddings
from rag.nodes import ParsedSentence, parse_sentences
from rag.sentences import split_sentences
from rag.types import Document

OUT = Path(__file__).parent / "out"
SAVED = 256
"""Texts embedded between two writes of the cache."""
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Question:
    """A question; ``spans`` are ``(start, end)`` in ``source``, the places that answer it."""

    id: str
    text: str
    source: str
    spans: tuple[tuple[int, int], ...]
    answers: tuple[str, ...]
    answerable: bool
    match: str


@dataclass(frozen=True)
class EvaluationSet:
    """The documents of a set (a fixed sample of a large one) and the questions on them."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

    @cached_property
    def sentences(self) -> list[ParsedSentence]:
        """The sentences of all documents, in document order."""
        return [s for d in self.documents for s in parse_sentences(d, window_size=2)]


def read_set(
    folder: Path, sentences: int = 3000, questions: int = 800, *, all_documents: bool = False
) -> EvaluationSet:
    """Read a set; of a large one a fixed sample. With ``all_documents`` none is left out as absent.

    Documents are taken in a fixed random order, those with the most questions a character first
    where there are few questions, until there are ``sentences``; of the questions on them a fixed
    random choice. Questions that lean on a history are ``followup.py``'s, and left out here.
    """
    absent = set() if all_documents else _absent(folder)
    rows = [json.loads(row) for row in (folder / "questions.jsonl").open(encoding="utf-8")]
    asked: dict[str, int] = {}
    for row in rows:
        for doc in row.get("doc_ids") or [row["doc_id"]]:
            asked[doc] = asked.get(doc, 0) + bool(row["answerable"])
    ids = [name for name in _titles(folder) if name not in absent]
    random.Random(7).shuffle(ids)
    if len(rows) < 300:
        ids.sort(key=lambda doc: -asked.get(doc, 0) / len(_text(folder, doc)))
    titles = _titles(folder)
    taken: dict[str, Document] = {}
    found = 0
    for doc in ids:
        if found < sentences:
            document = _document(folder, doc, titles[doc])
            taken[document.path] = document
            found += sum(
                s.searchable for s in split_sentences(document.text, markdown=document.markdown)
            )
    alone = [_question(row) for row in rows if not row.get("history")]
    chosen = [question for question in alone if question.source in taken]
    random.Random(7).shuffle(chosen)
    documents = tuple(taken[path] for path in sorted(taken))
    return EvaluationSet(folder.name, documents, tuple(chosen[:questions]))


def absent_questions(folder: Path, questions: int = 300) -> tuple[Question, ...]:
    """Return questions on the documents that are left out, of many a fixed random choice."""
    absent = {f"{doc}.txt" for doc in _absent(folder)}
    rows = map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8"))
    asked = [question for row in rows if (question := _question(row)).source in absent]
    random.Random(7).shuffle(asked)
    return tuple(asked[:questions])


def _absent(folder: Path) -> set[str]:
    file = folder / "absent_docs.txt"
    return set(file.read_text(encoding="utf-8").split()) if file.exists() else set()


def _titles(folder: Path) -> dict[str, str]:
    rows = (folder / "docs.tsv").read_text(encoding="utf-8").splitlines()
    return {row.split("\t")[0]: row.split("\t")[1] for row in rows}


def _text(folder: Path, doc: str) -> str:
    return (folder / "docs" / f"{doc}.txt").read_text(encoding="utf-8")


def _document(folder: Path, doc: str, title: str) -> Document:
    path = f"{doc}.txt"
    title = title.replace("_", " ") or title_of(path)
    text = _text(folder, doc)
    return Document(path, text, title, digest=doc, markdown=folder.name.startswith("handbook"))


def _question(row: dict[str, object]) -> Question:
    answers = [str(a) for a in row["answers"]]  # type: ignore[attr-defined]
    starts = [int(s) for s in row["answer_start"]]  # type: ignore[attr-defined]
    pairs = [(s, s + len(a)) for s, a in zip(starts, answers, strict=True) if s >= 0]
    return Question(
        str(row["id"]), str(row["question"]), f"{row['doc_id']}.txt", tuple(pairs), tuple(answers),
        bool(row["answerable"]), str(row["match"]),
    )  # fmt: skip


class CachedEmbeddings(BundledEmbeddings):
    """The bundled embeddings, each text embedded once and for all.

    ``name`` is that of a file in ``bench/out/``; several processes may use one at a time.
    """

    def __init__(self, name: str) -> None:
        OUT.mkdir(exist_ok=True)
        self._file = sqlite3.connect(OUT / f"{name}.sqlite", timeout=600, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=OFF")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
        self._known: dict[bytes, Vectors] = {}

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, from the cache."""
        return self.queries([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> Iterator[tuple[int, Vectors]]:
        """Yield the vectors of ``texts``, from the cache."""
        yield 0, self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of ``texts``."""
        return self._get([f"passage: {text}" for text in texts])

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of ``texts`` as questions."""
        return self._get([f"query: {text}" for text in texts])

    def _get(self, texts: Sequence[str]) -> Vectors:
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        for key in set(keys).difference(self._known):
            row = self._file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
            if row is not None:
                self._known[key] = np.frombuffer(row[0], dtype=np.float32)
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._known}
        # Texts of like length together: a batch is as slow as its longest text.
        queue = iter(sorted(missing.items(), key=lambda item: len(item[1])))
        while some := dict(islice(queue, SAVED)):
            made = list(zip(some, self._embed(some.values()), strict=True))
            self._known.update(made)
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                [(key, vector.astype(np.float32).tobytes()) for key, vector in made],
            )
            self._file.execute("COMMIT")
        return np.stack([self._known[key] for key in keys])

    def _embed(self, texts: Iterable[str]) -> Vectors:
        prefixed = list(texts)
        if prefixed[0].startswith("query: "):
            plain = [text.removeprefix("query: ") for text in prefixed]
            return np.stack([super(CachedEmbeddings, self).embed_query(text) for text in plain])
        plain = [text.removeprefix("passage: ") for text in prefixed]
        return np.concatenate([rows for _, rows in super().embed_passages(plain)])
