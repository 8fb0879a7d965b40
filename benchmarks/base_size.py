"""What the base installation takes on disk, as du counts it: the environment, what a new one holds by itself, and the largest packages.

python -m benchmarks.base_size
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Row, report

ROOT = Path(__file__).parents[1]
MOST = 110.0  # MB of what deeprepo adds: the rest is by the version of Python
SHOWN = 8


def main() -> int:
    """Install from the clone with the versions of the lock, and print the figures."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-base-") as scratch:
        place = Path(scratch) / "environment"
        env = {"PATH": os.environ["PATH"], "HOME": scratch} | {
            name: value for name, value in os.environ.items() if name.startswith("PIP_")
        }
        pip = [str(place / "bin/pip"), "--quiet", "--disable-pip-version-check", "install"]
        _run([sys.executable, "-m", "venv", str(place)], scratch, env)
        empty = _megabytes(place)
        _run([*pip, "--require-hashes", "-r", str(ROOT / "requirements-base.lock")], scratch, env)
        _run([*pip, "--no-deps", str(ROOT)], scratch, env)
        packages = next(place.glob("lib/python*/site-packages"))
        sizes = sorted(((_megabytes(one), one.name) for one in packages.iterdir() if one.is_dir()), reverse=True)
        whole = _megabytes(place)
        return report(
            "base installation",
            [
                Row("the environment", whole, unit="MB"),
                Row("  of it deeprepo and its packages", whole - empty, MOST, "MB"),
                Row("  of it pip and what else a new environment holds", empty, unit="MB"),
                *(Row(f"  {name}", size, unit="MB") for size, name in sizes[:SHOWN]),
            ],
        )


def _run(command: list[str], folder: str, env: dict[str, str]) -> None:
    subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)


def _megabytes(place: Path) -> float:
    return sum(path.lstat().st_blocks * 512 for path in (place, *place.rglob("*"))) / 2**20


if __name__ == "__main__":
    sys.exit(main())
