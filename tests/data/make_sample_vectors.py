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

from rag.build import build
from rag.building import journal
from rag.settings import Settings
from tests.conftest import SAMPLE_VECTORS, SAMPLES


def main() -> None:
    """Build, and keep the journal."""
    with TemporaryDirectory() as folder:
        settings = Settings(docs=SAMPLES, qdrant_path=Path(folder))
        journal.drop_journals = lambda *_: None  # type: ignore[assignment]
        build(settings)
        shutil.copyfile(journal.journal_path(settings, full=False), SAMPLE_VECTORS)


if __name__ == "__main__":
    main()
