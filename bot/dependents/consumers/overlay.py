"""Two trees as one: the reviewed repository, and below a folder of its own a repository that uses it.

A consumer then is what another folder of a monorepo is: imports are resolved, uses are found and calls are compared by the code
that does it within one repository. Nothing is written to a disk, and no object of one store is looked up in the other.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bot.checkout.tree import TreeView
from bot.machine.limits import Contents
from bot.ports import Tree
from bot.text.paths import vendored_folder
from bot.values import Query, Side, TreeEntry
from bot.values.consumer import label

LINKS = "+links"  # the folder of configuration files that join both trees
LITERAL, GLOB = ":(literal)", ":(glob)"


class OverlayTree:
    """The reviewed tree with a consumer's below a folder of its own, the same on both sides. Satisfies `ports.Tree`."""

    def __init__(
        self,
        product: Tree,
        consumer: Tree,
        mount: str,
        *,
        is_offered: Callable[[str], bool],
        handing: Callable[[str], bool],
        is_pinned: Callable[[str], bool],
        links: Mapping[str, bytes],
    ) -> None:
        """Join two trees.

        `is_offered`: which files of the product a consumer can reach, directly or not. `handing`: of these, those that a search proposes as
        importers, because they may hand names on. `is_pinned`: which are the base's on both sides, so that one that changes hides no other
        change.
        """
        self._product, self._consumer, self._mount = product, consumer, f"{mount}/"
        self._is_offered, self._handing, self._is_pinned = is_offered, handing, is_pinned
        self._links = {f"{LINKS}/{name}": source for name, source in links.items()}
        self._entries: dict[Side, dict[str, TreeEntry]] = {}

    @property
    def stopped_searches(self) -> Sequence[str]:
        """A sentence for each search that was ended before it was done."""
        return [*self._product.stopped_searches, *self._consumer.stopped_searches]

    def inside(self, path: str) -> str | None:
        """The path in the consumer, None for a file of the product."""
        return path[len(self._mount) :] if path.startswith(self._mount) else None

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Every path of one side."""
        if side not in self._entries:
            product, consumer = await self._product.entries(side), await self._consumer.entries()
            before = product if side == "base" else await self._product.entries("base")
            found = {path: entry for path, entry in product.items() if not self._is_pinned(path)}
            found |= {path: entry for path, entry in before.items() if self._is_pinned(path)}
            found = {path: entry for path, entry in found.items() if self._is_offered(path)}
            for path, entry in consumer.items():
                if not vendored_folder(path):
                    found[self._mount + path] = TreeEntry(self._mount + path, entry.oid, entry.kind, entry.size)
            for path, source in self._links.items():
                found[path] = TreeEntry(path, "", "file", len(source))
            self._entries[side] = found
        return self._entries[side]

    async def links(self, side: Side = "head") -> Mapping[str, str]:
        """What each symbolic link of one side holds: a path from its own folder, in either tree."""
        there = await self.entries(side)
        ours, theirs = await self._product.links(side), await self._consumer.links()
        every = {**ours, **{self._mount + path: target for path, target in theirs.items()}}
        return {path: target for path, target in every.items() if path in there}

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """The content of a file."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """The contents of many files, in the order asked."""
        there = await self.entries(side)
        wanted = [path for path in dict.fromkeys(paths) if path in there]
        inner = [path[len(self._mount) :] for path in wanted if path.startswith(self._mount)]
        outer = [path for path in wanted if not path.startswith((self._mount, f"{LINKS}/"))]
        theirs = dict(await self._consumer.read_many(inner)) if inner else {}
        pinned = {path for path in outer if side == "head" and self._is_pinned(path)}
        ours = dict(await self._product.read_many([path for path in outer if path not in pinned], side))
        ours |= dict(await self._product.read_many(sorted(pinned), "base")) if pinned else {}
        every = {**{self._mount + path: source for path, source in theirs.items()}, **ours, **self._links}
        return Contents({path: every[path] for path in wanted if path in every})

    async def grep(self, query: Query) -> frozenset[str]:
        """Paths of the text files in which any of the patterns occurs: of the product those alone that may hand names on."""
        there = await self.entries(query.side)
        ours, theirs = self._split(query.globs)
        paths: set[str] = set()
        if ours is not None:
            rows = await self._product.grep(replace(query, globs=ours))
            paths |= {path for path in rows if self._handing(path)}
        if theirs is not None:
            inner = await self._consumer.grep(replace(query, globs=theirs, side="head"))
            paths |= {self._mount + path for path in inner}
        return frozenset(paths & there.keys())

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """The matching lines, `limit` at most; those of the consumer come first."""
        there = await self.entries(query.side)
        ours, theirs = self._split(query.globs)
        hits: list[tuple[str, int, str]] = []
        if theirs is not None:
            rows = await self._consumer.grep_lines(replace(query, globs=theirs, side="head"))
            hits += [(self._mount + path, line, text) for path, line, text in rows]
        if ours is not None:
            hits += await self._product.grep_lines(replace(query, globs=ours))
        return tuple(row for row in hits if row[0] in there)[: query.limit]

    def _split(self, globs: Sequence[str]) -> tuple[list[str] | None, list[str] | None]:
        """The pathspecs of each tree; None where they name nothing of it."""
        if not globs:
            return [], []
        ours: list[str] = []
        theirs: list[str] = []
        for spec in globs:
            magic = next((magic for magic in (LITERAL, GLOB) if spec.startswith(magic)), "")
            rest = spec.removeprefix(magic)
            if not magic:
                ours.append(spec)
                theirs.append(spec)
            elif rest.startswith(self._mount):
                theirs.append(magic + rest[len(self._mount) :])
            else:
                ours.append(spec)
        return ours or None, theirs or None


class LabelledTree(TreeView):
    """A consumer's tree whose paths begin with its name and a colon, as findings write them. Satisfies `ports.Tree`."""

    def __init__(self, tree: Tree, name: str) -> None:
        super().__init__(tree)
        self._prefix = label(name, "")

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Every path of one side."""
        rows = (await self._tree.entries(side)).items()
        return {self._prefix + path: replace(entry, path=self._prefix + entry.path) for path, entry in rows}

    async def links(self, side: Side = "head") -> Mapping[str, str]:
        """What each symbolic link of one side holds."""
        return {self._prefix + path: target for path, target in (await self._tree.links(side)).items()}

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """The contents of many files."""
        inner = {path.removeprefix(self._prefix): path for path in paths if path.startswith(self._prefix)}
        texts = await self._tree.read_many([*inner], side)
        return Contents({inner[path]: text for path, text in texts.items()})

    async def grep(self, query: Query) -> frozenset[str]:
        """Paths of the text files in which any of the patterns occurs."""
        return frozenset(self._prefix + path for path in await self._tree.grep(self._inside(query)))

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """The matching lines."""
        rows = await self._tree.grep_lines(self._inside(query))
        return tuple((self._prefix + path, line, text) for path, line, text in rows)

    def _inside(self, query: Query) -> Query:
        """The query with pathspecs as the consumer's own tree takes them; one that names all of it narrows nothing."""
        globs = []
        for spec in query.globs:
            magic = next((magic for magic in (LITERAL, GLOB) if spec.startswith(magic)), "")
            inner = spec.removeprefix(magic).removeprefix(self._prefix)
            if inner in {"", "*", "**"}:
                return replace(query, globs=())
            globs.append(magic + inner)
        return replace(query, globs=globs)


def mount_of(name: str) -> str:
    """The folder of a consumer in the joined tree: one that no repository has."""
    return "+" + re.sub(r"[^\w.-]+", "+", name)
