"""Determine what the files of one language export on both sides. If a file no longer exports a name, its importers break."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Literal, TypeVar

from deeprepo.impact import resolving
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.values import Definition, Link, Outline, Side

if TYPE_CHECKING:
    from deeprepo.impact.resolving.classes import Ancestry
    from deeprepo.impact.resolving.index import Index
    from deeprepo.impact.resolving.resolve import Answer

Told = TypeVar("Told")
DEPTH = 12  # levels of wildcard re-exports
NOT_HANDED_ON = frozenset({"default"})
Offer = tuple[frozenset[str], bool]  # the names, and whether they are all
# what a name is in a file, on one side of the change
NameStatus = Definition | Literal["there", "module", "absent", "unknown"]


class Exports:
    """The names that the files of one language export, on both sides."""

    def __init__(self, sides: Mapping[Side, Reach]) -> None:
        self._sides = sides
        self.gone: dict[str, frozenset[str]] = {}  # file -> the names that `gone_names` found
        self._sources: dict[frozenset[str], Mapping[str, bytes]] = {}
        self._outlines: dict[tuple[Side, str], Outline | None] = {}
        self._former: dict[str, str] = {}  # path in the head -> path in the base
        self._visible: dict[str, Collection[str]] = {}
        self._index: Index | None = None  # of the head

    def moved(self, before: str, after: str) -> None:
        """Record that a file moved under the same name, so that its exports are compared with the old path's."""
        self._former[after] = before

    def know(self, side: Side, path: str, outline: Outline) -> None:
        """Cache an outline."""
        self._outlines[side, path] = outline

    async def outline(self, side: Side, path: str) -> Outline | None:
        """Return the outline of a file; None if it is unreadable.

        An unchanged file has one outline for both sides.
        """
        path = self._former.get(path, path) if side == "base" else path
        if (side, path) not in self._outlines:
            if side == "base" and await self.is_unchanged(path):
                return await self.outline("head", path)
            reach = self._sides[side]
            source = await reach.tree.read(path, side) if path in reach.paths else None
            self._outlines[side, path] = resolving.outline(path, source, side) if source is not None else None
        return self._outlines[side, path]

    async def is_unchanged(self, path: str) -> bool:
        """Return whether a file is the same on both sides."""
        before, after = [(await reach.tree.entries(side)).get(path) for side, reach in self._sides.items()]
        return before is not None and after is not None and before.oid == after.oid

    async def links(self, path: str) -> tuple[Link, ...]:
        """Return what a file in the head tree imports."""
        return await self._sides["head"].links(path)

    async def ancestry(self, path: str, owner: str) -> "Ancestry":
        """Return a class of the head tree with everything it inherits from."""
        from deeprepo.impact.resolving.classes import ancestry

        return await self._read(lambda index: ancestry(index, path, owner))

    async def inherited(self, path: str, owner: str) -> tuple[Definition, ...] | None:
        """Return the members that a class inherits after the change; None if a base is unknown."""
        from deeprepo.impact.resolving.classes import lineage, members

        def read(index: "Index") -> tuple[Definition, ...] | None:
            line = lineage(index, path, owner)
            return None if line is None else tuple(row for home in line[1:] for _, row in members(index, *home))

        return await self._read(read)

    async def has_member(self, path: str, owner: str, name: str) -> bool:
        """Return whether a class or one of its bases has a member after the change."""
        from deeprepo.impact.resolving.classes import has_member

        return await self._read(lambda index: has_member(index, path, owner, name))

    async def meaning(self, path: str, name: str, *, types: bool = False) -> NameStatus:
        """Return what an exported name refers to after the change, through any re-exports.

        `types`: a type is wanted, which may be exported as a type only.
        """
        outline = await self.outline("head", path)
        local = dict(outline.exports).get(name) if outline is not None else None
        if outline is None or (not types and not outline.loose.isdisjoint((name, local or name))):
            return "unknown"
        own = next((symbol for symbol in outline.definitions if symbol.name == local), None)
        if own is not None:
            return own
        answer = await self._offered(path, name)
        if answer.definitions:
            return "there"
        state = answer.beyond or answer.state
        if state == "absent":
            return "absent" if outline.complete and outline.bound.count(name) <= 1 else "unknown"
        if state == "open":
            behind = await self.stars("head", path)
            return "there" if any([name in (await self.offer("head", one))[0] for one in behind]) else "unknown"
        return "module" if answer.modules else "there"

    async def _offered(self, path: str, name: str) -> "Answer":
        from deeprepo.impact.resolving.resolve import offered

        return await self._read(lambda index: offered(index, [path], name))

    async def _read(self, ask: "Callable[[Index], Told]") -> "Told":
        """Return the answer of `ask` on the head's index, reading files as needed."""
        # imported here because its grammars load with the first re-exported name
        from deeprepo.impact.resolving.index import index_of

        if self._index is None:
            head = self._sides["head"]
            self._index = await index_of(head.tree, "head", head.known_links, head.load)
        return (await self._index.settled(ask))[0]

    @property
    def declares_content(self) -> bool:
        """Whether files declare what they contain, so that importing an unchanged file may also break."""
        return self._sides["head"].declares_content

    def visible_files(self, path: str) -> Collection[str]:
        """Return the files of the head tree that use the names of this one without importing it."""
        if path not in self._visible:
            self._visible[path] = self._sides["head"].visible_files(path)
        return self._visible[path]

    def names_of_project(self, path: str) -> Collection[str]:
        """Return the names that a file of the head has from its project, without an import."""
        return self._sides["head"].project.modules.names_of_project(path)

    async def beside(self, path: str, name: str) -> list[tuple[str, Outline | None]]:
        """Return the other files of a file's namespace or folder that contain the last word of a name, with outlines."""
        head, word = self._sides["head"], name.rpartition(".")[2].encode()
        mates = frozenset(head.neighbours(path))
        if mates not in self._sources:
            self._sources[mates] = await head.tree.read_many(sorted(mates))
        sources = self._sources[mates]
        return [(mate, await self.outline("head", mate)) for mate in sorted(mates) if word in sources.get(mate, word)]

    async def behind(self, side: Side, path: str) -> frozenset[str]:
        """Return a file and all files whose names it re-exports with wildcards."""
        visited, level = {path}, [path]
        for _ in range(DEPTH):
            stars = await self._sides[side].stars(level)
            level = [one for one in stars if one not in visited]
            visited.update(level)
        return frozenset(visited)

    async def offer(self, side: Side, path: str) -> Offer:
        """Return the names of a file and its wildcard re-exports; incomplete if one is unreadable."""
        names: set[str] = set()
        complete, visited, level = True, {path}, [path]
        for depth in range(DEPTH):
            below: list[str] = []
            for one in level:
                outline = await self.outline(side, one)
                if outline is None:
                    complete = False
                    continue
                names |= outline.names - (NOT_HANDED_ON if depth else frozenset())
                stars = await self.stars(side, one) if outline.stars else []
                complete = complete and outline.complete and len(stars) >= outline.stars
                below += [target for target in dict.fromkeys(stars) if target not in visited]
                visited.update(stars)
            level = below
        return frozenset(names), complete and not level

    async def stars(self, side: Side, path: str) -> list[str]:
        """Return the files whose names a file re-exports with a wildcard."""
        return await self._sides[side].stars([path])
