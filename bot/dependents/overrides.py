"""Definitions that take the place of a changed method: a class that names the method's class as its base has one of the same name."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from bot.dependents.budget import SearchLimits
from bot.dependents.exports import Exports
from bot.dependents.sites import Bindings, Doors, UseTarget, bind, classes_of
from bot.dependents.targets import has_new_signature, is_imported
from bot.ports import Language, Tree
from bot.values import Import, Outline, Symbol

ARGUMENTS = re.compile(r"[<\[(].*", re.DOTALL)
Heirs = tuple[tuple[str, Symbol], ...]  # (Target.key, the definition that takes its place)


async def heirs(
    tree: Tree,
    language: Language,
    targets: Sequence[UseTarget],
    importers: Mapping[str, Sequence[Import]],
    origins: Mapping[str, Collection[str]],
    doors: Doors,
    exports: Exports,
    budget: SearchLimits,
    missed_uses: list[str],
) -> Heirs:
    """The overriding methods of those targets whose parameters change, in files that reach the class by an import."""
    mine = [target for target in targets if _counts(target)] if language.TRAITS.receivers is None else []
    if not mine:
        return ()
    homes = {home for target in mine for home in target.homes}
    paths = sorted({*homes, *importers, *(mate for home in homes for mate in exports.mates(home))})
    if len(paths) > budget.parsed_files:
        missed_uses.append(
            f"overriding methods were looked for in {budget.parsed_files} of {len(paths)} {language.NAME} files"
        )
    overriding: list[tuple[str, Symbol]] = []
    for path, source in (await tree.read_many(paths[: budget.parsed_files])).items():
        wanted_targets = [target for target in mine if all(word in source for word in _words(target))]
        if not wanted_targets:
            continue
        if len(source) > budget.bytes:
            missed_uses.append(
                f"{path} has more than {budget.bytes:,} bytes: overriding methods were not looked for in it"
            )
            continue
        bound = bind(importers.get(path, ()), origins, doors)
        for home in {*exports.mates(path)} & homes:
            bound.stars.setdefault(home, set()).add("")
        outline = await exports.outline("head", path)
        for target in wanted_targets if outline is not None else ():
            if path in target.homes or is_imported(target, bound):
                overriding += [(target.key, symbol) for symbol in _overriding(target, outline, bound, path)]
    return tuple(overriding)


def _counts(target: UseTarget) -> bool:
    """Whether another number of arguments is asked of a method that is no constructor."""
    item = target.symbol
    if item is None or item.before is None or item.after is None or not has_new_signature(target) or not target.owner:
        return False
    before, after = item.before.signature, item.after.signature
    parameters_differ = before is not None and after is not None and before.parameters != after.parameters
    return parameters_differ and not target.constructor and item.before.name == item.after.name


def _words(target: UseTarget) -> tuple[bytes, ...]:
    return target.owner.encode(), *(short.encode() for short in target.shorts)


def _overriding(target: UseTarget, outline: Outline | None, bound: Bindings, path: str) -> list[Symbol]:
    """The one method of that name of each class that names the target's class as its base."""
    if outline is None:
        return []
    class_names = classes_of(target, bound, path)
    many = Counter(symbol.name for symbol in outline.symbols)
    below = {
        f"{name}.{short}"
        for name, bases in outline.bases
        if name != target.within and any(ARGUMENTS.sub("", base).strip() in class_names for base in bases)
        for short in target.shorts
    }
    return [symbol for symbol in outline.symbols if symbol.name in below and many[symbol.name] == 1]
