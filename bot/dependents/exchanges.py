"""Names that a file offers on both sides of the change and that mean another definition after it.

`export default load` becomes `export default save`, `export { go } from "./a"` becomes `from "./b"`: no definition changes, and every user
gets another one. The two are compared as if the one had been changed into the other.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.dependents.contract import contract
from bot.dependents.exports import Meaning
from bot.dependents.importing import Scene
from bot.dependents.sites import Takers, UseTarget
from bot.dependents.symbols import ChangedSource
from bot.text.filetypes import filetype
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Contract, DefinitionCode, Import, Parameter, Side, Symbol

EXPORT = re.compile(r"^\s*+(?:export\s++)?(?:default\s++)?", re.MULTILINE)
OWN_NAME = re.compile(r"\b(function\b(?:\s*+\*)?|class\b)\s++_(?=[\s(<{])\s*+")  # what an expression may leave out
MOST = 500  # names of one file
STAR = frozenset({"*"})
TYPES = frozenset({"type", "class"})


async def exchanged_names(scene: Scene, missed_uses: list[str]) -> tuple[UseTarget, ...]:
    """Every name that a changed file offers on both sides, and behind which another definition with another contract stands now.

    `missed_uses` gets a sentence about what a limit cuts.
    """
    targets: list[UseTarget] = []
    same_names = (item for items in scene.symbols.values() for item in items if item.change != "renamed")
    pairs = {(side.path, side.name) for item in same_names for side in _pair(item)}
    for source in scene.sources:
        path = source.file.path
        names = [] if source.file.status in ("added", "deleted") or is_test(path) else await _suspects(scene, source)
        if len(names) > MOST:
            missed_uses.append(f"{path}: {MOST} of its {len(names)} names whose import changed were compared")
        items = [(name, await _exchange(scene, source, name, pairs)) for name in names[:MOST]]
        is_whole = source.old.is_whole and source.new.is_whole
        targets += [_target(path, name, item, is_whole=is_whole) for name, item in items if item is not None]
        exchange_names = {name for target in targets for name in target.shorts if path in target.homes}
        fewer_takers = scene.fewer_takers.get(path, {})
        targets += [
            _target(path, name, _other_place(path, name), takers)
            for name, takers in sorted(fewer_takers.items())[:MOST]
            if name not in exchange_names
        ]
        if len(fewer_takers) > MOST:
            missed_uses.append(f"{path}: of its {len(fewer_takers)} names that fewer users get, {MOST} were looked up")
    return tuple(targets)


def _target(path: str, name: str, item: ChangedSymbol, takers: Takers = "all", *, is_whole: bool = False) -> UseTarget:
    door, key, home = (path, frozenset({name})), f"{item.symbol.path}:{item.symbol.name}", frozenset({path})
    whole_homes = home if is_whole else frozenset[str]()
    return UseTarget(key, (door,), frozenset({name}), home, item, takers=takers, whole_homes=whole_homes)


def _pair(item: ChangedSymbol) -> tuple[Symbol, ...]:
    """Both sides of a definition that is compared with itself."""
    return (item.before, item.after) if item.before is not None and item.after is not None else ()


async def _suspects(scene: Scene, source: ChangedSource) -> list[str]:
    """The names on both sides that another definition of the file, or another import, stands behind."""
    old, new = dict(source.old.exports), dict(source.new.exports)
    imports = await _imports(scene, source)
    before, after = (_bindings(items) for items in imports)
    names = {
        name
        for name, local in old.items()
        if name in new
        and (
            _is_another_door(source, name)
            or local != new[name]
            or before.get(local or name) != after.get(new[name] or name)
        )
    }
    names |= _whole_members(source)
    stars = [{item.target for item in items if item.names == STAR and not item.aliases} for items in imports]
    if stars[0] - stars[1]:
        was = [await scene.exports.offer_names("base", path) for path in sorted(stars[0] - stars[1])]
        names |= frozenset().union(*was) & await scene.exports.offer_names("head", source.file.path)
    return sorted(names)


def _is_another_door(source: ChangedSource, name: str) -> bool:
    """Whether a default was the module itself and is one of its names now, or the other way round: `require` gives another thing."""
    return (name == "default" and source.old.is_whole != source.new.is_whole) or name in _whole_members(source)


def _whole_members(source: ChangedSource) -> frozenset[str]:
    """The members of what a module hands out as a whole now, where it handed out an instance or another value before."""
    old, new = source.old, source.new
    is_whole = old.is_whole and new.is_whole and dict(old.exports)["default"] != dict(new.exports)["default"]
    return (new.names - old.names) if is_whole and not old.complete else frozenset()


async def _imports(scene: Scene, source: ChangedSource) -> tuple[Sequence[Import], Sequence[Import]]:
    """What a file imports on both sides."""
    return scene.former.get(source.file.path, []), await scene.head.imports(source.file.path)


def _bindings(items: Sequence[Import]) -> dict[str, set[tuple[str, str]]]:
    """Name in a file -> what imports bind to it: (file, its name there)."""
    bindings: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for item in items:
        here = dict(item.aliases)
        for name in item.names:
            bindings[here.get(name, name)].add((item.target, name))
    return bindings


async def _exchange(
    scene: Scene, source: ChangedSource, name: str, compared_names: Collection[tuple[str, str]]
) -> ChangedSymbol | None:
    """The old and the new definition behind a name, if they are two definitions and the new one asks something else of its users."""
    if _is_another_door(source, name):
        return _other_place(source.file.path, name)
    old_path = source.file.old_path or source.file.path
    before = await _definition(scene, old_path, name, "base")
    after = await _definition(scene, source.file.path, name, "head")
    if before == after == "module" or (isinstance(before, Symbol) and after in ("unknown", "module")):
        bindings = [_bindings(items).get(name, set()) for items in await _imports(scene, source)]
        return _other_place(source.file.path, name) if bindings[0] and bindings[0] != bindings[1] else None
    if not isinstance(before, Symbol) or not isinstance(after, Symbol) or before == replace(after, side="base"):
        return None
    if (before.path, before.name) == (after.path, after.name) or {
        (before.path, before.name),
        (after.path, after.name),
    } <= {*compared_names}:
        return None  # one definition, whose own change is compared
    is_same = before.signature is not None and after.signature is not None and before.signature == after.signature
    item = ChangedSymbol(before, after, "body" if is_same else "signature")
    changes = await _contract(scene, item)
    if not changes:
        return None
    is_doubtful = _has_several(source, name)
    sides = [
        replace(_doubted(side) if is_doubtful else side, visibility="anywhere", is_exported=True)
        for side in (before, after)
    ]
    return replace(item, before=sides[0], after=sides[1], contract=changes)


def _other_place(path: str, name: str) -> ChangedSymbol:
    """A name that comes from another module now, or from one out of sight: nothing can be compared."""
    before, after = Symbol(path, name, "module", 1, 1, "base"), Symbol(path, name, "module", 1, 1, "head")
    return ChangedSymbol(before, after, "body", ("declaration",))


def _has_several(source: ChangedSource, name: str) -> bool:
    """Whether several imports of the file bind the name: only a run decides which of them counts."""
    return any(side.bound.count(dict(side.exports).get(name, name) or name) > 1 for side in (source.old, source.new))


def _doubted(symbol: Symbol) -> Symbol:
    """The definition, with a signature of which a call proves nothing."""
    return replace(symbol, signature=replace(symbol.signature, opaque=True)) if symbol.signature else symbol


async def _definition(scene: Scene, path: str, name: str, side: Side) -> Meaning:
    """What a name means; what is handed on for types alone counts where it is a type."""
    meaning = await scene.exports.meaning(path, name, side=side)
    if meaning != "unknown":
        return meaning
    meaning = await scene.exports.meaning(path, name, types=True, side=side)
    return meaning if isinstance(meaning, Symbol) and meaning.kind in TYPES else "unknown"


async def _contract(scene: Scene, item: ChangedSymbol) -> tuple[Contract, ...]:
    """What differs between two definitions for those who use the one and get the other."""
    before, after = item.before, item.after
    if before is None or after is None or before.kind != after.kind:
        return ("declaration",)
    if before.kind == "class" and await _members(scene, before) - await _members(scene, after):
        return ("declaration",)
    return contract(item, await _code(scene, before), await _code(scene, after))


async def _members(scene: Scene, owner: Symbol) -> frozenset[tuple[str, tuple[Parameter, ...]]]:
    """The members of a class, each with its parameters."""
    outline = await scene.exports.outline(owner.side, owner.path)
    members = [one for one in outline.symbols if one.name.startswith(f"{owner.name}.")] if outline is not None else []
    return frozenset(
        (one.name.removeprefix(owner.name), one.signature.parameters if one.signature is not None else ())
        for one in members
        if one.short in filetype(one.path).constructors
        or (one.visibility == "anywhere" and not one.short.startswith(("_", "#")))
    )


async def _code(scene: Scene, symbol: Symbol) -> DefinitionCode:
    """A definition as it is compared, without its own name."""
    from bot.languages.code import definition_code  # loads a parser, which many changes do not need

    source = await scene.head.tree.read(symbol.path, symbol.side) or b""
    code = definition_code(symbol.path, source, symbol.start, symbol.end)
    own = re.compile(rf"(?<![\w$]){re.escape(symbol.short)}(?![\w$])")
    text, frame = (OWN_NAME.sub(r"\1 ", own.sub("_", EXPORT.sub("", side))) for side in (code.text, code.frame))
    return replace(code, text=text, frame=frame)
