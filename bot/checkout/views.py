"""Views of the two trees: with a cache for searches, without files that are never shown, and without secrets.

Secrets in code are replaced with placeholders before models or tests written by models can see the code. Whole
files are searched for secrets, because part of a secret may not be recognized. `deeprepo.rlm.money.calls` masks
the same secrets in prompts, and `bot/review/written.py` masks them in output.
"""

import asyncio
import io
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from bot.file_kinds import is_excluded_from_search
from bot.ports import KnownSecrets, RunnableTree
from bot.secrets.masking import Masks
from bot.secrets.patterns import PROMISING_LINE
from bot.values import Query, Side, TreeEntry
from bot.values.finding import PLACEHOLDER
from deeprepo.impact.paths import above_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.views import TreeView

if TYPE_CHECKING:
    import tarfile

MAX_EXCLUDED = 60  # files and folders that a search excludes
Found = TypeVar("Found")
SIDES: Sequence[Side] = ("base", "head")
BATCH = 256  # files that are in memory while secrets are learned
PARTS_PER_PATTERN = 400  # of up to 12 characters, so that git accepts the pattern
# Files up to this size are searched for secrets, unless there is a NUL byte in their first bytes.
MAX_TEXT_BYTES, HEAD_BYTES = 2 << 20, 8_000


class CachedTree(TreeView):
    """A tree that caches its searches. Implements `ports.RunnableTree`.

    The results of a search that was stopped early are not cached.
    """

    def __init__(self, tree: RunnableTree) -> None:
        super().__init__(tree)
        self._runnable = tree
        self._locks: dict[Query, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._paths: dict[Query, frozenset[str]] = {}
        self._lines: dict[Query, tuple[tuple[str, int, str], ...]] = {}

    async def archive(self, side: Side, most: int) -> bytes:
        """Return one side as a tar archive."""
        return await self._runnable.archive(side, most)

    async def with_contents(self, contents: Mapping[Side, Mapping[str, bytes]]) -> RunnableTree:
        """Return both trees with other contents for some files."""
        copy = await self._runnable.with_contents(contents)
        return self if copy is self._runnable else CachedTree(copy)

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of the text files in which any of the patterns occurs."""
        return await self._once(self._paths, self._tree.grep, query)

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines."""
        return await self._once(self._lines, self._tree.grep_lines, query)

    async def _once(
        self, known: dict[Query, Found], search: Callable[[Query], Awaitable[Found]], query: Query
    ) -> Found:
        async with self._locks[query]:
            if query in known:
                return known[query]
            stopped = len(self.stopped_searches)
            found = await search(query)
            if len(self.stopped_searches) == stopped:
                known[query] = found
            return found


class WrittenTree(TreeView):
    """A tree whose searches exclude files that are never shown. Implements `ports.Tree`."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._without: dict[Side, tuple[str, ...]] = {}

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of the text files in which any of the patterns occurs."""
        return await self._tree.grep(await self._narrowed(query))

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines."""
        return await self._tree.grep_lines(await self._narrowed(query))

    async def _narrowed(self, query: Query) -> Query:
        if query.side not in self._without:
            self._without[query.side] = _excluded_paths(await self._tree.entries(query.side))
        return replace(query, without=self._without[query.side])


def _excluded_paths(entries: Mapping[str, TreeEntry]) -> tuple[str, ...]:
    """Return the paths to exclude from searches, largest first, with whole folders where possible."""
    left_out = {path: entry.size for path, entry in entries.items() if is_excluded_from_search(path, entry.size)}
    searched = {folder for path in entries.keys() - left_out.keys() for folder in _folders(path)}
    sizes: Counter[str] = Counter()
    for path, size in left_out.items():
        sizes[next((folder for folder in _folders(path) if folder not in searched), path)] += size
    return tuple(path for path, _ in sizes.most_common(MAX_EXCLUDED))


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that contain a file, outermost first."""
    return reversed([*above_of(path)])


def create_known_secrets() -> KnownSecrets:
    """Return an empty set of known secrets for a review."""
    return Masks()


class _IncompleteSearchError(Exception):
    """A search for files with secrets was stopped early."""


class MaskedTree(TreeView):
    """A `Tree` with placeholders for secrets, as models see and quote it.

    Searches run in a copy of the trees with placeholders. Otherwise, repeated searches could guess a secret
    from which lines match, how many there are, or whether a search fails.
    """

    def __init__(self, tree: RunnableTree, masks: KnownSecrets) -> None:
        super().__init__(tree)
        self._runnable, self._masks = tree, masks
        self._lock = asyncio.Lock()
        self._unread: dict[Side, list[str]] = {}  # files that may contain secrets and were not read yet
        self._read: set[str] = set()  # object IDs of such files
        self._learned: set[tuple[str, str]] = set()  # path and object ID of files that were read
        self._replaced_parts = frozenset[str]()  # parts of the secrets that the copy contains no more
        self._contents: dict[Side, dict[str, bytes]] = {"base": {}, "head": {}}  # the copy's changed files
        self._copy: Tree = tree

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files, with placeholders for their secrets and all known ones."""
        entries = await self.entries(side)
        names = {self._original_path(path, entries): path for path in paths}
        blobs = await self._tree.read_many([*names], side)
        oids = {path: entries[path].oid for path in blobs}
        new = oids.items() - self._learned
        self._masks.learn_files({path: blobs[path].decode("utf-8", "replace") for path, _ in new})
        self._learned |= new
        return {names[path]: self._masks.hide_blob(oids[path], blob) for path, blob in blobs.items()}

    def _original_path(self, path: str, entries: Mapping[str, TreeEntry]) -> str:
        is_masked = path not in entries and PLACEHOLDER.search(path)
        return next((one for one in entries if self._masks.hide_known(one) == path), path) if is_masked else path

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of the text files in which any of the patterns occurs after masking."""
        try:
            return await (await self._masked_copy()).grep(query)
        except _IncompleteSearchError:
            return frozenset()

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the lines that match after masking, as (path, line, masked text)."""
        try:
            return await (await self._masked_copy()).grep_lines(query)
        except _IncompleteSearchError:
            return ()

    async def _masked_copy(self) -> Tree:
        """Return a copy of both trees, with placeholders for all secrets that are known or in the trees."""
        async with self._lock:
            for side in SIDES:
                await self._learn_all(side)
            new_parts = self._masks.distinctive_parts() - self._replaced_parts
            if new_parts or self._copy is self._tree:
                for side in SIDES:
                    await self._replace_secrets(new_parts, side)
                self._copy = await self._runnable.with_contents(self._contents)
                self._replaced_parts |= new_parts
            return self._copy

    async def _learn_all(self, side: Side) -> None:
        """Learn all secrets on one side. If this is canceled, the next call continues."""
        if side not in self._unread:
            self._unread[side] = sorted(await self._files_with(PROMISING_LINE, side))
        entries, unread = await self.entries(side), self._unread[side]
        while unread:
            batch = unread[-BATCH:]
            oids = {path: entries[path].oid for path in batch if path in entries}
            new = [path for path, oid in oids.items() if oid not in self._read]
            blobs = await self._tree.read_many(new, side)
            for blob in blobs.values():
                # Without its path, as in prompts, so that the rules for the most kinds of files apply
                self._masks.learn(blob.decode("utf-8", "surrogateescape"))
            self._contents[side] |= dict.fromkeys(set(batch) - oids.keys() | set(new) - blobs.keys(), b"")
            self._read.update(oids[path] for path in blobs)
            del unread[-BATCH:]

    async def _replace_secrets(self, parts: Collection[str], side: Side) -> None:
        """Mask the contents of the files with these parts of secrets. Unreadable files become empty."""
        paths: frozenset[str] = frozenset()
        for pattern in _patterns_for(parts):
            paths |= await self._files_with(pattern, side)
        blobs, entries = await self._tree.read_many(sorted(paths), side), await self.entries(side)
        self._contents[side] |= dict.fromkeys(paths - blobs.keys(), b"")
        for path, blob in blobs.items():
            hidden = self._masks.hide_blob(entries[path].oid, blob)
            if hidden != blob:
                self._contents[side][path] = hidden

    async def _files_with(self, pattern: str, side: Side) -> frozenset[str]:
        stopped = len(self.stopped_searches)
        paths = await self._tree.grep(Query([pattern], syntax="perl", side=side))
        if len(self.stopped_searches) > stopped:
            raise _IncompleteSearchError
        return paths


def _patterns_for(parts: Collection[str]) -> Iterator[str]:
    """Texts are grouped by their first byte.

    Git would compare every position with each of thousands of alternatives.
    """
    ordered = sorted(part.encode("utf-8", "surrogateescape") for part in parts)
    for index in range(0, len(ordered), PARTS_PER_PATTERN):
        groups = groupby(ordered[index : index + PARTS_PER_PATTERN], key=lambda part: part[:1])
        yield "|".join(
            f"{_literal(first)}(?:{'|'.join(_literal(part[1:]) for part in group)})" for first, group in groups
        )


def _literal(text: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text)


def archive_without_secrets(archive: bytes, folder: str) -> bytes:
    """Return a tar archive of `folder` in which secrets in text files are replaced by placeholders.

    The output of a test is shown to a model and to people, and the test could print secrets in any form. So
    it must not have access to any. All files get new modification times, so that build tools rebuild what was
    built from the base. The archive has no end marker, so more files can be appended.
    """
    import tarfile  # imported here because few reviews run tests

    masks, whole, now = create_known_secrets(), io.BytesIO(), int(time.time()) + 1
    # A first pass, because the last file's secrets can occur in the first file
    for about, data in _members(archive):
        if _is_text(data):
            masks.learn(data.decode("utf-8", "surrogateescape"), about.name.removeprefix(folder))
    with tarfile.TarFile(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as new:
        for about, data in _members(archive):
            text = data
            if _is_text(data):
                text = masks.hide_known(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            about.size, about.mtime, about.pax_headers = len(text), now, {}
            new.addfile(about, io.BytesIO(text))
        end = new.offset
    return whole.getvalue()[:end]


def _members(archive: bytes) -> "Iterator[tuple[tarfile.TarInfo, bytes]]":
    import tarfile

    with tarfile.TarFile(fileobj=io.BytesIO(archive)) as known:
        for about in known:
            file = known.extractfile(about) if about.isreg() else None
            yield about, file.read() if file is not None else b""


def _is_text(data: bytes) -> bool:
    return 0 < len(data) <= MAX_TEXT_BYTES and b"\0" not in data[:HEAD_BYTES]
