"""Write commits in git's format without git: tests make thousands, and each takes git six processes."""

import hashlib
import os
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
FOLDERS = ("objects/info", "objects/pack", "refs/heads", "refs/tags", "hooks", "info")
OTHERWISE = (".git", ".gitattributes", ".gitignore", ".gitmodules")  # files that change how git handles others
BUSY = ("packed-refs", "MERGE_HEAD", "CHERRY_PICK_HEAD", "info/attributes", "info/exclude", "objects/info/alternates")


def init(folder: Path, branch: str) -> None:
    """Create an empty repository."""
    git = folder / ".git"
    for name in FOLDERS:
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    (git / "config").write_text(CONFIG)


def commit(folder: Path, who: str, message: str) -> str | None:
    """Commit the whole work tree. Return None if only git can do it. `who` is the name, email and time."""
    git, files = folder / ".git", list(_files(folder))
    head = (git / "HEAD").read_text() if git.is_dir() else ""
    if not head.startswith("ref: ") or not message.strip() or None in files or not _plain(git):
        return None
    branch = git / head.removeprefix("ref: ").strip()
    found = sorted((each for each in files if each is not None), key=lambda each: each[0])
    entries = [(name, path.lstat(), _stored(git, "blob", path.read_bytes())) for name, path in found]
    lines = [f"tree {_tree(git, {name: (stat.st_mode, blob) for name, stat, blob in entries}).hex()}"]
    lines += [f"parent {branch.read_text().strip()}"] if branch.exists() else []
    said = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in message.split("\n"))).strip("\n")
    lines += [f"author {who}", f"committer {who}", "", said, ""]
    made = _stored(git, "commit", "\n".join(lines).encode()).hex()
    (git / "index").write_bytes(_index(entries))
    branch.parent.mkdir(parents=True, exist_ok=True)
    branch.write_text(f"{made}\n")
    return made


def _plain(git: Path) -> bool:
    """Return whether the repository has no settings or state that change what a commit contains."""
    hooks = git / "hooks"
    return (
        (git / "config").read_text() == CONFIG
        and not any((git / name).exists() for name in BUSY)
        and not (hooks.is_dir() and any(hooks.iterdir()))
    )


def _files(folder: Path) -> Iterator[tuple[bytes, Path] | None]:
    """Yield the files in the work tree, and None for each entry that git treats specially."""
    for root, names, files in os.walk(folder):
        if Path(root) == folder:
            names.remove(".git") if ".git" in names else files.remove(".git")
        if not names and not files:
            yield None  # an empty folder, which may be a submodule
        for name in (*names, *files):
            path = Path(root, name)
            if name in OTHERWISE or path.is_symlink() or not (path.is_file() or path.is_dir()):
                yield None
            elif path.is_file():
                yield os.fsencode(path.relative_to(folder)), path


def _stored(git: Path, kind: str, data: bytes) -> bytes:
    """Store an object and return its id."""
    whole = f"{kind} {len(data)}\0".encode() + data
    digest = hashlib.sha1(whole, usedforsecurity=False)
    path = git / "objects" / digest.hexdigest()[:2] / digest.hexdigest()[2:]
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(whole, 1))
    return digest.digest()


def _tree(git: Path, files: dict[bytes, tuple[int, bytes]]) -> bytes:
    """Store the tree of these files, given as mode and blob by path, and return its id."""
    rows: dict[bytes, bytes] = {}
    below: dict[bytes, dict[bytes, tuple[int, bytes]]] = {}
    for path, (mode, blob) in files.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(name, {})[rest] = (mode, blob)
        else:
            rows[name] = b"%o %s\0%s" % (_mode(mode), name, blob)
    for name, inner in below.items():
        rows[name + b"/"] = b"40000 %s\0%s" % (name, _tree(git, inner))
    return _stored(git, "tree", b"".join(rows[name] for name in sorted(rows)))


def _mode(mode: int) -> int:
    return 0o100755 if mode & 0o100 else 0o100644


def _index(entries: list[tuple[bytes, os.stat_result, bytes]]) -> bytes:
    """Return a git index of these files with their current metadata."""
    written = struct.pack(">4sII", b"DIRC", 2, len(entries))
    for name, stat, blob in entries:
        times = [part for at in (stat.st_ctime_ns, stat.st_mtime_ns) for part in divmod(at, 10**9)]
        owner = (stat.st_dev, stat.st_ino, _mode(stat.st_mode), stat.st_uid, stat.st_gid, stat.st_size)
        row = struct.pack(">10I", *(number & 0xFFFFFFFF for number in (*times, *owner)))
        row += blob + struct.pack(">H", min(len(name), 0xFFF)) + name
        written += row + b"\0" * (8 - len(row) % 8)
    return written + hashlib.sha1(written, usedforsecurity=False).digest()
