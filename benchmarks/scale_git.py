"""What one review fetches: the packed size of a change's two commits without history, as GitHub sends it.

    python -m benchmarks.scale_git --repos FOLDER

FOLDER: clones. Each review fetches into an empty store of its own.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks import places
from benchmarks.table import Row, report

MEGABYTE = 1e6


def main() -> int:
    """Print the middle and the mean over all clones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=places.clones, default=places.REPOS)
    asked = parser.parse_args()
    found = sorted(size for each in sorted(asked.repos.iterdir()) if (size := fetched(each)) is not None)
    if not found:
        sys.stderr.write(f"{asked.repos} holds no clone with two commits: `make fetch WHOLE=1` brings some\n")
        return 2
    rows = [
        Row("fetched for one review, mean", statistics.fmean(found), None, "MB", f"{len(found)} repositories"),
        Row("  median", statistics.median(found), None, "MB"),
        Row("  most", found[-1], None, "MB"),
    ]
    return report("scale_git", rows)


def fetched(folder: Path) -> float | None:
    """MB of the newest commit and the one before it, packed; None where there is no such clone."""
    listed = _git(folder, b"", "rev-list", "--objects", "--no-object-names", "--no-walk", "HEAD", "HEAD~1")
    packed = _git(folder, listed, "pack-objects", "--stdout", "-q") if listed else b""
    return len(packed) / MEGABYTE if packed else None


def _git(folder: Path, given: bytes, *arguments: str) -> bytes:
    place = folder / "repo" if (folder / "repo").is_dir() else folder
    done = subprocess.run(["git", "-C", str(place), *arguments], input=given, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else b""


if __name__ == "__main__":
    sys.exit(main())
