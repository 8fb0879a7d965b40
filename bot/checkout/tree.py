"""Both trees of a change, read from the object store."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from types import TracebackType
from typing import Literal, Self

from bot import limits
from bot.checkout import git
from bot.errors import GitError
from bot.values import Entry, PullRequest, RawChange, Side

MAX_FILE_BYTES = 2 << 20  # larger sources are generated, or data; what is left out is said in the coverage
HEAD_BYTES = 1_000  # enough for a "generated" header
KINDS: dict[bytes, Literal["file", "symlink", "submodule"]] = {b"120000": "symlink", b"160000": "submodule"}
SIZES = {b"-": 0, b"BAD": -1}  # of a submodule; of a file whose content is not in the store
NO_MATCH = 1  # the exit status of `git grep` that is no failure


def name_of(raw: bytes) -> str:
    """A path as text. A name that is not UTF-8 keeps its bytes visible; content is read by object id, so it still opens."""
    return raw.decode("utf-8", "backslashreplace")


class Checkout:
    """Read access to the base and the head of a pull request. Satisfies `ports.Tree`.

    Files that are `left_out` are listed, but their content is never read. Whoever takes a content out of what is handed
    over is noted as working on that file (`limits`).
    """

    def __init__(self, pull: PullRequest, left_out: Collection[str] = ()) -> None:
        self.pull = pull
        self._left_out = frozenset(left_out)
        self._without = [f":(top,exclude,literal){path}" for path in sorted(self._left_out)]
        self._env = {"GIT_DIR": pull.git_dir}
        if pull.object_dir:
            self._env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = pull.object_dir
        self._entries: dict[Side, dict[str, Entry]] = {}
        self._rows: dict[bytes, Entry] = {}  # of the side that was listed first, until the other one is
        self._batch: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._listing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._batch is not None and self._batch.returncode is None:
            self._batch.kill()
            await self._batch.wait()

    async def change(self) -> RawChange:
        """What git says of the change: patch and status, and what decides whether a file is generated."""
        form = ("-p", "--full-index", "--no-color", "-U3", "--inter-hunk-context=0")
        patch, status, heads, bases = await asyncio.gather(
            self._diff(*form), self._diff("--raw", "-z", "--no-abbrev"), self.entries("head"), self.entries("base")
        )
        rules = [path for path in bases if path.rpartition("/")[2] == ".gitattributes"]
        changed = [name_of(name) for name in status.split(b"\0") if name and not name.startswith(b":")]
        contents = await self.read_many(changed)
        starts = {path: blob[:HEAD_BYTES] for path, blob in dict(contents).items() if path in heads}
        return RawChange(patch, status, await self.read_many(rules, "base"), starts, self._left_out)

    async def entries(self, side: Side = "head") -> Mapping[str, Entry]:
        """Every path of one side."""
        async with self._listing:
            if side not in self._entries:
                out = await self._git("ls-tree", "-r", "-l", "-z", self._tree(side))
                known, rows = self._rows, [row for row in out.split(b"\0") if row]
                entries = [known.get(row) or _entry(row) for row in rows]  # most rows are the same on both sides
                self._rows = {} if self._entries else dict(zip(rows, entries, strict=True))
                self._entries[side] = {entry.path: entry for entry in entries}
        return self._entries[side]

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """The content of a file, None where it does not exist, is no file, or is above the size cap."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> dict[str, bytes]:
        """The contents of many files with one `cat-file --batch`; missing ones are absent."""
        entries = await self.entries(side)
        wanted = [e for p in dict.fromkeys(paths) if (e := entries.get(p)) and self._may_read(e)]
        async with self._lock:
            blobs = await self._blobs([entry.oid for entry in wanted])
        return _contents(wanted, blobs)

    async def grep(
        self,
        patterns: Sequence[str],
        globs: Sequence[str] = (),
        *,
        syntax: Literal["fixed", "perl"] = "fixed",
        word: bool = False,
        side: Side = "head",
    ) -> frozenset[str]:
        """Paths of the text files in which any of the patterns occurs."""
        out = await self._grep(["-l"], patterns, globs, syntax, side, word=word)
        skip = len(self._tree(side)) + 1
        return frozenset(name_of(row[skip:]) for row in out.split(b"\0") if row)

    async def grep_lines(
        self,
        patterns: Sequence[str],
        globs: Sequence[str] = (),
        *,
        syntax: Literal["fixed", "perl"] = "fixed",
        word: bool = False,
        side: Side = "head",
        limit: int = 1000,
    ) -> tuple[tuple[str, int, str], ...]:
        """The matching lines as (path, line, text), `limit` at most."""
        out = await self._grep(["-n"], patterns, globs, syntax, side, word=word)
        skip = len(self._tree(side)) + 1
        found: list[tuple[str, int, str]] = []
        for row in out.split(b"\n"):
            path, _, rest = row.partition(b"\0")
            number, _, text = rest.partition(b"\0")
            if number.isdigit() and len(found) < limit:
                found.append((name_of(path[skip:]), int(number), text[:2000].decode("utf-8", "replace")))
        return tuple(found)

    async def at_tip(self, path: str) -> bytes | None:
        """A file as it is at the tip of the base branch: where configuration is read, so that a change cannot bring its own."""
        if path in self._left_out:
            return None
        done = await git.run(
            "cat-file", "blob", f"{self.pull.base_tip or self.pull.base}:{path}", cwd=self.pull.git_dir, env=self._env
        )
        limits.reading(path)
        return done.out if done.status == 0 else None

    async def many_at_tip(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Those of the files that exist at the tip of the base branch, in the order asked."""
        return await self.many_at(self.pull.base_tip or self.pull.base, paths)

    async def many_at(self, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
        """Those of the files that exist in a commit, in the order asked; an unknown commit holds none."""
        wanted = [path for path in dict.fromkeys(paths) if path]
        out = b""
        for at in range(0, len(wanted), 256):
            listed = await git.run(
                "--literal-pathspecs", "ls-tree", "-l", "-z", commit, "--", *wanted[at : at + 256],
                cwd=self.pull.git_dir, env=self._env,
            )  # fmt: skip
            out += listed.out if listed.status == 0 else b""
        rows = {entry.path: entry for row in out.split(b"\0") if row for entry in [_entry(row)]}
        found = [e for p in wanted if (e := rows.get(p)) and self._may_read(e)]
        async with self._lock:
            blobs = await self._blobs([entry.oid for entry in found])
        return _contents(found, blobs)

    async def descends(self, commit: str) -> bool:
        """Whether the head was made on top of this commit. Work that is not committed yet is on top of everything."""
        if self.pull.object_dir:
            return True
        done = await git.run(
            "merge-base", "--is-ancestor", commit, self.pull.head, cwd=self.pull.git_dir, env=self._env
        )
        return done.status == 0

    def _tree(self, side: Side) -> str:
        return self.pull.head if side == "head" else self.pull.base

    async def _git(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> bytes:
        return await git.output(*arguments, cwd=self.pull.git_dir, env=self._env, ok=ok)

    def _may_read(self, entry: Entry) -> bool:
        return entry.kind == "file" and entry.size <= MAX_FILE_BYTES and entry.path not in self._left_out

    async def _diff(self, *form: str) -> bytes:
        return await self._git(
            "diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", *form, self.pull.base, self.pull.head
        )

    async def _grep(
        self, form: list[str], patterns: Sequence[str], globs: Sequence[str], syntax: str, side: Side, *, word: bool
    ) -> bytes:
        given = [part for pattern in patterns for one in [_one_line(pattern, syntax)] if one for part in ("-e", one)]
        if not given:
            return b""
        form += ["-w"] if word else []
        form += ["-F" if syntax == "fixed" else "-P"]
        return await self._git(
            "grep",
            "-z",
            "-I",
            "--full-name",
            "--no-color",
            *form,
            *given,
            self._tree(side),
            "--",
            *(globs or (["."] if self._without else [])),
            *self._without,
            ok=(0, NO_MATCH),
        )

    async def _blobs(self, oids: Sequence[str]) -> list[bytes | None]:
        """Objects in the order asked. Asked in portions, so that neither pipe can fill while both sides wait."""
        if not oids:
            return []
        if self._batch is None:
            self._batch = await git.start("cat-file", "--batch", cwd=self.pull.git_dir, env=self._env)
        process = self._batch
        found: list[bytes | None] = []
        if process.stdin is None or process.stdout is None:
            raise GitError("git cat-file has no pipes")
        for at in range(0, len(oids), 256):
            portion = oids[at : at + 256]
            process.stdin.write("".join(f"{oid}\n" for oid in portion).encode())
            for _ in portion:
                head = (await process.stdout.readline()).split()
                if len(head) != 3:  # noqa: PLR2004 - "<oid> missing": a shallow or damaged store
                    found.append(None)
                    continue
                body = await process.stdout.readexactly(int(head[2]) + 1)
                found.append(body[:-1])
        return found


def _contents(entries: Sequence[Entry], blobs: Sequence[bytes | None]) -> dict[str, bytes]:
    return limits.Contents({e.path: blob for e, blob in zip(entries, blobs, strict=True) if blob is not None})


def _one_line(pattern: str, syntax: str) -> str:
    """Git reads a pattern with a line break as two patterns. A fixed one can match no line, a Perl one gets the escape."""
    if "\n" not in pattern:
        return pattern
    return "" if syntax == "fixed" else pattern.replace("\\\n", "\\n").replace("\n", "\\n")


def _entry(row: bytes) -> Entry:
    meta, _, path = row.partition(b"\t")
    mode, _, oid, size = meta.split()
    known = SIZES[size] if size in SIZES else int(size)
    return Entry(name_of(path), oid.decode(), KINDS.get(mode, "file"), known)
