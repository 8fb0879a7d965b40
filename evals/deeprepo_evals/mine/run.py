"""Mine a folder of clones: at most so many cases of each, written as files that `deeprepo eval reviews` and `offline` read."""

import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.checkout import git
from bot.errors import GitError, UsageError
from deeprepo_evals.mine import commits, proof
from deeprepo_evals.mine.commits import Commit
from deeprepo_evals.mine.grammar import node_names
from deeprepo_evals.mine.proof import Proven

MOST_OF_CLASS = 3  # of one class, of a third of the cases of a repository


@dataclass(frozen=True, slots=True)
class Plan:
    """What is mined."""

    repos: Path
    out: Path
    each: int = 12  # cases of a repository
    ordinary: int = 0  # ordinary commits of a repository
    most_commits: int = 1_500  # commits of a repository that are looked at
    seed: int = 1
    half: str = ""  # "build" or "test": only the repositories of this half


def half(name: str) -> str:
    """Which half a repository is in: told by its name alone, so that it never changes."""
    return "build" if hashlib.sha256(f"half {name}".encode()).digest()[0] % 2 else "test"


def clones(folder: Path) -> dict[str, Path]:
    """OWNER/NAME -> clone, of a folder with OWNER+NAME, OWNER+NAME/repo, OWNER/NAME or NAME."""
    found: dict[str, Path] = {}
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of clones: name one with --repos")
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        name = place.name.removesuffix(".git").replace("+", "/", 1)
        inside = [(f"{name}/{one.name.removesuffix('.git')}", one) for one in sorted(place.iterdir()) if one.is_dir()]
        for said, path in ((name, place), (name, place / "repo"), *(() if "/" in name or _is_clone(place) else inside)):
            if said not in found and _is_clone(path):
                found[said] = path
    if not found:
        raise UsageError(f"{folder} holds no clone: put one there as OWNER+NAME, OWNER/NAME or NAME")
    return found


def _is_clone(path: Path) -> bool:
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


async def mine(plan: Plan, say: Callable[[str], None] = lambda _: None) -> dict[str, int]:
    """Repository -> cases. What is already written is kept: a repository that is done is not mined again."""
    told: dict[str, int] = {}
    plan.out.mkdir(parents=True, exist_ok=True)
    for name, clone in clones(plan.repos).items():
        if plan.half and half(name) != plan.half:
            continue
        told[name] = await _of_clone(plan, name, clone, say)
    return told


async def _of_clone(plan: Plan, name: str, clone: Path, say: Callable[[str], None]) -> int:
    mark = plan.out / f".{name.replace('/', '+')}.{plan.seed}.{plan.each}.{plan.ordinary}"
    if mark.exists():
        return int(mark.read_text() or "0")
    try:
        shas = (await commits.ids(clone, plan.seed, name))[: plan.most_commits]
    except GitError as error:
        say(f"{name}: {error}")
        return 0
    count = await _mine_clone(plan, name, clone, shas, say) if plan.each else 0
    count += await _ordinary(plan, name, clone, shas) if plan.ordinary else 0
    mark.write_text(str(count))
    return count


async def _mine_clone(plan: Plan, name: str, clone: Path, shas: Sequence[str], say: Callable[[str], None]) -> int:
    classes: Counter[str] = Counter()
    most = max(MOST_OF_CLASS, plan.each // 3)
    count = 0
    async for commit in commits.read(clone, shas):
        if count == plan.each:
            break
        try:
            found = [item for item in await proof.proven(clone, commit) if classes[item.change] < most]
        except (GitError, RecursionError, ValueError):
            continue
        if found:
            best = min(found, key=lambda item: (classes[item.change], item.user, item.name))
            tree = await _tree(clone, commit, best)
            classes[best.change] += 1
            count += 1
            _write(plan.out, _case(name, commit, best, tree))
            say(f"{name}: {count} of {plan.each}")
    return count


async def _ordinary(plan: Plan, name: str, clone: Path, shas: Sequence[str]) -> int:
    gone = await commits.reverted_commits(clone)
    count = 0
    async for commit in commits.read(clone, shas):
        if count == plan.ordinary:
            break
        if commits.ordinary(commit, gone):
            count += 1
            _write(plan.out, _plain(name, commit))
    return count


async def _tree(clone: Path, commit: Commit, item: Proven) -> str:
    """The id of the commit's tree with the user as it was. Written beside the clone, never into it."""
    found = await git.output("rev-parse", "--git-path", "objects", cwd=str(clone))
    objects = (clone / os.fsdecode(found).strip()).resolve()
    with tempfile.TemporaryDirectory(prefix="deeprepo-mine-") as scratch:
        (Path(scratch) / "objects").mkdir()
        env = {
            "GIT_INDEX_FILE": f"{scratch}/index",
            "GIT_OBJECT_DIRECTORY": f"{scratch}/objects",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
        }
        row = (await git.output("ls-tree", commit.parent, "--", item.user, cwd=str(clone))).split()
        await git.output("read-tree", commit.sha, cwd=str(clone), env=env)
        blob = f"{row[0].decode()},{row[2].decode()},{item.user}"
        await git.output("update-index", "--cacheinfo", blob, cwd=str(clone), env=env)
        return (await git.output("write-tree", "--missing-ok", cwd=str(clone), env=env)).decode().strip()


def _case(name: str, commit: Commit, item: Proven, tree: str) -> dict[str, Any]:
    language = node_names(item.user)
    what = "a file" if item.change == "module" else f"{item.name}"
    return {
        **_common("omit", name, commit, language.name if language else ""),
        "origin": "a mined commit with the update of one user left out",
        "head_sha": None,
        "recipe": {"source_commit": commit.sha, "omitted_file": item.user, "head_tree": tree},
        "defects": [
            {
                "spans": [{"file": item.user, "start": line, "end": line, "in_diff": False} for line in item.lines],
                "description": f"The commit changes {what} ({item.home}:{item.line}), and {item.user} still relies on it as it was.",
                "category": "broken-caller",
                "scope": "cross-file",
                "severity": "high",
                "evidence_files": [item.user],
                "label": "mined",
                "symbol": item.name,
                "change": item.change,
                "bound": item.how,
            }
        ],
    }


def _plain(name: str, commit: Commit) -> dict[str, Any]:
    language = next((found.name for file in commit.files if (found := node_names(file.path)) is not None), "")
    return {
        **_common("ordinary", name, commit, language),
        "origin": "a mined commit as it was merged",
        "head_sha": commit.sha,
        "defects": [],
    }


def _common(kind: str, name: str, commit: Commit, language: str) -> dict[str, Any]:
    return {
        "id": f"{kind}-{name.replace('/', '+')}-{commit.sha[:8]}",
        "kind": kind,
        "repo": name,
        "clone_from": name,
        "base_sha": commit.parent,
        "title": commit.title,
        "date": commit.date,
        "language": language,
        "files_changed": len(commit.files),
        "lines_changed": commit.lines,
    }


def _write(folder: Path, case: dict[str, Any]) -> None:
    path = folder / f"{case['id']}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
