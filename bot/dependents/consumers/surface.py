"""What other repositories can name of a library, in languages whose files tell it, as it was before the change."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents.sites import MODULE
from bot.ports import Enclosing, Language, Tree
from bot.text.filetypes import filetype
from bot.values import Query
from bot.values.consumer import Package


@dataclass(slots=True)
class Surface:
    """The modules and names of the packages of one tree, each file read once."""

    tree: Tree
    languages: Mapping[str, Language]
    _names: dict[str, Mapping[str, bool] | None] = field(default_factory=dict)

    async def opens(self, package: Package, path: str, name: str, doors: Sequence[str]) -> bool:
        """Whether code of others could name a definition by one of the files that it imports for it; true where nothing tells."""
        language = self.languages.get(package.language)
        if not isinstance(language, Enclosing):
            return True
        if name != MODULE and not await self._opens_name(language, path, name):
            return False
        for door in doors:
            through = door == path or name == MODULE or await self._opens_name(language, door, name.partition(".")[0])
            if through and await self._opens_file(language, package, door):
                return True
        return not doors

    async def _opens_name(self, language: Enclosing, path: str, name: str) -> bool:
        names = await self._told(language, path)
        parts = name.split(".")
        return names is None or all(names.get(".".join(parts[: at + 1]), True) for at in range(len(parts)))

    async def _opens_file(self, language: Enclosing, package: Package, path: str) -> bool:
        """Whether each module down to a file is declared for others by the one above it."""
        root = max((root for root in package.roots if path.startswith(root)), key=len, default="")
        for files, name in language.declaring(path, root):
            tables = [names for file in files if (names := await self._told(language, file)) is not None]
            if tables and not any(names.get(name, False) for names in tables):
                is_absent = all(name not in names for names in tables)
                if not (is_absent and await self._is_placed(path)):
                    return False
        return True

    async def _is_placed(self, path: str) -> bool:
        """Whether an attribute says of a file where it lies: it may be a module anywhere."""
        parts = posixpath.splitext(path)[0].split("/")[-2:]
        ends = "|".join(rf"{part}\.rs|{part}/mod\.rs" for part in parts)
        return bool(
            await self.tree.grep(
                Query(
                    [rf'path *= *"([^"]*/)?({ends})"'],
                    [f"*{suffix}" for suffix in filetype(path).suffixes],
                    syntax="perl",
                    side="base",
                )
            )
        )

    async def _told(self, language: Enclosing, path: str) -> Mapping[str, bool] | None:
        if path not in self._names:
            source = await self.tree.read(path, "base")
            self._names[path] = language.openness(source) if source is not None else None
        return self._names[path]
