"""Find what a file offers to importers."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import islice

from deeprepo.impact.language import CONSTRUCTOR, Language
from deeprepo.impact.reading import marks, reader, syntax
from deeprepo.impact.reading.arguments import OBJECT
from deeprepo.impact.reading.unreadable import TOO_DEEP, TOO_LONG, Unreadable
from deeprepo.impact.structs import replace
from deeprepo.impact.values import (
    COMPONENT,
    Definition,
    DefinitionKind,
    Facts,
    Import,
    Outline,
    Parameter,
    Side,
    Signature,
)

CALLED = ("function", "method", "constructor")
APART = ("{", "[", "%", "<")
ATTRIBUTE = "@"  # a class with one may get macro-made members, but rarely one with its own name
MOST_ALTERNATIVES = 64  # definitions of one name that a call is compared with
NOT_IMPORTABLE = ("attribute", "global", "bound", "holder")  # kinds that cannot be imported, or that no line defines


def _language(path: str, source: bytes) -> Language:
    language = syntax.language_for(path, source)
    if language is None:
        raise Unreadable("no language of this installation reads it")
    return language


def outline(path: str, source: bytes, side: Side) -> Outline:
    """Return the definitions of a file and what importers can use; for unreadable code, only the reason."""
    try:
        language = _language(path, source)
        return language.offered(path, source, _outline(language, path, source, side))
    except Unreadable as error:
        return Outline(complete=False, unread=str(error))
    except RecursionError:
        return Outline(complete=False, unread=TOO_DEEP)


def _outline(language: Language, path: str, source: bytes, side: Side) -> Outline:
    facts = reader.facts(language, source)
    if facts is None:
        raise Unreadable(TOO_LONG)
    exports = _exports(facts, language)
    rows = [one for one in facts.definitions if one.kind not in NOT_IMPORTABLE and one.short not in language.nameless]
    written = {one.name for one in rows if one.kind == "method" and one.signature and not one.parameters}
    rows = [one for one in rows if one.kind != COMPONENT or one.name not in written]
    offering = [one for one in facts.imports if one.spec and (one.hands_on or language.scope.exports)]
    built = _built_elsewhere(rows, language)
    subclasses: dict[str, list[Definition]] = defaultdict(list)
    for one in facts.definitions:
        if any(base[:1] != ATTRIBUTE and base not in language.types.plain_bases for base in one.bases):
            subclasses[one.name].append(one)
    symbols = [
        _as_sought(one, language, path, side, subclasses.get(one.owner, ()), built)
        for one in rows
        if not one.by_query.means
    ]
    if language.scope.exports:
        offered = frozenset(exports.values())
        is_public = language.tables_for_classes
        symbols = [replace(one, private=not (is_public or _is_offered(one.name, offered))) for one in symbols]
    is_open = _is_open(path, facts, language, source)
    return Outline(
        definitions=alternatives(symbols, overloads=language.types.overloads),
        imports=facts.imports,
        exports=tuple(exports.items()),
        complete=not (facts.unwritten.words or facts.unwritten.for_search or is_open),
        is_whole=bool(facts.module_value) and not language.tables_for_classes,
        bases=tuple(bases(facts, language).items()),
        bound=tuple(name for item in offering for name in _bound(item)),
        loose=facts.types.union(name for item in offering if item.maybe for name in _bound(item)),
        stars=facts.stars or sum(item.star and item.hands_on for item in facts.imports),
        module=facts.module,
        spaces=facts.spaces,
    )


def alternatives(symbols: Collection[Definition], *, overloads: bool = False) -> tuple[Definition, ...]:
    """Link definitions of the same name, since a call must match one of them.

    Unless they are overloads, only a run decides which one is in effect.
    """
    same: dict[str, list[Definition]] = defaultdict(list)
    for symbol in symbols:
        if symbol.kind != "type":  # a type may share the name of a value
            same[symbol.name].append(symbol)
    related_symbols = []
    for symbol in symbols:
        own = symbol.signature
        others = [item.signature for item in islice(same[symbol.name], MOST_ALTERNATIVES + 2) if item is not symbol]
        if own is None or not others:
            related_symbols.append(symbol)
            continue
        is_vague = len(others) > MOST_ALTERNATIVES or any(one is None or one.opaque for one in others)
        signature = Signature(
            own.parameters,
            extending_class=own.extending_class,
            overloads=tuple(one.parameters for one in others if one is not None),
            opaque=own.opaque or is_vague,
            ambiguous=not overloads,
        )
        related_symbols.append(replace(symbol, signature=signature))
    return tuple(related_symbols)


def _is_offered(name: str, offered: Collection[str]) -> bool:
    """Return whether importers can reach a definition, directly or through its container."""
    return name in offered or name.partition(".")[0] in offered


def _is_open(path: str, facts: Facts, language: Language, source: bytes) -> bool:
    """Return whether importers may find more names in a file than it writes."""
    if facts.open_beside or language.offers_all(path):
        return True
    if not facts.module_value:
        return bool(facts.open)
    rows = [one for one in facts.definitions if one.name == facts.module_value and not one.owner]
    is_known = len({one.kind for one in rows}) == 1 and not any(one.bases for one in rows)
    is_plain = all(one.kind in ("function", "class") or re.match(language.types.literal, one.head) for one in rows)
    filled = language.types.filled_by.replace("NAME", re.escape(facts.module_value))
    return not (is_known and is_plain) or re.search(filled.encode(), source) is not None


def _built_elsewhere(rows: Sequence[Definition], language: Language) -> frozenset[str]:
    """Return constructors that a companion object may replace with a method, which it defines or inherits."""
    applied = {one.owner for one in rows if one.static and one.short in language.called_like}
    objects = {(one.name, bool(one.bases)) for one in rows if one.is_object}
    return frozenset(f"{name}.{CONSTRUCTOR}" for name, is_heir in objects if is_heir or name in applied)


def _exports(facts: Facts, language: Language) -> dict[str, str]:
    """Return exported name -> local definition; "" for a re-exported name."""
    unexported = language.unexported | language.nameless
    definitions = [one for one in facts.definitions if one.kind != "holder" and one.short not in unexported]
    offered = {
        one.name: one.by_query.means or (one.name if one.kind not in NOT_IMPORTABLE else "")
        for one in definitions
        if not one.owner and not (language.scope.exports and one.private) and one.visible != "file"
    }
    for one in definitions if language.types.importable_members else ():
        if one.owner and (one.static or one.kind in marks.CLASSES):
            offered.setdefault(one.short, one.name)
    if facts.module_value:
        is_called = any(one.name == facts.module_value and one.kind == "function" for one in definitions)
        offered |= {"default": facts.module_value} if is_called or not language.tables_for_classes else {}
        members = {
            one.short: one.by_query.means or _name(one, language)
            for one in definitions
            if one.owner == facts.module_value
        }
        offered |= {name: local for name, local in members.items() if name not in offered}
    for item in facts.imports:
        own = item.names if item.hands_on and not item.spec else ()
        offered |= {bound.here: bound.there for bound in own}
        names = _bound(item) if item.hands_on and item.spec else []
        offered |= {name: "" for name in names if name not in offered}
    return offered


def _bound(item: Import) -> list[str]:
    names = [one.here for one in item.names] if item.names else [item.whole.partition(".")[0]]
    return [name for name in names if name]


def _as_sought(
    one: Definition,
    language: Language,
    path: str,
    side: Side,
    subclasses: Sequence[Definition],
    built_elsewhere: Collection[str],
) -> Definition:
    is_hidden = one.private or (bool(one.owner) and any(map(language.is_private, one.owner.split("."))))
    is_own = not one.owner and one.visible == "file"
    taken = [row for row in one.parameters if row.name != OBJECT]
    name = f"{one.owner}.{CONSTRUCTOR}".lstrip(".") if one.kind == CONSTRUCTOR else _name(one, language)
    signature = None
    if one.kind in CALLED:
        is_opaque = one.signature is not None and one.signature.opaque
        is_opaque = is_opaque or name in built_elsewhere or _is_of_all(one, language)
        inherits = not is_opaque and _may_be_another(one, language, subclasses)
        is_extension = len(taken) < len(one.parameters)
        extending_class = name.rpartition(".")[0] if is_extension else ""
        signature = Signature(
            tuple(map(_parameter, taken)),
            opaque=is_opaque or inherits,
            inherits=inherits,
            extending_class=extending_class,
        )
    return replace(
        one,
        path=path,
        side=side,
        name=name,
        owner=name.rpartition(".")[0],
        kind=_kind(one, language),
        signature=signature,
        private=is_hidden or is_own or one.visible == "below",
        visible=one.visible or (language.private_to if one.private and not language.scope.exports else ""),
    )


def _name(one: Definition, language: Language) -> str:
    """Return the name of a definition in its file, qualified unless members are called by name only."""
    return one.short if one.owner and language.tables_for_classes else one.name


def _kind(one: Definition, language: Language) -> DefinitionKind:
    """Return the kind of a definition for the search.

    A static method counts as a function if it can be imported without its class.
    """
    if one.by_query.shown or one.kind in ("member", "common", "global"):
        return one.by_query.shown or "variable"
    if one.kind == "method" and ((one.static and language.types.importable_members) or language.tables_for_classes):
        return "function"
    return "method" if one.kind == CONSTRUCTOR else one.kind


def _may_be_another(one: Definition, language: Language, subclasses: Sequence[Definition]) -> bool:
    """Return whether a call of a method may reach an inherited method with other parameters.

    `subclasses`: classes with the name of its own.
    """
    if not language.types.overloads or one.kind not in ("function", "method"):
        return False
    return not (one.static or one.visible == "file") and any(row.start <= one.start <= row.end for row in subclasses)


def _is_of_all(one: Definition, language: Language) -> bool:
    """Return whether every object has a method of that name, perhaps with other parameters."""
    types, may = language.types, language.types.overloads and one.kind in ("function", "method")
    return bool(may and types.object_members) and re.search(types.object_members, one.short) is not None


def _parameter(one: Parameter) -> Parameter:
    name = one.name if one.name[:1] not in APART else "{}"  # a destructured parameter has no name
    return replace(one, name=name)


def bases(facts: Facts, language: Language) -> dict[str, tuple[str, ...]]:
    """Return the classes of a file with their bases as written. "*" means that it accepts any member."""
    found: dict[str, tuple[str, ...]] = {}
    for one in facts.definitions:
        if (one.kind in marks.CLASSES and one.by_query.shown in ("", "class")) or one.bases:
            more = ("*",) if one.by_query.more or facts.answering & {one.name, one.short} else ()
            name = one.name if language.inline_modules else one.short.rpartition(".")[2]
            found[name] = tuple(
                dict.fromkeys((*found.get(name, ()), *one.bases, *language.types.inherited.split(), *more))
            )
        elif not one.owner and language.is_closed(one.head):  # an object whose members are all written
            found.setdefault(one.name, ())
    return found
