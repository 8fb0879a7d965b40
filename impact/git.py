"""Both sides of a change in a repository on this disk, by git: for `python -m impact`, which a person runs on a repository of their own."""

import asyncio
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from impact.changes import MOVED, ChangedFile, DiffLine, Hunk, Query, TreeEntry
from impact.text.paths import is_output, name_of, vendored_folder
from impact.values import Side

KINDS: Mapping[bytes, Literal["symlink", "submodule"]] = {b"120000": "symlink", b"160000": "submodule"}
STATUS: Mapping[str, Literal["added", "modified", "deleted", "renamed"]] = {
    "A": "added",
    "D": "deleted",
    "R": "renamed",
}
HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NO_MATCH = 1  # the exit status of `git grep` that is no failure


class GitTree:
    """Read access to both sides. Satisfies `ports.Tree`."""

    def __init__(self, folder: str, base: str, head: str) -> None:
        self._folder, self._commits = folder, {"base": base, "head": head}
        self._entries: dict[str, dict[str, TreeEntry]] = {}
        self.stopped_searches: list[str] = []

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Every path of one side."""
        if side not in self._entries:
            rows = (await self._git("ls-tree", "-r", "-l", "-z", self._commits[side])).split(b"\0")
            self._entries[side] = {one.path: one for one in map(_entry, filter(None, rows))}
        return self._entries[side]

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """The content of a file."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """The contents of many files in one pass."""
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
        """Paths of the text files in which any of the patterns occurs."""
        rows = (await self._grep("-l", query)).split(b"\0")
        return frozenset(name_of(row.partition(b":")[2]) for row in rows if row)

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """The matching lines as (path, line, text)."""
        rows = [row.split(b"\0", 2) for row in (await self._grep("-n", query)).split(b"\n") if row.count(b"\0") > 1]
        return tuple(
            (name_of(path.partition(b":")[2]), int(number), text.decode("utf-8", "replace"))
            for path, number, text in rows[: query.limit]
        )

    async def _grep(self, form: str, query: Query) -> bytes:
        patterns = [part for one in query.patterns if one for part in ("-e", one.replace("\n", "\\n"))]
        if not patterns:
            return b""
        syntax = ["-F" if query.syntax == "fixed" else "-P", *(["-w"] if query.word else [])]
        places = [*query.globs, *(f":(top,exclude,literal){one}" for one in query.without)]
        return await self._git("grep", "-z", "-I", form, *syntax, *patterns, self._commits[query.side], "--", *places)

    async def changed(self) -> list[ChangedFile]:
        """The files that differ."""
        form = ("-r", "-M", "-p", "--raw", "-z", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "-U3")
        out = await self._git("diff-tree", *form, self._commits["base"], self._commits["head"])
        return [*_changed(out)]

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


def _changed(out: bytes) -> Iterator[ChangedFile]:
    """Read the rows of `--raw -z`, and the patch behind them, which has one part for each."""
    rows: list[tuple[str, list[str]]] = []
    while out.startswith(b":"):
        meta, _, out = out.partition(b"\0")
        letter = meta.rpartition(b" ")[2][:1].decode()
        names = []
        for _ in range(2 if letter in "RC" else 1):
            name, _, out = out.partition(b"\0")
            names.append(name_of(name))
        rows.append((letter, names))
    parts = iter(re.split(rb"(?m)^diff --git ", out.removeprefix(b"\0"))[1:])
    for letter, names in rows:
        written = [
            next(parts, b"") for _ in range(2 if letter == "T" else 1)
        ]  # a link in the place of a file goes and comes
        hunks = tuple(hunk for part in written for hunk in _hunks(part))
        lines = [line for hunk in hunks for line in hunk.lines]
        path = names[-1]
        yield ChangedFile(
            path=path,
            old_path=None if letter in "AC" else names[0],
            status=STATUS.get(letter, "added" if letter == "C" else "modified"),
            hunks=hunks,
            skip=MOVED if letter == "R" and not hunks else None,
            is_foreign=vendored_folder(path) is not None or is_output(path),
            added_lines=frozenset(line.new for line in lines if line.kind == "+" and line.new),
            removed_lines=frozenset(line.old for line in lines if line.kind == "-" and line.old),
        )


def _hunks(part: bytes) -> Iterator[Hunk]:
    heads = [*HUNK.finditer(part)]
    starts = [head for head in heads if part[head.start() - 1 : head.start()] == b"\n"]
    for head, end in zip(starts, [*(one.start() for one in starts[1:]), len(part)], strict=True):
        old, old_lines, new, new_lines = (1 if number is None else int(number) for number in head.groups())
        yield Hunk(old, old_lines, new, new_lines, tuple(_lines(part[head.end() : end].split(b"\n")[1:], old, new)))


def _lines(rows: Sequence[bytes], old: int, new: int) -> Iterator[DiffLine]:
    for row in rows:
        kind, text = row[:1].decode("ascii", "replace"), row[1:].decode("utf-8", "replace").removesuffix("\r")
        if kind == "+":
            yield DiffLine("+", text, None, new)
        elif kind == "-":
            yield DiffLine("-", text, old, None)
        elif kind == " ":
            yield DiffLine(" ", text, old, new)
        old, new = old + (kind in ("-", " ")), new + (kind in ("+", " "))
