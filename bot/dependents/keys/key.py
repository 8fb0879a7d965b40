"""A key that a change takes away, and the texts of the changed files in which it stood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.dependents.keys.definitions import comparison
from bot.dependents.keys.routes import Role
from bot.dependents.keys.settings_formats import Place, has_parser
from bot.ports import Tree
from bot.text.paths import is_settings, uses_nothing
from bot.values import ChangedFile

Texts = Mapping[tuple[str, str], str]  # (side, path) -> the text of the file


@dataclass(frozen=True, slots=True)
class Key:
    """A key that a file gives up."""

    word: str
    path: str
    sets: bool  # the file gave it a value or declared it
    in_settings: bool  # in a file of settings or a schema, which holds keys and nothing else
    names: frozenset[str]  # the words that replace it; empty if it is removed
    role: Role = "whole"  # of a route: others may write a part of it and put it together
    shapes: frozenset[str] = frozenset()  # of a route: the whole texts that held it
    manners: frozenset[str] = frozenset()  # how the file wrote it
    is_dropped: bool = (
        False  # by a statement about its column or by another section around it: its line may still exist
    )
    is_announced: bool = False  # by a text or a symbol: in a tag, an annotation, a macro, as a `name`
    is_undefined: bool = False  # the parser of the file's format knows of no definition that is left


async def read_texts(tree: Tree, files: Sequence[ChangedFile]) -> Texts:
    """The changed files that take keys away, on both sides."""
    mine = [file for file in files if file.is_analyzed and not uses_nothing(file.path)]
    after = await tree.read_many([file.path for file in mine if file.status != "deleted"])
    before = await tree.read_many([file.old_path for file in mine if file.old_path], "base")
    return {
        (side, path): source.decode("utf-8", "replace")
        for side, sources in (("base", before), ("head", after))
        for path, source in sources.items()
    }


def both_sides(file: ChangedFile, texts: Texts) -> tuple[frozenset[Place], frozenset[Place]] | None:
    """The keys of settings before and after the change; None if there are no two sides. Raises `UnreadableSettingsError`."""
    old_path = file.old_path or file.path
    before, after = texts.get(("base", old_path)), texts.get(("head", file.path))
    if not (is_settings(file.path) or has_parser(file.path)) or before is None or after is None:
        return None
    return comparison(file.path, after, old_path, before)
