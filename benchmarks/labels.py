"""Labelled defects of the cases and twins: what must stand in a prompt for one of them to be seen, and how its repository is built."""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEAR = 10  # lines


@dataclass(frozen=True, slots=True)
class Line:
    """One line that must stand in the prompt."""

    path: str
    text: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled defect: any of `lines` and, where there is evidence, any of `proof` must stand in one prompt."""

    scope: str
    spans: tuple[tuple[str, int, int], ...]
    lines: tuple[Line, ...]
    proof: tuple[Line, ...] = ()
    proof_files: tuple[str, ...] = ()
    excuse: tuple[Line, ...] = ()  # where both trees hold the evidence: what only the good one holds beside it


def parser(description: str | None) -> argparse.ArgumentParser:
    """What the benches over cases and twins are told."""
    told = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("--cases", type=Path, required=True)
    told.add_argument("--repos", type=Path, required=True)
    told.add_argument("--only", action="append", help="ids of cases; no table then")
    told.add_argument("--keep", type=Path, help="a folder where the built repositories are kept and used again")
    return told


def cases(
    asked: argparse.Namespace, wanted: Callable[[Mapping[str, Any]], object]
) -> Iterator[tuple[dict[str, Any], Path]]:
    """The wanted cases for which there is a clone, each with the repository that was built of it."""
    absent = []
    for path in sorted(asked.cases.glob("*.json")):
        case = json.loads(path.read_text())
        if not wanted(case) or (asked.only and case["id"] not in asked.only):
            continue
        clone = clone_of(asked.repos, case["clone_from"])
        if clone is None:
            absent.append(case["id"])
            continue
        with folder(asked.keep) as built_in:
            repo = Path(built_in, case["id"])
            built([asked.cases / "materialise.py", path, clone, repo, "--allow-missing"])
            yield case, repo
    print(f"without a clone: {', '.join(absent) or 'none'}", flush=True)


def twins(asked: argparse.Namespace) -> Iterator[tuple[str, Mapping[str, Path], Label]]:
    """The twins for which there is a clone: name, the repository of each variant, and what only the bad one holds."""
    for path in sorted((asked.cases / "twins").glob("twin-*.json")):
        case = json.loads(path.read_text())
        if asked.only and path.stem not in asked.only:
            continue
        clone = clone_of(asked.repos, case["repo"])
        if clone is None:
            print(f"no clone of {case['repo']}: {path.stem}", flush=True)
            continue
        with folder(asked.keep) as built_in:
            places = {variant: Path(built_in, f"{path.stem}-{variant}") for variant in ("bad", "good")}
            for variant, place in places.items():
                built([path.parent / "twin.py", path, variant, clone, place])
            yield path.stem, places, twin_label(case, places["bad"], places["good"])


def clone_of(folder: Path, name: str) -> Path | None:
    """The clone of OWNER/NAME, under one of the names that people give to clones."""
    owner, _, short = name.partition("/")
    tries = (
        f"{owner}+{short}/repo",
        f"{owner}+{short}",
        f"{owner}/{short}",
        f"{owner}/{short}.git",
        f"{short}.git",
        short,
    )
    return next((folder / one for one in tries if (folder / one).is_dir()), None)


@contextmanager
def folder(keep: Path | None) -> Iterator[Path]:
    """Where repositories are built: kept, or thrown away afterwards."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="oracle-") as scratch:
        yield Path(scratch)


def built(command: Sequence[object]) -> None:
    """Build a repository by one of the cases' own scripts, unless it is there already."""
    if any(isinstance(part, Path) and (part / ".git").exists() for part in command[1:]):
        return
    subprocess.run([sys.executable, *map(str, command)], check=True, capture_output=True)


def label(case: Mapping[str, Any], defect: Mapping[str, Any], repo: Path) -> Label:
    """A defect with the texts of its lines; lines outside the diff are evidence."""
    inside = [s for s in defect["spans"] if s["in_diff"]]
    outside = [s for s in defect["spans"] if not s["in_diff"]]
    lines = [line for s in inside for line in _texts(repo, s["file"], s["start"], s["end"])]
    proof = [line for s in outside for line in _texts(repo, s["file"], s["start"], s["end"])]
    spans = tuple((s["file"], s["start"], s["end"]) for s in defect["spans"])
    files = tuple(path for path in defect["evidence_files"])
    scope = f"{case['kind']} {defect['scope']}" if case["kind"] != "natural" else defect["scope"]
    return Label(scope, spans, tuple(lines), tuple(proof), files)


def twin_label(case: Mapping[str, Any], bad: Path, good: Path) -> Label:
    """The changed lines, nearest to the defect first, and of the evidence the lines that only the bad tree holds."""
    at = case["defect"]
    changed = sorted(_added(bad, at["file"]), key=lambda line: abs(line.number - at["line"]))
    proof = [line for e in case["evidence"] for line in _texts(bad, e["file"], e["line"], e["line"])]
    telling = [line for line in proof if not _holds(good, line)]
    files = {line.path for line in proof}
    excuse = [line for path in files for line in _texts(good, path, 1, 10**6) if not telling and not _holds(bad, line)]
    spans = ((at["file"], at["line"], at["line"]),)
    return Label("twin", spans, tuple(changed), tuple(telling or proof), excuse=tuple(excuse))


def hits(path: str, start: int, end: int, label: Label) -> bool:
    """Whether a finding stands at the right file, near the defect."""
    return any(path == p and start <= b + NEAR and end >= a - NEAR for p, a, b in label.spans)


def _texts(repo: Path, path: str, start: int, end: int) -> list[Line]:
    """The lines that can be recognised: not the brackets."""
    rows = (repo / path).read_bytes().decode("utf-8", "replace").split("\n")[start - 1 : end]
    return [Line(path, row.strip(), start + n) for n, row in enumerate(rows) if re.search(r"\w", row)]


def _holds(repo: Path, line: Line) -> bool:
    path = repo / line.path
    return path.exists() and line.text in (row.strip() for row in path.read_text("utf-8", "replace").split("\n"))


def _added(repo: Path, path: str) -> Iterator[Line]:
    """The lines that the pull request adds to the defect's file."""
    command = ["git", "diff", "-U0", "base", "head", "--", path]
    out = subprocess.run(command, cwd=repo, check=True, capture_output=True).stdout.decode("utf-8", "replace")
    number = 0
    for row in out.split("\n"):
        if hunk := re.match(r"@@ -\S+ \+(\d+)", row):
            number = int(hunk[1])
        elif row.startswith("+") and not row.startswith("+++"):
            if re.search(r"\w", row):
                yield Line(path, row[1:].strip(), number)
            number += 1
