"""Read both sides of a change from a local git repository, for `python -m deeprepo.impact`."""

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from deeprepo.impact.changes import MOVED, ChangedFile, Query, TreeEntry
from deeprepo.impact.patches import changed_file, with_patches
from deeprepo.impact.text.lines import grep_rows
from deeprepo.impact.text.paths import is_vendored, name_of
from deeprepo.impact.values import Side

KINDS: Mapping[bytes, Literal["symlink", "submodule"]] = {b"120000": "symlink", b"160000": "submodule"}
NO_MATCH = 1  # exit status of `git grep` without matches


class GitTree:
    """Read access to both sides. Satisfies `ports.Tree`."""

    def __init__(self, folder: str, base: str, head: str) -> None:
        self._folder, self._commits = folder, {"base": base, "head": head}
        self._entries: dict[str, dict[str, TreeEntry]] = {}
        self.stopped_searches: list[str] = []

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return every path of one side."""
        if side not in self._entries:
            rows = (await self._git("ls-tree", "-r", "-l", "-z", self._commits[side])).split(b"\0")
            self._entries[side] = {one.path: one for one in map(_entry, filter(None, rows))}
        return self._entries[side]

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """Return the content of a file."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files in one pass."""
        entries = await self.entries(side)
        wanted = [one for path in dict.fromkeys(paths) if (one := entries.get(path)) and one.kind == "file"]
        asked = "".join(f"{one.oid}\n" for one in wanted).encode()
        out, at, found = await self._git("cat-file", "--batch", given=asked) if wanted else b"", 0, dict[str, bytes]()
        for one in wanted:
            head, _, _ = out[at:].partition(b"\n")
            at += len(head) + 1
            if head.endswith(b" missing"):
                continue
            size = int(head.split()[2])
            found[one.path] = out[at : at + size]
            at += size + 1
        return found

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of text files that match any of the patterns."""
        rows = (await self._grep("-l", query)).split(b"\0")
        return frozenset(name_of(row.partition(b":")[2]) for row in rows if row)

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines as (path, line, text)."""
        rows = islice(grep_rows(await self._grep("-n", query)), query.limit)
        return tuple(
            (name_of(path.partition(b":")[2]), number, text.decode("utf-8", "replace")) for path, number, text in rows
        )

    async def _grep(self, form: str, query: Query) -> bytes:
        patterns = [part for one in query.patterns if one for part in ("-e", one.replace("\n", "\\n"))]
        if not patterns:
            return b""
        syntax = ["-F" if query.syntax == "fixed" else "-P", *(["-w"] if query.word else [])]
        places = [*query.globs, *(f":(top,exclude,literal){one}" for one in query.without)]
        return await self._git("grep", "-z", "-I", form, *syntax, *patterns, self._commits[query.side], "--", *places)

    async def changed(self) -> list[ChangedFile]:
        """Return the changed files."""
        form = ("-r", "-M", "-p", "--raw", "-z", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "-U3")
        out = await self._git("diff-tree", *form, self._commits["base"], self._commits["head"])
        status, _, patch = out.partition(b"\0\0")
        files = (changed_file(row, parts) for row, parts in with_patches(status, patch))
        return [
            replace(
                file,
                skip=MOVED if file.status == "renamed" and not file.hunks else None,
                is_vendored=is_vendored(file.path),
            )
            for file in files
        ]

    async def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        command = ["git", "-c", "core.fsmonitor=false", "--no-optional-locks", *arguments]
        done = await asyncio.to_thread(
            subprocess.run, command, cwd=self._folder, input=given, capture_output=True, check=False
        )
        if done.returncode and not (arguments[0] == "grep" and done.returncode == NO_MATCH):
            raise OSError(done.stderr.decode("utf-8", "replace").strip() or f"git {arguments[0]} failed")
        return done.stdout


def _entry(row: bytes) -> TreeEntry:
    meta, _, path = row.partition(b"\t")
    mode, _, oid, size = meta.split()
    return TreeEntry(name_of(path), oid.decode(), KINDS.get(mode, "file"), int(size) if size.isdigit() else 0)
