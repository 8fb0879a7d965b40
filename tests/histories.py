"""Many commits on a branch of a repository, made in one go."""

import subprocess
from pathlib import Path


def lengthen(folder: Path, branch: str, count: int, *, empty: bool) -> None:
    """Put commits on the branch: of nothing, or of a line of one file each."""
    name = ["git", "rev-parse", branch]
    head = subprocess.run(name, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    stream = "".join(
        f"commit refs/heads/{branch}\ncommitter t <t@example.com> {1_700_000_000 + at} +0000\ndata 1\nc"
        + (f"\nfrom {head}" if not at else "")
        + ("" if empty else f"\nM 100644 inline step.txt\ndata {len(str(at))}\n{at}")
        + "\n\n"
        for at in range(count)
    )
    subprocess.run(["git", "fast-import", "--quiet", "--force"], cwd=folder, input=stream.encode(), check=True)
