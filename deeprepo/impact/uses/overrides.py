"""Find overrides of changed methods in subclasses.

If the method is removed or renamed, its overrides are no longer called or override nothing.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from deeprepo.impact.everyday import METHODS
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import without_arguments
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.importing import Importers, Scene, bindings_of, classes_of, is_imported
from deeprepo.impact.uses.targets import UseTarget
from deeprepo.impact.values import Definition, Outline

KINDS = frozenset({"method", "declaration", "implementation", "function"})
WORD = re.compile(r"\w+")
KeyedSymbols = tuple[tuple[str, Definition], ...]  # the key of a changed definition, and its override


async def overrides_of(scene: Scene, importers: Importers, targets: Sequence[UseTarget]) -> KeyedSymbols:
    """Return the overrides of methods that were removed or changed their parameters, in files that import the class."""
    if scene.head.language.embeds_types:
        return ()
    mine = [target for target in targets if _takes_other_arguments(target) or await _is_gone(target, scene.exports)]
    unsure = {target.key for target in mine if await _may_stay_with_a_base(target, scene.exports)}
    rows = await _overriding_any(scene, importers, mine)
    return tuple((key, replace(own, signature=None) if key in unsure else own) for key, own in rows)


async def _may_stay_with_a_base(target: UseTarget, exports: Exports) -> bool:
    """Return whether a base of the class is unknown or has an overload with the former number of parameters."""
    before, sides = target.before, target.symbol.signatures if target.symbol is not None else None
    if before is None or sides is None or not any(side.inherits for side in sides):
        return False
    rows = await exports.inherited(before.path, target.within)
    count = len(sides[0].parameters)
    return rows is None or any(row.short == before.short and len(row.parameters) == count for row in rows)


async def _overriding_any(scene: Scene, importers: Importers, mine: Sequence[UseTarget]) -> KeyedSymbols:
    language, budget, exports = scene.head.language, scene.budget, scene.exports
    if not mine:
        return ()
    homes = {home for target in mine for home in target.homes}
    paths = sorted({*homes, *importers.links, *(mate for home in homes for mate in exports.visible_files(home))})
    if len(paths) > budget.parsed_files:
        scene.gaps.add(
            f"overriding methods were searched in {budget.parsed_files} of {len(paths)} {language.title or language.folder} files"
        )
    overriding: list[tuple[str, Definition]] = []
    home_words = {home: _words_around(home, await exports.outline("head", home)) for home in sorted(homes)}
    for path, source in (await scene.head.tree.read_many(paths[: budget.parsed_files])).items():
        wanted_targets = [target for target in mine if all(word in source for word in _words(target))]
        if not wanted_targets:
            continue
        if len(source) > budget.bytes:
            scene.gaps.add(
                f"{path} has more than {budget.bytes:,} bytes, so it was not searched for overriding methods"
            )
            continue
        bound = bindings_of(importers, path)
        for home in sorted({*exports.visible_files(path)} & homes):
            bound.stars[home].add("")
        outline = await exports.outline("head", path)
        for target in wanted_targets:
            if outline is not None and (path in target.homes or is_imported(target, bound)):
                around = frozenset().union(*(home_words.get(home, frozenset()) for home in target.homes))
                class_names = {**classes_of(target, bound, path), **_qualified(target, outline, around)}
                overriding += [(target.key, symbol) for symbol in _overriding(target, outline, class_names)]
    return tuple(overriding)


def _takes_other_arguments(target: UseTarget) -> bool:
    """Return whether a method that is no constructor has other parameters."""
    item = target.symbol
    if item is None or item.before is None or item.after is None or not target.has_new_signature or not target.owner:
        return False
    sides = item.signatures
    parameters_differ = sides is not None and sides[0].parameters != sides[1].parameters
    return parameters_differ and not target.constructor and item.before.name == item.after.name


async def _is_gone(target: UseTarget, exports: Exports) -> bool:
    before = target.before
    if before is None or not target.is_gone or not target.owner or target.constructor or before.kind not in KINDS:
        return False
    if before.short.startswith("__") or before.visible == "file" or is_test(before.path):
        return False
    ancestry = await exports.ancestry(before.path, target.within)
    if not ancestry.classes or (before.short in METHODS and ancestry.beyond):
        return False  # users of a removed class are known; an unknown base may well have such a common method
    return not await exports.has_member(before.path, target.within, before.short)


def _overridden_names(target: UseTarget) -> frozenset[str]:
    return target.former_names if target.is_gone else target.shorts


def _words(target: UseTarget) -> tuple[bytes, ...]:
    return target.owner.encode(), *(short.encode() for short in _overridden_names(target))


def _words_around(home: str, outline: Outline | None) -> frozenset[str]:
    """Return the words of a file's path and of its namespaces, with which a class in it can be qualified."""
    definitions = outline.definitions if outline is not None else ()
    spaces = outline.spaces if outline is not None else ()
    namespaces = {name for one in definitions for name in one.namespaces}
    return frozenset(WORD.findall(" ".join((home, *spaces, *namespaces))))


def _qualified(target: UseTarget, outline: Outline | None, around: Collection[str]) -> dict[str, str]:
    """Return the bases in a file that are the target's class with its namespace: `shop::orders::Order`."""
    rows = outline.bases if outline is not None else ()
    bases = {without_arguments(base) for _, above in rows for base in above}
    pairs = [(base, WORD.findall(base)) for base in bases if not base.isidentifier()]
    return {base: "" for base, words in pairs if words[-1:] == [target.owner] and words[-2:-1] and words[-2] in around}


def _overriding(target: UseTarget, outline: Outline, class_names: Collection[str]) -> list[Definition]:
    """Return the only method of that name in each subclass, or in each implementation for a type."""
    many = Counter(symbol.name for symbol in outline.definitions)
    names = _overridden_names(target)
    below = {
        f"{name}.{short}"
        for name, bases in outline.bases
        if name != target.within and any(without_arguments(base) in class_names for base in bases)
        for short in names
    }
    overriding = [symbol for symbol in outline.definitions if symbol.name in below]
    overriding += [
        symbols[0]
        for name in sorted(below - {symbol.name for symbol in overriding})
        for symbols in [[symbol for symbol in outline.definitions if symbol.name.endswith(f".{name}")]]
        if len(symbols) == 1  # in the only nested class of that name
    ]
    return [
        symbol for symbol in overriding if many[symbol.name] == 1 or target.is_gone or _took_its_place(target, symbol)
    ]


def _took_its_place(target: UseTarget, symbol: Definition) -> bool:
    """Return whether one of several overloads has as many parameters as the target had."""
    before = target.before
    if before is None or before.signature is None or symbol.signature is None:
        return False
    return len(before.parameters) == len(symbol.parameters)
