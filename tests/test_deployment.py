"""The files that run the page and Qdrant in containers, as far as they can be read without any."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
NODES = [service for name, service in SERVICES.items() if name.startswith("qdrant")]


def test_image_fits_the_client():
    """The server's image is pinned, within one minor version of the client."""
    minor = int(version("qdrant-client").split(".")[1])
    for node in NODES:
        tag = re.fullmatch(r"qdrant/qdrant:v1\.(\d+)\.\d+", node["image"])
        assert abs(int(tag[1]) - minor) <= 1


def test_no_default_key():
    """Each server has the key of the environment, and there is no key to fall back to."""
    for node in NODES:
        assert node["environment"]["QDRANT__SERVICE__API_KEY"] == "${QDRANT_API_KEY:?}"
    for name in ("page", "page-cluster"):
        assert SERVICES[name]["environment"]["QDRANT_API_KEY"].startswith("${QDRANT_API_KEY:?")


def test_nothing_is_open_to_others():
    """Ports are published to this machine alone."""
    for service in SERVICES.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_pages_wait_for_their_servers():
    """A page starts when its servers answer; those of the cluster are its three nodes."""
    for name, servers in {
        "page": ["qdrant"],
        "page-cluster": ["qdrant-1", "qdrant-2", "qdrant-3"],
    }.items():
        page = SERVICES[name]
        assert list(page["depends_on"]) == servers
        assert page["environment"]["QDRANT_URL"] == f"http://{servers[0]}:6333"
        for server in servers:
            assert page["depends_on"][server]["condition"] == "service_healthy"
            assert "healthcheck" in SERVICES[server]
            assert SERVICES[server]["volumes"][0].split(":")[0] in COMPOSE["volumes"]


def test_container_runs_as_nobody_special():
    """The image drops its rights, and opens the page inside the container explicitly."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert "USER app" in lines
    assert any(line.startswith("CMD") and "--server.address=0.0.0.0" in line for line in lines)


def test_containers_of_the_page_write_to_their_volume_alone():
    """The root of the page's containers is read-only, and paths in `.env` do not count there."""
    for name in ("page", "page-cluster"):
        page = SERVICES[name]
        assert page["read_only"] is True
        assert page["tmpfs"] == ["/tmp"]
        assert page["cap_drop"] == ["ALL"]
        for variable in ("QDRANT_PATH", "RAG_HISTORY"):
            assert page["environment"][variable].startswith("/data/")
        assert page["environment"]["RAG_DOCS"] == "/docs"


def test_secrets_stay_out_of_the_image():
    """The file with the login's secrets is not copied along with Streamlit's settings."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert lines.index("**/secrets.toml") > lines.index("!.streamlit")


def test_image_has_what_it_copies():
    """Everything the image copies exists and is not left out by .dockerignore."""
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY"):
            for name in line.split()[1:-1]:
                assert (ROOT / name).exists()
                assert f"!{name}" in kept
