"""Definitions that take the place of a changed method: a class that names the method's class as its base has one of the same name.

If the method goes or gets another name, what overrode it is called by nobody, or overrides nothing: it was left behind.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from bot.dependents.budget import SearchLimits
from bot.dependents.exports import Exports
from bot.dependents.importing import Scene
from bot.dependents.sites import Bindings, UseTarget, bind, classes_of
from bot.dependents.targets import former_names, has_new_signature, is_imported
from bot.ports import Language
from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import COMPONENT, ChangedSymbol, Import, Outline, Query, Symbol
from bot.values.everyday import METHODS

SEALS = ("final", "sealed", "private", "fileprivate")
OPENS = ("virtual", "open", "abstract")
OVERRIDE = "override"  # what overrides a member may be overridden, too
WORD = re.compile(r"\w+")
LONGEST = 10_000  # characters of a member in which its modifiers are looked for
PLACES = 20  # at which they may stand: a line may hold a whole class
TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'")
KINDS = frozenset({"method", "declaration", "implementation", "function"})
PROPERTIES = frozenset({"variable", COMPONENT})
GENERATIONS = 4  # of classes above one
HEAD_LINES = 12  # of a class that names its interfaces
ARGUMENTS = re.compile(r"[<\[(].*", re.DOTALL)
KeyedSymbols = tuple[
    tuple[str, Symbol], ...
]  # the key of a changed definition, and one that takes its place or that it took


async def heirs(
    scene: Scene, language: Language, targets: Sequence[UseTarget], budget: SearchLimits, missed_uses: list[str]
) -> KeyedSymbols:
    """Return the overriding methods of targets that are gone, sealed, or take other parameters, in files that import the class."""
    if language.TRAITS.receivers is not None:
        return ()
    exports, importers = scene.exports, scene.importers
    sealed_keys = _newly_sealed(scene)
    mine = [
        target
        for target in targets
        if _takes_other_arguments(target) or target.key in sealed_keys or await _is_gone(target, exports)
    ]
    if not mine:
        return ()
    homes = {home for target in mine for home in target.homes}
    paths = sorted({*homes, *importers, *(mate for home in homes for mate in exports.mates(home))})
    if len(paths) > budget.parsed_files:
        missed_uses.append(
            f"overriding methods were looked for in {budget.parsed_files} of {len(paths)} {language.NAME} files"
        )
    overriding: list[tuple[str, Symbol]] = []
    for path, source in (await scene.head.tree.read_many(paths[: budget.parsed_files])).items():
        wanted_targets = [target for target in mine if all(word in source for word in _words(target))]
        if not wanted_targets:
            continue
        if len(source) > budget.bytes:
            missed_uses.append(
                f"{path} has more than {budget.bytes:,} bytes: overriding methods were not looked for in it"
            )
            continue
        bound = bind(importers.get(path, ()), scene.origins, scene.doors)
        for home in sorted({*exports.mates(path)} & homes):
            bound.stars.setdefault(home, set()).add("")
        outline = await exports.outline("head", path)
        for target in wanted_targets if outline is not None else ():
            if path in target.homes or is_imported(target, bound):
                overriding += [(target.key, symbol) for symbol in _overriding(target, outline, bound, path, source)]
    return tuple(overriding)


async def unsatisfied_interfaces(
    scene: Scene, budget: SearchLimits, missed_uses: list[str]
) -> tuple[list[ChangedSymbol], KeyedSymbols]:
    """What changed of interfaces that name no base, and the definitions that satisfy them no longer."""
    demands, interfaces = _demanded_members(scene), _changed_interfaces(scene)
    implementers = await _left_unsatisfying(scene, interfaces, budget, missed_uses)
    return [*demands, *interfaces], (*implementers, *await _left_undefined(scene, demands))


def _demanded_members(scene: Scene) -> list[ChangedSymbol]:
    """Members that an interface of TypeScript has newly and that a class which implements it must define. Elsewhere a class tells what its heirs have to define."""
    demands: list[ChangedSymbol] = []
    for source in scene.sources:
        path = source.file.path
        if filetype(path).parser != "javascript" or is_test(path):
            continue
        types = {one.name for one in source.new.symbols if one.kind == "type"}
        types &= {one.name for one in source.old.symbols if one.kind == "type"}
        for item in scene.symbols.get(path, ()) if types else ():
            owner, _, short = item.symbol.name.rpartition(".")
            if item.change != "added" or owner not in types:
                continue
            if not re.search(rf"(?<![\w$]){re.escape(short)}\?", source.lines(item.symbol)):
                demands.append(replace(item, contract=("declaration",)))
    return demands


async def _left_undefined(scene: Scene, demands: Sequence[ChangedSymbol]) -> KeyedSymbols:
    """The classes that name an interface with such a member and do not define it."""
    rows: list[tuple[str, Symbol]] = []
    for item in demands:
        home = item.symbol.path
        owner, _, short = item.symbol.name.rpartition(".")
        importers = {path for path, items in scene.importers.items() if any(one.target == home for one in items)}
        for path, source in (await scene.head.tree.read_many(sorted({home, *importers}))).items():
            outline = await scene.exports.outline("head", path)
            if outline is None:
                continue
            names = {symbol.name for symbol in outline.symbols}
            class_names = {name for name in (owner, *_local_names(scene.importers.get(path, ()), home, owner)) if name}
            for name, bases in implementing(outline, source):
                if f"{name}.{short}" in names or not any(
                    ARGUMENTS.sub("", base).strip() in class_names for base in bases
                ):
                    continue
                rows += [
                    (f"{home}:{item.symbol.name}", symbol)
                    for symbol in outline.symbols
                    if symbol.name == name and symbol.kind == "class"
                ]
    return tuple(rows)


def _changed_interfaces(scene: Scene) -> list[ChangedSymbol]:
    """The interfaces of Go whose methods are others now: no type names the interfaces that it satisfies."""
    interfaces: list[ChangedSymbol] = []
    for source in scene.sources:
        if filetype(source.file.path).parser != "go" or is_test(source.file.path):
            continue
        old_types, new_types = (
            {one.name: one for one in side.symbols if one.kind == "type"} for side in (source.old, source.new)
        )
        for name in sorted(old_types.keys() & new_types.keys()):
            before, after = (_members_of(side, name) for side in (source.old, source.new))
            if before and before != after:
                interfaces.append(ChangedSymbol(old_types[name], new_types[name], "signature", ("declaration",)))
    return interfaces


def _members_of(outline: Outline, owner: str) -> dict[str, str]:
    """The methods of a type, each with its parameters as written."""
    return {
        one.short: one.signature.text if one.signature is not None else ""
        for one in outline.symbols
        if one.name.rpartition(".")[0] == owner
    }


async def _left_unsatisfying(
    scene: Scene, interfaces: Sequence[ChangedSymbol], budget: SearchLimits, missed_uses: list[str]
) -> KeyedSymbols:
    """The types that had every method of such an interface and lack what it asks for now."""
    rows: list[tuple[str, Symbol]] = []
    for item in interfaces:
        home, owner = item.symbol.path, item.symbol.name
        source = next(one for one in scene.sources if one.file.path == home)
        before, after = _members_of(source.old, owner), _members_of(source.new, owner)
        pattern = rf"^func \([^)]{{1,200}}\) {re.escape(max(before, key=len))}\("
        found_lines = await scene.head.tree.grep_lines(
            Query([pattern], [f"*{end}" for end in source.language.SUFFIXES], syntax="perl", limit=budget.parsed_files)
        )
        if len(found_lines) >= budget.parsed_files:
            missed_uses.append(
                f"more than {budget.parsed_files} types may satisfy {owner}: not all were compared with it"
            )
        near = {
            home,
            *scene.exports.mates(home),
            *(path for path, items in scene.importers.items() if any(one.target == home for one in items)),
        }
        for path in sorted({path for path, _, _ in found_lines if not is_test(path)}):
            if len(before) == 1 and path not in near:
                continue  # many types have a method of that name
            outlines = [await scene.exports.outline("head", one) for one in sorted({path, *scene.exports.mates(path)})]
            symbols = [symbol for one in outlines if one is not None for symbol in one.symbols]
            rows += [
                (f"{home}:{owner}", one)
                for one in _unsatisfying(symbols, before, after)
                if one.name.rpartition(".")[0] != owner
            ]
    return tuple(dict.fromkeys(rows))


def _unsatisfying(symbols: Sequence[Symbol], before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Symbol]:
    """Of each type with all methods of the old interface and not all of the new one: the method that is other now, else the first one."""
    owners: dict[str, dict[str, Symbol]] = {}
    for symbol in symbols:
        owner, _, short = symbol.name.rpartition(".")
        if owner and symbol.kind == "method":
            owners.setdefault(owner, {})[short] = symbol
    for methods in owners.values():
        is_other = any(name not in methods or before.get(name, text) != text for name, text in after.items())
        if before.keys() <= methods.keys() and is_other:
            changed_names = [name for name in before if after.get(name) != before[name]]
            yield methods[changed_names[0] if changed_names else max(before, key=len)]


def _local_names(items: Sequence[Import], home: str, name: str) -> list[str]:
    """What a file calls a name that it imports from another."""
    return [dict(item.aliases).get(name, "") for item in items if item.target == home and name in item.names]


def _newly_sealed(scene: Scene) -> frozenset[str]:
    """The methods that nobody may override any more, by a word more in their head or by one less."""
    keys: set[str] = set()
    for source in scene.sources:
        for item in scene.symbols.get(source.file.path, ()):
            before, after = item.before, item.after
            if before is None or after is None or not item.contract or before.kind not in KINDS | PROPERTIES:
                continue
            was, now = (modifiers(source.lines(side), side.short) for side in (before, after))
            is_sealed = any(now[word] > was[word] for word in SEALS)
            if is_sealed or sum(was[word] for word in OPENS) > sum(now[word] for word in (*OPENS, OVERRIDE)):
                keys.add(f"{after.path}:{after.name}")
    return frozenset(keys)


def modifiers(code: str, name: str) -> Counter[str]:
    """The words around a member's name, from where what stands before it ends to its body; none of its parameters, and none of an annotation's."""
    plain = TEXT.sub('""', code[:LONGEST])
    words: Counter[str] = Counter()
    for match in islice(re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", plain), PLACES):
        before = _outermost(plain[: match.start()][::-1], ")]>", "([<")[::-1]
        words += Counter(WORD.findall(f"{before} {_outermost(plain[match.end() :], '([', ')]')}"))
    return words


def _outermost(code: str, opening: str, closing: str) -> str:
    """A text up to what ends a member, or what holds it, without what brackets hold."""
    depth, letters = 0, list[str]()
    for letter in code:
        depth += (letter in opening) - (letter in closing)
        if depth < 0 or (not depth and letter in "{};,="):
            break
        if not depth:
            letters.append(letter)
    return "".join(letters)


def _takes_other_arguments(target: UseTarget) -> bool:
    """Whether another number of arguments is asked of a method that is no constructor."""
    item = target.symbol
    if item is None or item.before is None or item.after is None or not has_new_signature(target) or not target.owner:
        return False
    before, after = item.before.signature, item.after.signature
    parameters_differ = before is not None and after is not None and before.parameters != after.parameters
    return parameters_differ and not target.constructor and item.before.name == item.after.name


async def _is_gone(target: UseTarget, exports: Exports) -> bool:
    """Whether a method that others may override is in its class no more, nor in a base of it that the tree has."""
    item = target.symbol
    before = item.before if item is not None else None
    if before is None or not target.is_gone or not target.owner or target.constructor or before.kind not in KINDS:
        return False
    if before.short.startswith("__") or before.visibility == "file" or is_test(before.path):
        return False
    level = [(before.path, target.within)]
    for generation in range(GENERATIONS):
        above: list[tuple[str, str]] = []
        for path, owner in level:
            outline = await exports.outline("head", path)
            if outline is None or (not generation and all(symbol.name != owner for symbol in outline.symbols)):
                return False  # the class went with it, and who names the class is known
            if any(symbol.name == f"{owner}.{before.short}" for symbol in outline.symbols):
                return False
            names = [ARGUMENTS.sub("", base).strip() for base in dict(outline.bases).get(owner, ())]
            meanings = [await exports.local_meaning(path, name) for name in names]
            if before.short in METHODS and not all(isinstance(one, Symbol) for one in meanings):
                return False  # a base out of sight may well have a method of such a name
            above += [(one.path, one.name) for one in meanings if isinstance(one, Symbol)]
        level = above
    return True


async def inherits(exports: Exports, target: UseTarget) -> bool:
    """Whether a base of a member's class, in the tree, has a member of the same name."""
    level = [(home, target.within) for home in sorted(target.homes)]
    for _ in range(GENERATIONS):
        above: list[tuple[str, str]] = []
        for path, owner in level:
            outline = await exports.outline("head", path)
            bases = dict(outline.bases).get(owner, ()) if outline is not None else ()
            meanings = [await exports.local_meaning(path, ARGUMENTS.sub("", base).strip()) for base in bases]
            above += [(one.path, one.name) for one in meanings if isinstance(one, Symbol)]
        for path, owner in above:
            outline = await exports.outline("head", path)
            members = {one.name for one in outline.symbols} if outline is not None else set[str]()
            if any(f"{owner}.{short}" in members for short in former_names(target)):
                return True
        level = above
    return False


def _overridden_names(target: UseTarget) -> frozenset[str]:
    """What an override of the method is called: of one that is gone, as it was."""
    return former_names(target) if target.is_gone else target.shorts


def _words(target: UseTarget) -> tuple[bytes, ...]:
    return target.owner.encode(), *(short.encode() for short in _overridden_names(target))


def _overriding(target: UseTarget, outline: Outline | None, bound: Bindings, path: str, source: bytes) -> list[Symbol]:
    """The one method of that name of each class that names the target's class as its base, and what implements it for a type."""
    if outline is None:
        return []
    class_names = classes_of(target, bound, path)
    many = Counter(symbol.name for symbol in outline.symbols)
    names = _overridden_names(target)
    below = {
        f"{name}.{short}"
        for name, bases in (*outline.bases, *implementing(outline, source))
        if name != target.within and any(ARGUMENTS.sub("", base).strip() in class_names for base in bases)
        for short in names
    }
    overriding = [symbol for symbol in outline.symbols if symbol.name in below]
    if target.symbol is not None and target.symbol.symbol.kind in PROPERTIES and filetype(path).marked_overrides:
        lines = file_lines(source)
        overriding = [
            symbol
            for symbol in overriding
            if modifiers("\n".join(lines[symbol.start - 1 : symbol.end]), symbol.short)[OVERRIDE]
        ]  # a field of Java hides one of its base and overrides nothing
    return [
        symbol for symbol in overriding if many[symbol.name] == 1 or target.is_gone or _took_its_place(target, symbol)
    ]


def _took_its_place(target: UseTarget, symbol: Symbol) -> bool:
    """Whether one of several overloads takes as many arguments as the target took."""
    before = target.symbol.before if target.symbol is not None else None
    if before is None or before.signature is None or symbol.signature is None:
        return False
    return len(before.signature.parameters) == len(symbol.signature.parameters)


def implementing(outline: Outline, source: bytes) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Classes of TypeScript with the interfaces that they implement, of which they inherit nothing."""
    classes = [symbol for symbol in outline.symbols if symbol.kind == "class"] if b"implements" in source else []
    if not classes or filetype(classes[0].path).parser != "javascript":
        return
    lines = file_lines(source)
    for symbol in classes:
        head = "\n".join(lines[symbol.start - 1 : min(symbol.end, symbol.start + HEAD_LINES)]).partition("{")[0]
        bases = head.partition(" implements ")[2]
        if bases:
            yield symbol.name, tuple(bases.split(","))
