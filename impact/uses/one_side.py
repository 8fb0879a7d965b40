"""One side of a change as `impact` reads it."""

from collections.abc import Mapping, Sequence

from impact.changes import Query
from impact.ports import Tree
from impact.values import Side


class OneSide:
    """One side of a change. Satisfies `impact.Tree` and `impact.Base`."""

    def __init__(self, tree: Tree, side: Side) -> None:
        self._tree, self._side = tree, side

    async def paths(self) -> Mapping[str, bool]:
        """Every path, and whether it is a plain file."""
        return {path: entry.kind == "file" for path, entry in (await self._tree.entries(self._side)).items()}

    async def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The bytes of files."""
        return await self._tree.read_many(paths, self._side)

    async def holding(self, pattern: str, under: str = "") -> Sequence[str]:
        """The text files, of all or below a folder, with a line that matches a pattern."""
        where = [f":(literal){under}"] if under else []
        return sorted(await self._tree.grep(Query([pattern], where, syntax="perl", side=self._side)))
