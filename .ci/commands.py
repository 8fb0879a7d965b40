"""Write the table of comment commands in docs/using.md, from the commands and their words: `python .ci/commands.py`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bot.render import load  # noqa: E402 - the checkout's own
from bot.workflow.commands import COMMANDS  # noqa: E402

PAGE = ROOT / "docs/using.md"
WHO = {"write": "write", "read": "everyone"}


def rows() -> str:
    """Return a row for each command."""
    return "".join(
        f"| `/deeprepo {command.usage}` | {load().say(command.phrase)} | {WHO[command.needs]} |\n"
        for command in COMMANDS.values()
    )


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"(?:^\| `/deeprepo .*\n)+", lambda _: rows(), page, flags=re.MULTILINE), encoding="utf-8")
