"""Join two trees: the reviewed repository, and a consumer's repository in a folder of its own.

A consumer is then like another folder of a monorepo, and the usual code resolves imports, finds references
and compares calls. Nothing is written to disk, and no object of one store is looked up in the other.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from deeprepo.impact.changes import Query, TreeEntry
from deeprepo.impact.in_hand import Contents
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.text.paths import vendored_folder
from deeprepo.impact.values import Side
from deeprepo.impact.views import TreeView

LINKS = "+links/"  # the folder of configuration files that connect both trees
MAGIC = re.compile(r":\((?:literal|glob)\)")


class MountedTree(TreeView):
    """A consumer's tree whose paths begin with a prefix. Satisfies `ports.Tree`."""

    def __init__(self, tree: Tree, prefix: str) -> None:
        super().__init__(tree)
        self.prefix = prefix

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return every path of one side."""
        rows = (await self._tree.entries(side)).items()
        return {self.prefix + path: replace(entry, path=self.prefix + entry.path) for path, entry in rows}

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files."""
        inner = {path.removeprefix(self.prefix): path for path in paths if path.startswith(self.prefix)}
        texts = await self._tree.read_many([*inner], side) if inner else {}
        return Contents({inner[path]: text for path, text in texts.items()})

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of text files that match any of the patterns."""
        inside = self._inside(query)
        return frozenset(self.prefix + path for path in await self._tree.grep(inside)) if inside else frozenset()

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines."""
        inside = self._inside(query)
        rows = await self._tree.grep_lines(inside) if inside else ()
        return tuple((self.prefix + path, line, text) for path, line, text in rows)

    def _inside(self, query: Query) -> Query | None:
        """Return the query with the tree's own pathspecs; None if they match nothing in it."""
        globs = []
        for spec in query.globs:
            magic = match[0] if (match := MAGIC.match(spec)) else ""
            rest = spec.removeprefix(magic)
            if magic and not rest.startswith(self.prefix):
                continue
            inner = rest.removeprefix(self.prefix)
            if inner in {"", "*", "**"}:
                return replace(query, globs=())
            globs.append(magic + inner)
        return replace(query, globs=globs) if globs or not query.globs else None


class OverlayTree(TreeView):
    """The reviewed tree with a consumer's tree in a separate folder, equal on both sides.

    Satisfies `ports.Tree`.
    """

    def __init__(
        self,
        product: Tree,
        consumer: MountedTree,
        *,
        is_offered: Callable[[str], bool],
        handing: Callable[[str], bool],
        links: Mapping[str, bytes],
    ) -> None:
        """Join two trees.

        `is_offered` selects the product's files that a consumer can reach, directly or not. `handing` selects
        those among them that a search for importers includes, because they may re-export names.
        """
        super().__init__(product)
        self._consumer, self._is_offered, self._handing = consumer, is_offered, handing
        self._links = {f"{LINKS}{name}": source for name, source in links.items()}
        self._entries: dict[Side, dict[str, TreeEntry]] = {}

    @property
    def stopped_searches(self) -> Sequence[str]:
        """The sentences for searches that were stopped early."""
        return [*self._tree.stopped_searches, *self._consumer.stopped_searches]

    def inside(self, path: str) -> str | None:
        """Return the path in the consumer, or None for a file of the product."""
        return path[len(self._consumer.prefix) :] if path.startswith(self._consumer.prefix) else None

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return every path of one side."""
        if side not in self._entries:
            product, consumer = await self._tree.entries(side), await self._consumer.entries()
            found = {path: entry for path, entry in product.items() if self._is_offered(path)}
            found |= {path: entry for path, entry in consumer.items() if not vendored_folder(self.inside(path) or "")}
            found |= {path: TreeEntry(path, "", "file", len(source)) for path, source in self._links.items()}
            self._entries[side] = found
        return self._entries[side]

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files, in the requested order."""
        there = await self.entries(side)
        wanted = [path for path in dict.fromkeys(paths) if path in there]
        ours = [path for path in wanted if self.inside(path) is None and path not in self._links]
        every = {**await self._tree.read_many(ours, side), **await self._consumer.read_many(wanted), **self._links}
        return Contents({path: every[path] for path in wanted if path in every})

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of text files that match; in the product, only those that may re-export names."""
        ours = {path for path in await self._tree.grep(query) if self._handing(path)}
        found = ours | await self._consumer.grep(query)
        return frozenset(found & (await self.entries(query.side)).keys())

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return at most `limit` matching lines, the consumer's first."""
        there = await self.entries(query.side)
        rows = (*await self._consumer.grep_lines(query), *await self._tree.grep_lines(query))
        return tuple(row for row in rows if row[0] in there)[: query.limit]


def mount_of(name: str) -> str:
    """Return the folder of a consumer in the joined tree, with a trailing slash; no repository has such a folder."""
    return "+" + re.sub(r"[^\w.-]+", "+", name) + "/"
