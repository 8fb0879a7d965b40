"""Write many commits with one call of `git fast-import`, on one branch or on branches that are merged."""

import subprocess
from collections.abc import Sequence
from pathlib import Path


def lengthen(folder: Path, branch: str, count: int, *, empty: bool) -> None:
    """Add commits to the branch, each of them empty or changing one line of one file."""
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


Row = tuple[str, tuple[str, ...], dict[str, str | None]]  # branch, parents, files written
START: dict[str, str | bytes | None] = {"shop/port.py": "PORT = 80\n"}
OLD: dict[str, str | None] = {"shop/port.py": "PORT = 80\n"}
NEW: dict[str, str | None] = {"shop/port.py": "PORT = 8080\n"}
NEWS: dict[str, str | None] = {"NEWS.md": "One.\n"}
OTHER: dict[str, str | None] = {"shop/other.py": "HOST = 1\n"}
_TOPIC: Row = ("topic", ("main",), OTHER)
_FIXED: Row = ("fixed", ("main",), NEW)
_MERGED: Row = ("main", ("main", "fixed", "topic"), {**NEW, **OTHER})
# The feature branch reverts `fixed`, which a diff against one merge base hides. Later rows get later dates.
CROSSED: tuple[Row, ...] = (_FIXED, _TOPIC, _MERGED, ("feature", ("fixed", "topic"), {**OLD, **OTHER, **NEWS}))
SEVERAL_BASES: dict[str, tuple[Row, ...]] = {
    "crossed": CROSSED,
    "crossed, in the other order of dates": (_TOPIC, *CROSSED[:1], *CROSSED[2:]),
    "crossed, with the other parent first": (*CROSSED[:3], ("feature", ("topic", "fixed"), {**OLD, **OTHER, **NEWS})),
    "nothing differs from the topic": (*CROSSED[:3], ("feature", ("topic", "fixed"), {**OLD, **OTHER})),
    "three sides, and a main branch that went on": (
        *CROSSED[:2],
        ("third", ("main",), {"shop/third.py": "1\n"}),
        ("main", ("main", "fixed", "topic", "third"), {**NEW, **OTHER, "shop/third.py": "1\n"}),
        ("feature", ("topic", "fixed", "third"), {**OLD, **OTHER, "shop/third.py": "1\n", **NEWS}),
        ("feature", ("feature",), {"NEWS.md": "Two.\n"}),
        *(("main", ("main",), {"step.txt": f"{at}\n"}) for at in range(20)),
    ),
    "a merge below the head": (*CROSSED, *(("feature", ("feature",), {"NEWS.md": f"{at}\n"}) for at in range(5))),
}
_STEPS: tuple[Row, ...] = tuple(("main", ("main",), {"step.txt": f"{at}\n"}) for at in range(30))
ONE_BASE: dict[str, tuple[Row, ...]] = {
    "the main branch merged in again and again": (
        ("feature", ("main",), NEWS),
        *_STEPS,
        ("feature", ("feature", "main"), {"step.txt": "29\n"}),
        *_STEPS,
        ("feature", ("feature", "main"), {"step.txt": "29\n", "NEWS.md": "Two.\n"}),
        *_STEPS,
    ),
    "branches of its own": (
        ("feature", ("main",), NEWS),
        ("side", ("main",), OTHER),
        ("feature", ("feature", "side"), OTHER),
        *_STEPS,
    ),
    "one that the main branch has merged since": (
        *CROSSED[:2],
        ("feature", ("topic",), NEWS),
        _MERGED,
        *_STEPS,
    ),
    "crossed, and the main branch merged in once more": (
        *CROSSED,
        ("feature", ("feature", "main"), NEW),
        *_STEPS,
    ),
}  # fmt: skip


def draw(folder: Path, rows: Sequence[Row]) -> None:
    """Commit the rows in order, one minute apart."""
    stream, marks = "", dict[str, str]()
    for at, (branch, parents, files) in enumerate(rows, 1):
        first, *others = (marks.get(name, f"refs/heads/{name}^0") for name in parents)
        stream += (
            f"commit refs/heads/{branch}\nmark :{at}\ncommitter t <t@example.com> {1_800_000_000 + 60 * at} +0000\n"
        )
        stream += f"data 1\nc\nfrom {first}\n" + "".join(f"merge {other}\n" for other in others)
        for path, text in files.items():
            stream += f"D {path}\n" if text is None else f"M 100644 inline {path}\ndata {len(text)}\n{text}\n"
        stream += "\n"
        marks[branch] = f":{at}"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=stream.encode(), check=True)
