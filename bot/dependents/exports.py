"""Which names a file offers to its importers, before and after: what it no longer offers breaks them."""

from collections.abc import Mapping

from bot.dependents.confirm import Reach
from bot.values import Import, Outline, Side

DEPTH = 5  # files that hand on everything of each other
Offer = tuple[frozenset[str], bool]  # the names, and whether there can be no others


class Exports:
    """The names that the files of one language offer, on both sides."""

    def __init__(self, sides: Mapping[Side, Reach]) -> None:
        self._sides = sides
        self._gone: dict[str, frozenset[str]] = {}
        self._outlines: dict[tuple[Side, str], Outline | None] = {}

    async def outline(self, side: Side, path: str) -> Outline | None:
        """The outline of a file, None where it cannot be read."""
        if (side, path) not in self._outlines:
            reach = self._sides[side]
            source = await reach.tree.read(path, side) if path in reach.paths else None
            self._outlines[side, path] = reach.language.outline(path, source, side) if source is not None else None
        return self._outlines[side, path]

    async def imports(self, path: str) -> tuple[Import, ...]:
        """What a file of the head tree imports."""
        return await self._sides["head"].imports(path)

    async def gone(self, path: str) -> frozenset[str]:
        """Names that the file offered and offers no longer; empty where that cannot be known for certain."""
        if path not in self._gone:
            before = await self._offer("base", path, frozenset())
            after = await self._offer("head", path, frozenset())
            certain = after[1] and await self.outline("head", path) is not None
            self._gone[path] = before[0] - after[0] if certain else frozenset()
        return self._gone[path]

    async def _offer(self, side: Side, path: str, seen: frozenset[str]) -> Offer:
        outline = await self.outline(side, path)
        if outline is None:
            return frozenset(), False
        if not outline.stars:
            return outline.names, outline.complete
        if (
            path in seen or len(seen) >= DEPTH
        ):  # a cycle adds nothing that is not met on its way; a chain too long is unknown
            return outline.names, path in seen
        names, complete, stars = set(outline.names), outline.complete, 0
        for item in await self._sides[side].imports(path):
            if "*" in item.names and "*" not in dict(item.aliases):
                below, known = await self._offer(side, item.target, seen | {path})
                names |= below - {"default"}
                complete, stars = complete and known, stars + 1
        return frozenset(names), complete and stars >= outline.stars
