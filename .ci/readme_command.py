"""Print a command as it stands at the top of README: `start` or `test`."""

import re
import sys
from pathlib import Path

block = re.search(r"```(?:bash|sh|console)\n(.*?)```", Path("README.md").read_text("utf-8"), re.S)
if block is None:
    sys.exit("README has no block of commands")
commands = [line for line in block[1].splitlines() if line.startswith("pip install")]
if len(commands) != 2:
    sys.exit(f"README's first block has {len(commands)} commands that install; expected 2")
print(dict(zip(("start", "test"), commands, strict=True))[sys.argv[1]])
