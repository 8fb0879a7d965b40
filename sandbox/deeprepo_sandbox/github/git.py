"""The git of the sandbox: bare repositories on disk, commits made without a work tree."""

import asyncio
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.checkout.git import environment
from bot.errors import GitError
from deeprepo_sandbox.github.things import Files, TreeEntry

# A server's repositories: any commit may be asked for by its id, as GitHub allows it.
SERVES = """[uploadpack]
\tallowAnySHA1InWant = true
\tallowFilter = true
[http]
\treceivepack = true
[gc]
\tauto = 0
"""
ID = 40  # characters of a commit's id
WHO = {"NAME": "Sandbox", "EMAIL": "sandbox@example.invalid"}


async def run(folder: Path, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """The output of one git command in a folder. Raises GitError with what git said."""
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in WHO.items()}
    safe = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ALLOW_PROTOCOL": "file",
        **who,
        **(env or {}),
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        "git", *arguments, cwd=folder, env=environment(safe), stdin=pipe, stdout=pipe, stderr=pipe
    )
    out, err = await process.communicate(stdin)
    if process.returncode:
        raise GitError(f"git {arguments[0]} failed: {err.decode(errors='replace').strip()}")
    return out


_KNOWN: dict[tuple[str, ...], bytes] = {}  # what was said of commits by their ids, which never changes
MOST = 2_000


async def cached_output(folder: Path, *arguments: str) -> bytes:
    """The output of a command that names commits by their ids alone: asked of git once."""
    key = (str(folder), *arguments)
    if key not in _KNOWN:
        if len(_KNOWN) >= MOST:
            _KNOWN.clear()
        _KNOWN[key] = await run(folder, *arguments)
    return _KNOWN[key]


async def text(folder: Path, *arguments: str) -> str:
    """The output of a git command as one text, without its last line break."""
    return (await run(folder, *arguments)).decode(errors="replace").rstrip("\n")


async def clone(source: Path | None, into: Path) -> str:
    """A bare repository with every branch of another one, or with nothing in it. The name of its default branch."""
    into.parent.mkdir(parents=True, exist_ok=True)
    await run(into.parent, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", into.name)
    with (into / "config").open("a", encoding="utf-8") as file:
        file.write(SERVES)
    if source is None:
        return "main"
    await fetch(into, source, "+refs/heads/*:refs/heads/*")
    branches = (await text(into, "for-each-ref", "--format=%(refname:short)", "refs/heads")).split()
    default = next((name for name in ("main", "master", *branches) if name in branches), "main")
    await run(into, "symbolic-ref", "HEAD", f"refs/heads/{default}")
    return default


async def fetch(folder: Path, source: Path, refspec: str) -> None:
    """Take commits over from another repository on this machine."""
    await run(folder, "fetch", "--quiet", "--no-tags", str(source), refspec)


async def tip(folder: Path, ref: str) -> str | None:
    """The commit that a branch, a ref or an id means here, None if it does not exist."""
    for name in (ref,) if len(ref) == ID else (f"refs/heads/{ref}", ref):
        try:
            return await text(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except GitError:
            continue
    return None


async def named(folder: Path, expression: str) -> str | None:
    """Return the id of the object for a revision expression such as `main:shop.py`, or None if it does not exist."""
    try:
        return await text(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", expression)
    except GitError:
        return None


async def commit(folder: Path, branch: str, parent: str | None, files: Files, message: str, author: str) -> str:
    """A new commit upon another one, to which the branch points then: files are written, those with None are taken away."""
    when = int(time.time())
    who = f"{author} <{author}@example.invalid> {when} +0000"
    text, ref = message.encode(), f"refs/heads/{branch}"
    rows = [f"commit {ref}\nmark :1\nauthor {who}\ncommitter {who}\ndata {len(text)}".encode(), text]
    if parent:
        rows.append(f"from {parent}".encode())
    for path, content in files.items():
        if content is None:
            rows.append(f"D {_quote(path)}".encode())
            continue
        text_or_bytes, mode = (content.content, content.mode) if isinstance(content, TreeEntry) else (content, "100644")
        data = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        if mode == "160000":
            rows.append(f"M {mode} {data.decode()} {_quote(path)}".encode())
        else:
            rows += [f"M {mode} inline {_quote(path)}\ndata {len(data)}".encode(), data]
    stream = b"\n".join([*rows, b"", b"get-mark :1", b""])
    return (await run(folder, "fast-import", "--quiet", "--force", "--date-format=raw", stdin=stream)).decode().strip()


async def kind(folder: Path, oid: str) -> str:
    """What an id names: "commit", "tree", "blob"; "" if nothing is there."""
    try:
        return await text(folder, "cat-file", "-t", oid)
    except GitError:
        return ""


async def tree(folder: Path, base: str, files: Sequence[tuple[str, str, str]]) -> str:
    """A tree with these files (mode, path, content) upon another one."""
    with tempfile.TemporaryDirectory() as scratch:
        env = {"GIT_INDEX_FILE": f"{scratch}/index"}
        if base:
            await run(folder, "read-tree", base, env=env)
        rows = []
        for mode, path, content in files:
            blob = (await run(folder, "hash-object", "-w", "--stdin", stdin=content.encode())).decode().strip()
            rows.append(f"{mode} {blob} 0\t{path}\0".encode())
        await run(folder, "update-index", "-z", "--index-info", stdin=b"".join(rows), env=env)
        return (await run(folder, "write-tree", env=env)).decode().strip()


async def make_commit(folder: Path, tree: str, parents: Sequence[str], message: str, who: str) -> str:
    """A commit that no branch points to."""
    head = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {who}", f"committer {who}"]
    data = "\n".join([*head, "", message]).encode()
    return (await run(folder, "hash-object", "-w", "-t", "commit", "--stdin", stdin=data)).decode().strip()


def _quote(path: str) -> str:
    """A path as git's stream of commits takes it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


async def point(folder: Path, ref: str, sha: str | None) -> None:
    """Make a ref mean a commit, or nothing any more."""
    await run(folder, "update-ref", *(["-d", ref] if sha is None else [ref, sha]))


async def merge_base(folder: Path, one: str, other: str) -> str | None:
    """Where two commits part; None where they share nothing."""
    try:
        return (await cached_output(folder, "merge-base", one, other)).decode().rstrip("\n")
    except GitError:
        return None


async def commits(folder: Path, base: str, head: str) -> list[str]:
    """The commits that the head has and the base has not, oldest first."""
    return (await cached_output(folder, "rev-list", "--reverse", f"{base}..{head}")).decode().split()
