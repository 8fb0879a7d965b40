"""Read and search the two trees of a change in the object store."""

import asyncio
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from bot.checkout import git, own_git_dir
from bot.checkout.searches import Searches
from bot.errors import GitError
from bot.globs import generated_marks
from bot.machine.processes import end_process
from bot.values import CommitLines, PullRequest, Query, RawChange, Side, TreeEntry
from bot.values.shared_file import SettingsText, UnusableFile
from deeprepo.impact.concurrency import together
from deeprepo.impact.in_hand import Contents
from deeprepo.impact.kept import Kept
from deeprepo.impact.text.lines import HEAD_BYTES
from deeprepo.impact.text.paths import name_of, raw_name

# Larger files are not read, because they are generated or data; the coverage lists them
MAX_FILE_BYTES = 2 << 20
MAX_STARTS_BYTES = 256 << 20  # of changed files that are read to get their first lines
STARTS_BATCH = 32  # how many of these files are in memory at the same time
BATCH = 256  # paths or objects that git is asked for at once
CACHE_BYTES = 16 << 20  # of recently read files
MAX_PATCH_BYTES = 128 << 20
HISTORY_BYTES, HISTORY_SECONDS = 16 << 20, 20.0  # limits for the patches of all commits in a change
MAX_ENTRIES, PATH_BYTES = 500_000, 400  # files in a tree, and a generous average for the bytes of a row
MAX_DIFFERENT = 256  # if at most this many files differ, one side's entries are derived from the other's
MAX_TIP_NAMES = 1_000  # files that `names_at_tip` lists
FOLDER_MODE = b"040000 "  # the start of a folder's row in the output of `ls-tree`
ENTRY_KINDS: dict[bytes, Literal["file", "symlink", "submodule"]] = {b"120000": "symlink", b"160000": "submodule"}
SIZES = {b"-": 0, b"BAD": -1}  # what `ls-tree` prints for submodules, and for files whose content is missing
COMMIT = re.compile(rb"^\0([0-9a-f]+)$", re.MULTILINE)  # the format of the log that `commit_lines` requests
ChangesRole = Callable[[str, str], bool]  # whether moving a file from one path to another changes its role


class Checkout:
    """Read access to the base and head of a pull request. Implements `ports.Tree`.

    Git runs in a folder of our own, which borrows the repository's objects, so nothing that the repository
    configures takes effect. Files in `left_out` are listed, but their content is never read. While code uses
    a file's content, `deeprepo.impact.in_hand` records that it is working on this file.
    """

    def __init__(self, pull: PullRequest, left_out: Collection[str] = ()) -> None:
        self.pull = pull
        self._folder = ""  # our own; set in __aenter__
        self._env: dict[str, str] = {}
        self._opened = ExitStack()
        self._left_out = frozenset(left_out)
        self._entries: dict[Side, dict[str, TreeEntry]] = {}
        self._batch: asyncio.subprocess.Process | None = None
        self._blob_cache = Kept[str, bytes](CACHE_BYTES)
        self._lock = asyncio.Lock()
        self._listing = asyncio.Lock()
        self._original = self  # the checkout whose paths these are
        self.stopped_searches: list[str] = []  # a sentence for each search that was stopped early

    @property
    def left_out(self) -> Collection[str]:
        """The files whose content is never read."""
        return self._left_out

    async def __aenter__(self) -> Self:
        folder = self._opened.enter_context(tempfile.TemporaryDirectory(prefix="deeprepo-git-"))
        self._folder = own_git_dir.of_pull(self.pull, Path(folder, "own.git"))
        more = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": self.pull.object_dir} if self.pull.object_dir else {}
        self._env = own_git_dir.environment(self._folder, more)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._batch is not None:
            await end_process(self._batch, self._batch.stdout, self._batch.stderr)
        self._opened.close()

    async def change(self, changes_role: ChangesRole = lambda _old, _new: False) -> RawChange:
        """Return git's patch and status for the change, with what is needed to recognize generated files.

        The detection of renames is turned off if git finds a copy, if a rename changes a file's role, or if a
        renamed file is no longer marked as generated. Otherwise, such files would not be reviewed as new
        code.
        """
        form: tuple[str, ...] = ("-p", "--full-index", "--no-color", "-U3", "--inter-hunk-context=0")
        rows_and_patch, heads, bases = await together(self._patch(*form), self.entries("head"), self.entries("base"))
        rules = await self.read_many([path for path in bases if path.rpartition("/")[2] == ".gitattributes"], "base")
        is_marked, moves = generated_marks(rules), list(_moves(_split_output(rows_and_patch)[0]))
        if any(
            is_copy or changes_role(old, new) or (is_marked(old) and not is_marked(new)) for is_copy, old, new in moves
        ):
            form = ("--no-renames", *form)
            rows_and_patch = await self._patch(*form)
        status, patch = _split_output(rows_and_patch)
        changed_paths = [name_of(name) for name in status.split(b"\0") if name and not name.startswith(b":")]
        if any(".." in path.split("/") for path in changed_paths):
            raise GitError("the change contains a path with `..`, which git does not check out")
        after, before = await self._starts(changed_paths, "head"), await self._starts(changed_paths, "base")
        sizes = {path: max(side[path].size for side in (heads, bases) if path in side) for path in changed_paths}
        return RawChange(
            patch,
            status,
            rules,
            after,
            before,
            frozenset(path for path, size in sizes.items() if size > MAX_FILE_BYTES),
            frozenset(self.pull.withheld),
            self._left_out,
        )

    async def _starts(self, paths: Sequence[str], side: Side) -> dict[str, bytes]:
        """Return the start of each of these files. Stop when MAX_STARTS_BYTES were read."""
        entries = await self.entries(side)
        starts: dict[str, bytes] = {}
        room = MAX_STARTS_BYTES
        for index in range(0, len(paths), STARTS_BATCH):
            batch = [path for path in paths[index : index + STARTS_BATCH] if path in entries]
            room -= sum(entries[path].size for path in batch if entries[path].size <= MAX_FILE_BYTES)
            if room < 0:
                break
            texts = await self.read_many(batch, side)
            starts |= {path: blob[:HEAD_BYTES] for path, blob in dict(texts).items()}
        large = [path for path in paths if path in entries and entries[path].size > MAX_FILE_BYTES]
        for path in large[:STARTS_BATCH]:
            starts[path] = await self._start_of_large(entries[path])
        return starts

    async def _start_of_large(self, entry: TreeEntry) -> bytes:
        """Return the start of a file that is too large to be read; b"" if it can't be read."""
        result = await self._bounded("cat-file", "blob", entry.oid, most=HEAD_BYTES)
        return result.out[:HEAD_BYTES]

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return the files, symlinks and submodules of one side, by path."""
        async with self._listing:
            if side not in self._entries:
                derived = await self._derive_from_other_side(side)
                self._entries[side] = derived if derived is not None else await self._list_tree(side)
        return self._entries[side]

    async def _derive_from_other_side(self, side: Side) -> dict[str, TreeEntry] | None:
        """Return one side's entries derived from the other side's.

        Return None if those are unknown or too different. To list a tree with sizes, git opens every object;
        to compare two trees, it only opens folders that differ.
        """
        other: Side = "base" if side == "head" else "head"
        known = self._entries.get(other)
        if known is None or self.stopped_searches:
            return None
        result = await self._bounded(
            "diff-tree", "-r", "--no-renames", "--name-only", "-z", self._tree(other), self._tree(side),
            rows=MAX_DIFFERENT + 1, most=MAX_DIFFERENT * PATH_BYTES,
        )  # fmt: skip
        paths = [name_of(name) for name in result.out.split(b"\0") if name]
        if result.status or result.was_stopped or len(paths) > MAX_DIFFERENT:
            return None
        different = await self._rows_of(self._tree(side), paths) if paths else {}
        removed = frozenset(paths) - different.keys()
        entries = {path: entry for path, entry in known.items() if path not in removed} | dict(different)
        is_in_order = different.keys() <= known.keys()
        return entries if is_in_order else dict(sorted(entries.items(), key=lambda row: raw_name(row[0])))

    async def _list_tree(self, side: Side) -> dict[str, TreeEntry]:
        """If the tree is too large, return the first entries and the changed files."""
        result = await self._bounded(
            "ls-tree", "-r", "-l", "-z", self._tree(side), rows=MAX_ENTRIES, most=MAX_ENTRIES * PATH_BYTES
        )
        if result.status:
            raise git.failure("ls-tree", result)
        rows = result.out.split(b"\0")[:-1]  # the last one is empty or cut off
        by_path = {entry.path: entry for entry in map(_entry, rows)}
        if result.was_stopped or len(rows) >= MAX_ENTRIES:
            self.stopped_searches.append(
                f"the tree has more than {MAX_ENTRIES:,} files, so dependents were only searched for in the first of them"
            )
            ends = self.pull.base, self.pull.head
            names = await self._git("diff-tree", "-r", "--no-renames", "--name-only", "-z", *ends)
            by_path |= await self._rows_of(self._tree(side), [name_of(name) for name in names.split(b"\0") if name])
        return by_path

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """Return a file's content, or None if it doesn't exist, is not a regular file, or is too large."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files. Files for which `read` returns None are omitted."""
        entries = await self.entries(side)
        return await self._contents(entries.get(path) for path in dict.fromkeys(paths))

    @cached_property
    def _searches(self) -> Searches:
        return Searches(self._folder, self._env, self._left_out, self.stopped_searches)

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of the text files in which any of the patterns occurs."""
        listed = await self._original.entries(query.side)
        return frozenset(
            path for path, _, _ in await self._searches.grep("-l", query, self._tree(query.side)) if path in listed
        )

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines as (path, line, text)."""
        rows = await self._searches.grep("-n", query, self._tree(query.side), query.limit)
        listed = await self._original.entries(query.side)
        return tuple(row for row in rows if row[0] in listed)

    async def archive(self, side: Side, most: int) -> bytes:
        """Return one side as a tar archive, in the folder `work/`.

        Raises GitError if it is larger than `most` bytes.
        Attributes in the tree, such as export-ignore, have no effect.
        """
        done = await self._bounded(
            "archive", "--format=tar", "--prefix=work/", "--worktree-attributes", self._tree(side), most=most
        )
        if done.was_stopped:
            raise GitError(f"the tree is larger than {most >> 20:,} MB")
        if done.status:
            raise git.failure("archive", done)
        return done.out

    async def with_contents(self, contents: Mapping[Side, Mapping[str, bytes]]) -> "Checkout":
        """Return both trees with other contents for some files. They exist until this checkout is closed."""
        sides = [side for side, changed in contents.items() if changed]
        if not sides:
            return self
        trees = (await self._git("rev-parse", *(f"{self._tree(side)}^{{tree}}" for side in sides))).split()
        rows = []
        for side, tree in zip(sides, trees, strict=True):
            rows.append(b"commit refs/copies/%s\ncommitter deeprepo <> 0 +0000\ndata 0\n" % side.encode())
            rows.append(b'M 040000 %s ""\n' % tree)
            for path, content in contents[side].items():
                name = own_git_dir.quoted(raw_name(path))
                rows.append(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(content), content))
        await git.output("fast-import", "--quiet", "--force", cwd=self._folder, env=self._env, stdin=b"".join(rows))
        copied = (await self._git("rev-parse", *(f"refs/copies/{side}^{{tree}}" for side in sides))).decode().split()
        copies = {"base": self.pull.base, "head": self.pull.head, **dict(zip(sides, copied, strict=True))}
        copy = Checkout(replace(self.pull, base=copies["base"], head=copies["head"]), self._left_out)
        copy._folder, copy._env, copy._searches = self._folder, self._env, self._searches
        copy.stopped_searches, copy._original = self.stopped_searches, self._original
        return copy

    async def many_at_tip(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """Return the contents of these files at the base branch's tip, as `many_at` does."""
        return await self.many_at(self._tip, paths)

    async def settings_at_tip(self, path: str) -> SettingsText:
        """Return a settings file at the base branch's tip, or why it can't be used, or None without one."""
        entry = (await self._rows_of(self._tip, [path])).get(path)
        if entry is None:
            return UnusableFile("it is a folder, not a file") if await self.names_at_tip([path]) else None
        if entry.kind != "file":
            kind = "symbolic link" if entry.kind == "symlink" else entry.kind
            return UnusableFile(f"it is a {kind}, not a file")
        if path in self._left_out:
            return UnusableFile("reading it exceeded the limits of a review")
        if not 0 <= entry.size <= MAX_FILE_BYTES:
            return UnusableFile("it is too large")
        return (await self._contents([entry])).get(path)

    async def names_at_tip(self, folders: Sequence[str]) -> list[str]:
        """Return up to MAX_TIP_NAMES paths of files in these folders at the base branch's tip."""
        if self._is_listed(self._tip):
            below = tuple(f"{folder}/" for folder in folders)
            return [path for path in self._entries["base"] if path in folders or path.startswith(below)][:MAX_TIP_NAMES]
        result = await self._bounded(
            "--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only", self._tip, "--", *folders, rows=MAX_TIP_NAMES,
            most=MAX_TIP_NAMES * PATH_BYTES,
        )  # fmt: skip
        return [name_of(name) for name in result.out.split(b"\0")[:MAX_TIP_NAMES] if name] if result.status == 0 else []

    async def many_at(self, commit: str, paths: Sequence[str]) -> Mapping[str, bytes]:
        """Return the contents of these files in a commit, in the given order. Missing ones are omitted.

        If the commit is unknown, the result is empty.
        """
        distinct_paths = [path for path in dict.fromkeys(paths) if path]
        rows = await self._rows_of(commit, distinct_paths)
        return await self._contents(map(rows.get, distinct_paths))

    async def _rows_of(self, commit: str, paths: Sequence[str]) -> Mapping[str, TreeEntry]:
        if self._is_listed(commit):
            return self._entries["base"]
        out = b""
        for index in range(0, len(paths), BATCH):
            result = await self._run(
                "--literal-pathspecs", "ls-tree", "-l", "-z", "--end-of-options", commit, "--", *map(os.fsdecode,
                map(raw_name, paths[index : index + BATCH])),
            )  # fmt: skip
            out += result.out if result.status == 0 else b""
        rows = [entry for entry in out.split(b"\0") if entry and not entry.startswith(FOLDER_MODE)]
        return {entry.path: entry for entry in map(_entry, rows)}

    def _is_listed(self, commit: str) -> bool:
        """Return whether all of a commit's entries are already listed. Only the base's can be."""
        return commit == self._tree("base") and "base" in self._entries and not self.stopped_searches

    async def descends(self, commit: str) -> bool | None:
        """Return whether the head descends from a commit, or None if the history may be incomplete.

        For uncommitted work, return True.
        """
        if self.pull.object_dir:
            return True
        result = await self._run("merge-base", "--is-ancestor", "--end-of-options", commit, self.pull.head)
        return True if result.status == 0 else None if self.pull.missing_history else False

    async def commits(self) -> frozenset[str] | None:
        """Return the IDs of the change's commits, or None if they are unknown or partly missing."""
        if self.pull.object_dir or self.pull.missing_history:
            return None
        result = await self._run("rev-list", f"{self.pull.base}..{self.pull.head}")
        return None if result.status else frozenset(result.out.decode().split())

    async def commit_lines(self, most: int) -> tuple[Sequence[CommitLines], str]:
        """Return the hunks of the change's commits, oldest first, and why some commits are missing, or "".

        The head and merge commits are omitted. Hunks have one line of context. At most the `most` newest
        commits are read.
        """
        if self.pull.object_dir or not self.pull.base:
            return (), ""
        done = await self._bounded(
            "log", "--no-merges", f"--max-count={most + 2}", "--format=%x00%H", "-p", "-U1", "--no-renames",
            "--no-ext-diff", "--no-textconv", "--no-color", "--full-history", f"{self.pull.base}..{self.pull.head}",
            "--", ".", seconds=HISTORY_SECONDS, most=HISTORY_BYTES,
        )  # fmt: skip
        commits = [commit for commit in _commits(done.out) if commit[0] != self.pull.head]
        missing = ""
        if self.pull.missing_history:
            missing = f"not all commits in the change were checked for secrets: {self.pull.missing_history}"
        elif len(commits) > most:
            missing = f"only the last {most} commits in the change were checked for secrets"
        elif done.was_stopped or done.status:
            missing = "the commits in the change are too large to check all of them for secrets"
        return [lines for commit in reversed(commits[:most]) for lines in _lines_of(*commit)], missing

    @property
    def _tip(self) -> str:
        return self.pull.base_tip or self.pull.base

    def _tree(self, side: Side) -> str:
        return self.pull.head if side == "head" else self.pull.base

    async def _git(self, *arguments: str) -> bytes:
        return await git.output(*arguments, cwd=self._folder, env=self._env)

    async def _run(self, *arguments: str) -> git.GitResult:
        return await git.run(*arguments, cwd=self._folder, env=self._env)

    async def _bounded(
        self, *arguments: str, most: int, rows: int | None = None, seconds: float = git.MAX_SECONDS
    ) -> git.GitResult:
        """Run a command until it has written `most` bytes, or `rows` rows that end with a NUL byte."""
        return await git.search(
            *arguments, cwd=self._folder, env=self._env, most=most, rows=rows, row_end=b"\0", seconds=seconds
        )

    async def _patch(self, *form: str) -> bytes:
        """Return git's status rows followed by the patch. Raises GitError if the patch is too large."""
        result = await self._bounded(
            "diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--raw", "-z", "--no-abbrev", *form,
            self.pull.base, self.pull.head, most=MAX_PATCH_BYTES,
        )  # fmt: skip
        if result.was_stopped:
            raise GitError(
                f"the patch is larger than {MAX_PATCH_BYTES >> 20} MiB or takes too long to create. Split the change"
            )
        if result.status:
            raise git.failure("diff-tree", result)
        return result.out

    async def _contents(self, entries: Iterable[TreeEntry | None]) -> Contents:
        """Return the contents of the regular files among these entries that may be read."""
        readable = [
            entry
            for entry in entries
            if entry and entry.kind == "file" and entry.size <= MAX_FILE_BYTES and entry.path not in self._left_out
        ]
        async with self._lock:
            blobs = await self._blobs([entry.oid for entry in readable])
        return Contents({e.path: blob for e, blob in zip(readable, blobs, strict=True) if blob is not None})

    async def _blobs(self, oids: Sequence[str]) -> list[bytes | None]:
        """Several review steps read the same files, so the objects are cached."""
        found = {oid: self._blob_cache.get(oid) for oid in oids}
        new = [oid for oid, blob in found.items() if blob is None]
        for oid, blob in zip(new, await self._read(new), strict=True):
            found[oid] = blob
            if blob is not None:
                self._blob_cache.put(oid, blob, len(blob))
        return [found[oid] for oid in oids]

    async def _read(self, oids: Sequence[str]) -> list[bytes | None]:
        """Read objects with `git cat-file --batch`, and return them in the given order.

        They are requested in batches, because git and this process could otherwise block each other with full
        pipes.
        """
        if not oids:
            return []
        if self._batch is None:
            self._batch = await git.start("cat-file", "--batch", cwd=self._folder, env=self._env)
        process = self._batch
        blobs: list[bytes | None] = []
        if process.stdin is None or process.stdout is None:
            raise GitError("git cat-file has no pipes")
        for index in range(0, len(oids), BATCH):
            batch = oids[index : index + BATCH]
            process.stdin.write("".join(f"{oid}\n" for oid in batch).encode())
            try:
                async with asyncio.timeout(git.MAX_SECONDS):
                    blobs += [await _object(process.stdout) for _ in batch]
            except (TimeoutError, asyncio.CancelledError) as error:
                self._batch = None  # the rest of an answer would be read as the next one
                await end_process(process, process.stdout, process.stderr)
                if isinstance(error, TimeoutError):
                    raise GitError(f"git cat-file was stopped after {git.MAX_SECONDS:g} s") from None
                raise
        return blobs


async def _object(out: asyncio.StreamReader) -> bytes | None:
    """Read the next object from git's output. Return None if it is missing, or not a file's content."""
    head = (await out.readline()).split()
    content = (await out.readexactly(int(head[2]) + 1))[:-1] if len(head) == len(("oid", "type", "size")) else None
    return content if head[1:2] == [b"blob"] else None


def _split_output(rows_and_patch: bytes) -> tuple[bytes, bytes]:
    """A row has two paths if a file was renamed or copied. A NUL byte follows the last row."""
    end = 0
    while rows_and_patch.startswith(b":", end):
        end_of_row = rows_and_patch.index(b"\0", end)
        kind = rows_and_patch[end:end_of_row].rpartition(b" ")[2]
        end = rows_and_patch.index(b"\0", end_of_row + 1) + 1
        if kind.startswith((b"R", b"C")):
            end = rows_and_patch.index(b"\0", end) + 1
    return rows_and_patch[:end], rows_and_patch[end + 1 :]


def _moves(status: bytes) -> Iterator[tuple[bool, str, str]]:
    """Yield the renamed and copied files in status rows: whether the file is a copy, and both paths."""
    fields = iter(status.split(b"\0"))
    for meta in fields:
        if meta.startswith(b":"):
            letter, name = meta.rpartition(b" ")[2][:1], next(fields)
            if letter in (b"R", b"C"):
                yield letter == b"C", name_of(name), name_of(next(fields))


def _entry(entry: bytes) -> TreeEntry:
    meta, _, path = entry.partition(b"\t")
    mode, _, oid, size = meta.split()
    byte_size = SIZES[size] if size in SIZES else int(size)
    return TreeEntry(name_of(path), oid.decode(), ENTRY_KINDS.get(mode, "file"), byte_size)


def _commits(out: bytes) -> list[tuple[str, bytes]]:
    _, *parts = COMMIT.split(out)
    return [(name.decode(), patch) for name, patch in zip(parts[::2], parts[1::2], strict=True)]


def _lines_of(commit: str, patch: bytes) -> Iterator[CommitLines]:
    path, rows, is_hunk = "", list[str](), False
    for row in (*patch.decode("utf-8", "replace").split("\n"), "diff --"):
        if is_hunk and row[:1] in {" ", "+", "-"}:
            rows.append(row)
        elif row.startswith(("@@", "diff --")):
            if rows:
                after, before = ([one for one in rows if one[0] != sign] for sign in "-+")
                signs = "".join(one[0] for one in after)
                yield CommitLines(commit, path, [one[1:] for one in after], signs, [one[1:] for one in before])
            rows, is_hunk = [], row.startswith("@@")
        elif not is_hunk and row.startswith("+++ "):
            path = row[4:].removesuffix("\t").strip('"').removeprefix("b/")
