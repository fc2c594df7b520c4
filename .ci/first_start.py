"""Run README's first command, wait for the page, ask it a question, check answer and evidence.

It prints the seconds from the command's start and from the end of the installation.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

PORT = 8501
QUESTION = "电热水壶第一次使用前要做什么？"
SOURCE = "kettle"


def up() -> bool:
    """Whether the page's server answers."""
    try:
        with urllib.request.urlopen(f"http://localhost:{PORT}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def main(command_file: str) -> None:
    """Start, ask, check, stop."""
    command = Path(command_file).read_text("utf-8").strip()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("RAG_", "OPENAI_"))}
    page = subprocess.Popen(["bash", "-c", command], env=environment, start_new_session=True)
    try:
        began = time.monotonic()
        while not up():
            if page.poll() is not None or time.monotonic() - began > 900:
                sys.exit("the first command did not bring the page up")
            time.sleep(0.5)
        served = time.monotonic()
        print(f"serving after {served - began:.0f} s (installation included)")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"),
                args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
            )
            view = browser.new_page(locale="zh-CN", viewport={"width": 1360, "height": 860})
            view.goto(f"http://localhost:{PORT}")
            box = view.locator("textarea:not([disabled])").last
            box.wait_for(timeout=180_000)
            print(f"usable {time.monotonic() - served:.0f} s later")
            box.fill(QUESTION)
            box.press("Enter")
            view.get_by_text(SOURCE).first.wait_for(timeout=30_000)
            view.locator("mark").first.wait_for(timeout=30_000)
            marked = view.locator("mark").all_inner_texts()
            print("marked:", marked[:3])
            if not any("首次" in text or "第一次" in text for text in marked):
                sys.exit("no found sentence about the first use is marked")
            browser.close()
    finally:
        os.killpg(page.pid, signal.SIGTERM)
        page.wait(timeout=30)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main(sys.argv[1])
