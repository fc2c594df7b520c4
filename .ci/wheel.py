"""Try the installed wheel in an empty folder: its three commands, and nothing of a source tree.

Run as ``python .ci/wheel.py BIN``; BIN is the folder of the virtual environment's commands.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path


def run(*command: object) -> str:
    """Run a command and return what it prints."""
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(process: subprocess.Popen[bytes], url: str) -> bool:
    """Whether the page serves within a minute."""
    for _ in range(240):
        if process.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                return answer.status == 200
        except OSError:
            time.sleep(0.25)
    return False


def main() -> None:
    """Build, ask, open the page."""
    commands = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        where = run(commands / "python", "-c", "import rag; print(rag.__file__)")
        assert "site-packages" in where, where
        Path("docs").mkdir()
        Path("docs/kettle.md").write_text("# Kettle\n\nBoil it twice before first use.\n", "utf-8")
        report = json.loads(run(commands / "sentence-window-store", "--json", "--quiet"))
        assert report["sources"] == ["kettle.md"], report
        asked = run(commands / "sentence-window-ask", "--json", "How often must it boil?")
        assert json.loads(asked)["passages"][0]["text"] == "Boil it twice before first use."
        port = free_port()
        page = subprocess.Popen(
            [str(commands / "sentence-window-page"), "--server.port", str(port),
             "--server.headless", "true"]
        )  # fmt: skip
        try:
            assert answers(page, f"http://localhost:{port}/_stcore/health"), "no page"
        finally:
            page.terminate()
            page.wait(20)
        with socket.socket() as probe:
            probe.settimeout(1)
            assert probe.connect_ex(("127.0.0.1", port)), "the page is still there"
    sys.stdout.write("The wheel builds, answers and serves away from its source.\n")


main()
