"""Whether a receiver may have methods of a library: of a type from outside the tree, or of one of the tree that embeds such a type."""

from collections.abc import Collection
from dataclasses import dataclass, field

from bot.dependents.exports import Exports
from bot.ports import Language, Receivers, Tree
from bot.values import Use

MOST_SOURCES = 4_000  # files that are looked through for types of libraries


@dataclass(slots=True)
class LibraryReceivers:
    """The question about one language's head tree. If the language tells nothing of receivers, the answer is no."""

    tree: Tree
    language: Language
    exports: Exports
    _embedding_folders: frozenset[str] | None = field(default=None, init=False)

    async def may_be(self, path: str, use: Use) -> bool:
        """Whether what a member is asked of comes from a library. If no line says what it comes from, the folders that its file sees decide."""
        receivers = self.language.TRAITS.receivers
        if receivers is None or use.form != "member":
            return False
        folders = await self._folders(receivers)
        source = await self.tree.read(path) or b""
        own, imports = path.rpartition("/")[0], await self._imports(path)
        origin = receivers.origin_of(source, use.receiver, use.line)
        if origin is not None and (origin.package or origin.function):
            home = imports.get(origin.package) if origin.package else own
            if home is None:
                return True
            answer = await self._decide(receivers, home, origin.function, folders)
            if answer is not None:
                return answer
        return own in folders or not folders.isdisjoint(imports.values())

    async def _decide(self, receivers: Receivers, home: str, function: str, folders: Collection[str]) -> bool | None:
        """Whether a function of a folder returns what may have methods of a library; None if the folder does not declare it."""
        if not function:
            return home in folders
        for path in await self._files(home):
            origin = receivers.result_of(await self.tree.read(path) or b"", function)
            if origin is not None:
                folder = (await self._imports(path)).get(origin.package) if origin.package else home
                return folder is None or folder in folders
        return None

    async def _files(self, folder: str) -> list[str]:
        entries = await self.tree.entries()
        return [one for one in entries if one.endswith(self.language.SUFFIXES) and one.rpartition("/")[0] == folder]

    async def _imports(self, path: str) -> dict[str, str]:
        """The packages of the tree by their names in a file: each with its folder."""
        return {
            here: item.target.rpartition("/")[0]
            for item in await self.exports.imports(path)
            for name, here in item.aliases
            if name == "*"
        }

    async def _folders(self, receivers: Receivers) -> frozenset[str]:
        """The folders in which a type embeds one of a library, or one of another such folder."""
        if self._embedding_folders is None:
            entries = await self.tree.entries()
            own_folders = {one.rpartition("/")[0] for one in entries}
            paths = [one for one in entries if one.endswith(self.language.SUFFIXES)][:MOST_SOURCES]
            sources = await self.tree.read_many(paths)
            pairs = {
                (path.rpartition("/")[0], spec)
                for path, source in sources.items()
                for spec in receivers.taken_over(source)
            }
            folders = {folder for folder, spec in pairs if _is_of_library(spec, own_folders)}
            while more := {folder for folder, spec in pairs if _own_folder(spec, folders)} - folders:
                folders |= more
            self._embedding_folders = frozenset(folders)
        return self._embedding_folders


def _is_of_library(import_path: str, own_folders: Collection[str]) -> bool:
    """Whether an import path names another module's package: its host has a dot, and no end of it is a folder of the tree."""
    return "." in import_path.partition("/")[0] and not _own_folder(import_path, own_folders)


def _own_folder(import_path: str, folders: Collection[str]) -> str:
    """The folder of the tree that is the longest end of an import path; "" if none is."""
    parts = import_path.split("/")
    return next((end for at in range(1, len(parts)) if (end := "/".join(parts[at:])) in folders), "")
