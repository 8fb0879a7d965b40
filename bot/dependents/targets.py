"""Small questions about the names that are looked up."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from bot.dependents.sites import Bindings, Match, UseTarget
from bot.values import Import, Outline, Side, TreeEntry, Use

# Classes of the libraries that come with a language whose members are all known, and none is called like a constant.
ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})
MIXED: Mapping[str, type] = {"str": str, "int": int}  # `class Mode(str, Enum)`
# What a class is told to stand on where other files may give it members: traits, a class that is opened again.
LISTED = 8  # names in a sentence
OPENED = (("?",), ())
WHOLE = (0, 1 << 30)  # the lines of a whole file


def still_defined(targets: Iterable[UseTarget]) -> frozenset[str]:
    """The names that changed definitions bear after the change as well."""
    return frozenset(t.symbol.after.short for t in targets if t.symbol is not None and t.symbol.after is not None)


def is_closed(bases: Collection[str], own: Collection[str], name: str) -> bool:
    """Whether the bases of a class add no member of that name. `own`: names that mean something of the tree."""
    if any(base in own for base in bases):
        return False
    enumerations = [base for base in bases if base.removeprefix("enum.") in ENUMERATIONS]
    mixed = [base for base in bases if base in MIXED and not hasattr(MIXED[base], name)]
    return len(enumerations) + len(mixed) == len(bases) and bool(enumerations) >= bool(mixed)


def words_of(item: Import) -> frozenset[str]:
    """The first words of what an import binds."""
    here = dict(item.aliases)
    return frozenset(here.get(name, name).partition(".")[0] for name in item.names) | {
        name.partition(".")[0] for name in here.values()
    }


def has_new_signature(target: UseTarget) -> bool:
    """Whether the change gives it a new signature."""
    return target.symbol is not None and target.symbol.change == "signature"


def former_names(target: UseTarget) -> frozenset[str]:
    """The names that are gone: of a renamed definition only the old one."""
    item = target.symbol
    return frozenset({item.before.short}) if item is not None and item.before is not None else target.shorts


def former_home(target: UseTarget) -> str:
    """The file that had the definition; "" where only a name of a file is known."""
    item = target.symbol
    return item.before.path if item is not None and item.before is not None else next(iter(target.homes), "")


def has_member(outline: Outline, name: str) -> bool:
    """Whether a file defines anything of that name."""
    return any(symbol.short == name for symbol in outline.symbols)


def is_imported(target: UseTarget, bound: Bindings) -> bool:
    """Whether a file imports what it needs to write the target."""
    return any(
        origin in bound.modules or origin in bound.stars or any((origin, name) in bound.locals for name in door_names)
        for origin, door_names in target.doors
    )


def is_imported_elsewhere(target: UseTarget, hit: Match, uses: Iterable[Use], bound: Bindings) -> bool:
    """Whether the file imports the name itself, from another place: `import static java.lang.Math.abs` decides what `abs(x)` is."""
    use = hit.use
    if use.receiver or use.form == "import" or (hit.door and not hit.star):
        return False
    ours = any((origin, use.name) in bound.locals for origin, _ in target.doors)
    return not ours and any(other.form == "import" and other.name == use.name for other in uses)


def is_inside(target: UseTarget, use: Use, path: str) -> bool:
    """Whether a use is the definition's own head line."""
    after = target.symbol.after if target.symbol is not None else None
    return after is not None and after.path == path and use.form == "definition"


def spans_of(targets: Iterable[UseTarget]) -> dict[Side, dict[str, set[tuple[int, int]]]]:
    """Where the changed definitions stand. Before: their whole files, which also hand them on."""
    before: dict[str, set[tuple[int, int]]] = defaultdict(set)
    after: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for item in (target.symbol for target in targets if target.symbol is not None):
        if item.before is not None:
            before[item.before.path].add(WHOLE)
        if item.after is not None and item.change == "signature":
            after[item.after.path].add((item.after.start, item.after.end))
    return {"base": before, "head": after}


def unread(wanted_paths: Iterable[str], received_paths: Collection[str], entries: Mapping[str, TreeEntry]) -> list[str]:
    """The sentence about files that are too large to be read."""
    missing_paths = [
        path
        for path in wanted_paths
        if path in entries and path not in received_paths and entries[path].kind == "file" and entries[path].size > 0
    ]
    if not missing_paths:
        return []
    paths_text = ", ".join(missing_paths[:LISTED]) + (", ..." if len(missing_paths) > LISTED else "")
    return [f"references were not looked for in files that are too large: {paths_text}"]
