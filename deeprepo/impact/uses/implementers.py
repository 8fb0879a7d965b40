"""Find the types that implemented a changed method of an interface or trait, and no longer do.

They have this method exactly as it was before the change. Where nothing names the interface that a type
implements, the type must also have all of its other methods.
"""

import re
from collections.abc import Iterable, Sequence

from deeprepo.impact.changes import ChangedSymbol, Query
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.definitions import parts_of, result_of
from deeprepo.impact.uses.importing import Scene
from deeprepo.impact.uses.reach import globs
from deeprepo.impact.values import Definition

MOST_FILES = 40  # with a method of the name
KeyedSymbols = tuple[tuple[str, Definition], ...]
_QUALIFIER = re.compile(r"\b\w+(?:\.|::)(?=\w)")
_Form = tuple[tuple[str, ...], str]  # the parameters' types and the result


class _Changed(Struct, frozen=True):
    """A method of an interface whose form changed."""

    item: ChangedSymbol
    before: _Form
    after: _Form

    @property
    def former_name(self) -> str:
        """The name of the method before the change."""
        return (self.item.before or self.item.symbol).short


async def implementers_of(scene: Scene) -> KeyedSymbols:
    """Return methods that implement the former version of a changed or renamed interface method, with that method's key."""
    language = scene.head.language
    if not (language.embeds_types or language.implementing_lines):
        return ()
    found: list[tuple[str, Definition]] = []
    for one in _changed(scene.every_symbol):
        named = await _named(scene, one) if language.implementing_lines else await _unnamed(scene, one)
        found += [(one.item.key, own) for own in named if _form(own) == one.before]
    return tuple(found)


async def _named(scene: Scene, one: _Changed) -> Sequence[Definition]:
    """Return the methods of the name in files that say which type implements the trait."""
    line = scene.head.language.implementing_lines.replace("NAME", re.escape(one.item.symbol.owner))
    paths = await scene.head.tree.grep(Query([line], globs(scene.head.language), syntax="perl"))
    rows = [row for path in sorted(paths)[:MOST_FILES] for row in await _definitions(scene, path)]
    return [row for row in rows if row.short == one.former_name and row.kind == "implementation"]


async def _unnamed(scene: Scene, one: _Changed) -> Sequence[Definition]:
    """Return the methods of the name whose types have all methods of the interface."""
    name, owner, home = one.former_name, one.item.symbol.owner, one.item.symbol.path
    wanted = {each.short for each in await _definitions(scene, home) if each.owner == owner}
    wanted = (wanted - {one.item.symbol.short}) | {name}
    line = rf"^func \([^()]*\) {re.escape(name)}\("
    paths = await scene.head.tree.grep(Query([line], globs(scene.head.language), syntax="perl"))
    own = [row for path in sorted(paths)[:MOST_FILES] for row in await _definitions(scene, path) if _is_method(row)]
    same = [row for row in own if row.short == name]
    are_some_updated = any(_form(row) == one.after for row in same)
    if len(wanted) == 1 and not are_some_updated:
        return ()
    return [row for row in same if wanted <= await _methods_of(scene, row)]


def _changed(symbols: Iterable[ChangedSymbol]) -> Iterable[_Changed]:
    for item in symbols:
        before, after = item.before, item.after
        if before is None or after is None or not after.owner or before.owner != after.owner:
            continue
        if _is_method(before) or _is_method(after) or after.kind != "method":
            continue
        if (was := _form(before)) != (now := _form(after)) or item.is_renamed:
            yield _Changed(item, was, now)


async def _definitions(scene: Scene, path: str) -> Sequence[Definition]:
    outline = await scene.exports.outline("head", path)
    return outline.definitions if outline is not None else ()


def _is_method(row: Definition) -> bool:
    """Return whether a definition is a method of a type, not of an interface."""
    return bool(row.owner) and row.head.startswith("func")


async def _methods_of(scene: Scene, method: Definition) -> set[str]:
    """Return the names of all methods of a method's type, in all files of its package."""
    paths = {method.path, *scene.exports.visible_files(method.path)}
    named = await scene.head.tree.grep(Query([method.owner], globs(scene.head.language), word=True))
    rows = [row for path in sorted(paths & {*named}) for row in await _definitions(scene, path)]
    return {row.short for row in rows if _is_method(row) and row.owner == method.owner}


def _form(method: Definition) -> _Form:
    """Return the types of a method, without the names of parameters and packages."""
    _, parameters, behind = parts_of(method.head)
    rows = [part.split(" ", 1) for part in parameters]
    types = [part.partition(":")[2] or part for part in parameters]  # `id: &str`
    if all(":" not in part for part in parameters) and any(
        len(row) > 1 and not re.match(r"(?:func|chan|map|interface|struct)\b|[*\[<.]", row[0]) for row in rows
    ):
        types, last = [], ""
        for row in reversed(rows):  # `a, b int`: a name without a type has that of the next one
            last = row[1] if len(row) > 1 else last
            types.insert(0, last)
    return tuple(_plain(each) for each in types), _plain(result_of(method.head, method.short) or behind)


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", _QUALIFIER.sub("", text)).replace("interface{}", "any")
