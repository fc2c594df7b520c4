"""Make ``sample.journal``: the vectors of the sample documents' sentences, by the bundled model.

    python tests/data/make_sample_vectors.py

It is what a build of the samples leaves when it is killed at its very end. The tests' own build of
them goes on from there, and embeds only what has changed since.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from rag.building.fingerprint import fingerprint
from rag.building.journal import journal_path, open_journal
from rag.building.vectors import digest_text
from rag.documents import find_documents, read_document
from rag.embeddings import open_embeddings
from rag.nodes import parse_sentences
from rag.settings import Settings
from tests.conftest import SAMPLE_VECTORS, SAMPLES


def sample_texts(settings: Settings) -> dict[str, str]:
    """Return what is embedded of the documents of ``settings``, by its digest."""
    return {
        digest_text(each.embedded_text): each.embedded_text
        for file in find_documents(settings).files
        for each in parse_sentences(read_document(file), window_size=settings.window_size)
    }


def main() -> None:
    """Embed, and keep the journal."""
    with TemporaryDirectory() as folder:
        settings = Settings(docs=SAMPLES, qdrant_path=Path(folder))
        model, texts = open_embeddings(settings), sample_texts(settings)
        digests = list(texts)
        with open_journal(settings, fingerprint(model), full=False) as journal:
            for first, vectors in model.embed_passages(list(texts.values())):
                journal.add(digests[first : first + len(vectors)], vectors)
        shutil.copyfile(journal_path(settings, full=False), SAMPLE_VECTORS)


if __name__ == "__main__":
    main()
