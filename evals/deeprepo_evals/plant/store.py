"""A code base as git holds it: a bare repository with the branches `base` and `head`, written in one stream."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from deeprepo_evals.plant.values import CodeBase

WHO = b"eval <eval@example.invalid> 1767225600 +0000"  # 2026-01-01, so that the same seed gives the same commits


async def build(code: CodeBase, folder: Path) -> Path:
    """Write the code base below a folder that does not exist yet; the repository's path."""
    from bot.checkout import git  # not with the module: `deeprepo --help` loads it and reads no repository

    await asyncio.to_thread(folder.mkdir, parents=True)
    await git.output("init", "--quiet", "--bare", "--initial-branch=head", "--template=", ".", cwd=str(folder))
    said = f"{code.title}\n\n{code.body}".strip()
    stream = b"".join((commit("base", "base", code.base), commit("head", said, code.files, over="base")))
    await git.output("fast-import", "--quiet", "--done", cwd=str(folder), stdin=stream + b"done\n")
    return folder


def commit(branch: str, message: str, files: Mapping[str, str], over: str = "") -> bytes:
    """One commit of exactly these files, in the form of `git fast-import`."""
    rows = [
        f"commit refs/heads/{branch}\n".encode(),
        b"author " + WHO + b"\n",
        b"committer " + WHO + b"\n",
        _data(message),
    ]
    if over:
        rows.append(f"from refs/heads/{over}\n".encode())
    rows.append(b"deleteall\n")
    rows += [b"M 100644 inline " + quote_path(path) + b"\n" + _data(text) for path, text in sorted(files.items())]
    return b"".join((*rows, b"\n"))


def _data(text: str) -> bytes:
    blob = text.encode("utf-8", "surrogateescape")
    return b"data %d\n%s\n" % (len(blob), blob)


def quote_path(path: str) -> bytes:
    """A path as fast-import reads it: quoted, with the bytes that would end it escaped."""
    raw = path.encode("utf-8", "surrogateescape")
    quoted = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + quoted + b'"'
