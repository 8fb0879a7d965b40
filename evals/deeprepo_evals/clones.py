"""A folder of clones: which there are, which half each is in, and what git holds in them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from bot.checkout import git
from bot.errors import UsageError


def half(name: str) -> str:
    """Which half a repository is in: told by its name alone, so that it never changes."""
    return "build" if hashlib.sha256(f"half {name}".encode()).digest()[0] % 2 else "test"


def clones(folder: Path) -> dict[str, Path]:
    """OWNER/NAME -> clone, of a folder with OWNER+NAME, OWNER+NAME/repo, OWNER/NAME or NAME."""
    found: dict[str, Path] = {}
    if not folder.is_dir():
        raise UsageError(
            f"{folder} {'is not a folder' if folder.exists() else 'does not exist'}. With --repos, pass the folder that contains your clones"
        )
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


async def ask(clone: Path, *arguments: str) -> str:
    """What a git command prints; empty if it fails."""
    done = await git.run(*arguments, cwd=str(clone))
    return "" if done.status else done.out.decode("utf-8", "replace").strip()


async def blobs(clone: Path, names: Sequence[str]) -> dict[str, bytes]:
    """`commit:path` -> content, of those that there are."""
    if not names:
        return {}
    out = await git.output("cat-file", "--batch", cwd=str(clone), stdin=("\n".join(names) + "\n").encode())
    found, at = dict[str, bytes](), 0
    for name in names:
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        at = end + 1
        if not words[-1].isdigit():
            continue
        size = int(words[-1])
        found[name] = out[at : at + size]
        at += size + 1
    return found
