"""The console command that opens the page, from a source tree or an installed wheel."""

from __future__ import annotations

import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def command() -> None:
    """Run the page by Streamlit, whose own options may follow, and exit when it ends."""
    from streamlit.web import cli

    sys.argv = ["streamlit", "run", str(script()), *sys.argv[1:]]
    sys.exit(cli.main())


def script() -> Path:
    """Return ``app.py``; Streamlit's settings lie beside it. A wheel has both in the package."""
    packed = PACKAGE / "served" / "app.py"
    return packed if packed.exists() else PACKAGE.parent / "app.py"
