"""A Python in which extras are not installed: importing their parts fails as it does in a base installation."""

import subprocess
import sys
from pathlib import Path

from bot.extras import PARTS, Extra

ROOT = Path(__file__).parents[1]
BELOW: dict[Extra, tuple[str, ...]] = {  # what the parts themselves bring
    "github": ("cryptography", "httpx", "githubkit_schemas"),
    "server": ("starlette",),
    "mcp": ("starlette", "uvicorn", "jwt", "cryptography"),
    "models": (),
}
# Every Python that finds it on its path runs it first, so that the processes that a review starts are the same.
CUSTOMIZED = """
import sys


class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Refused())
"""


def path(folder: Path, *installed: Extra) -> str:
    """What PYTHONPATH is where these extras are installed and no other."""
    wanted = {*installed, *(["github"] if "server" in installed else [])}
    there = {name for extra in wanted for name in (*PARTS[extra], *BELOW[extra])}
    missing = {name for extra in PARTS for name in (*PARTS[extra], *BELOW[extra])} - there
    place = folder / "customized"
    place.mkdir()
    (place / "sitecustomize.py").write_text(CUSTOMIZED.format(missing=missing))
    return f"{place}:{ROOT}"


def deeprepo(folder: Path, path: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The command in a folder, with nothing in its environment but these variables."""
    place = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": path, "COLUMNS": "120"}
    command = [sys.executable, "-P", "-m", "bot", *arguments]
    return subprocess.run(command, cwd=folder, env=place | env, capture_output=True, text=True, check=False)
