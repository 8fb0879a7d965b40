"""Ask the resolver what a name means to its user, on both sides of the change.

A name that its user's file still resolves to a definition was not removed, however the definition got there. A name
that meant something else before the change has nothing to do with it.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact.filetypes import module_name
from deeprepo.impact.language import language_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolution import Found
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.classes import ancestry, members
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.resolving.resolve import named_by, taken
from deeprepo.impact.structs import Struct
from deeprepo.impact.values import Bound, Definition, Import, Side
from deeprepo.impact.views import OneSide

_ALIASED = re.compile(r"=\s*+([\w.:\\]++)\s*+;?\s*+$")  # in the head of an alias: `type Total = Sum;`
_MODULE = re.compile(r"(\w++)\W")  # in front of a name: `context` of `context.WithTimeout`
ALIASES = 3  # that are followed
Row = tuple[str, Definition]


class Question(Struct, frozen=True):
    """What a name refers to, as a line writes it."""

    user: str
    name: str
    owner: str = ""  # the class of a member
    home: str = ""  # the file that defined it before the change
    line: int = 0  # of the import that contains the name; 0 if the name is used


class Assumed(Struct, frozen=True):
    """What a name is assumed to have meant before the change."""

    homes: tuple[str, ...]  # files that provided it
    is_defined: bool = True  # they defined it, and didn't only export it
    is_resolved: bool = False  # the search resolved the name to them


def question_about(user: str, name: str, owner: str, home: str, text: str, import_line: int = 0) -> Question | None:
    """Return what to ask about a name on a line; None if the line doesn't show whether it is a member of `owner`."""
    language = language_of(user)
    if language is None or not name.isidentifier():
        return None
    separator = re.escape(language.scope.separator)
    found = re.search(rf"(?<![\w.:\\])((?:\w++(?:\.|{separator}))*+){re.escape(name)}(?!\w)", text)
    before = found[1] if found is not None else ""
    if owner:
        receiver = re.split(r"\W+", before.rstrip(".:\\"))[-1]
        is_of_owner = found is not None and receiver in ("", owner, *language.receivers.own)
        return Question(user, name, owner, home) if is_of_owner else None
    return Question(user, name if import_line else f"{before}{name}", line=import_line)


async def found_after(
    tree: Tree, names: Collection[Question], reported: Collection[tuple[str, int]]
) -> Mapping[Question, Found]:
    """Return a definition in the head for each name that still means one.

    A reported line doesn't count: `struct Total<int>` specializes a template and needs it.
    """
    index = await _index(tree, "head")
    rows, _ = await index.settled(
        OneSide(tree, "head"), lambda: {name: _definition(index, name, reported) for name in names}
    )
    return {name: Found(*row) for name, row in rows.items() if row is not None}


async def meant_another(
    tree: Tree, names: Mapping[Question, Sequence[Assumed]], former: Mapping[str, str]
) -> Collection[Question]:
    """Return the names that meant something else before the change than assumed.

    `former`: the paths of moved users in the base.
    """
    index = await _index(tree, "base")

    def is_another(one: Question) -> bool:
        return all(_is_another(index, former.get(one.user, one.user), one, row) for row in names[one])

    others, _ = await index.settled(
        OneSide(tree, "base"), lambda: {one for one in names if not one.owner and is_another(one)}
    )
    return others


async def _index(tree: Tree, side: Side) -> Index:
    return Index(await OneSide(tree, side).paths(), guesses=True)


def _definition(index: Index, one: Question, reported: Collection[tuple[str, int]]) -> tuple[str, int] | None:
    rows = _rows(index, one.user, one)
    if one.owner:
        facts = index.facts(one.home)
        still = tuple(
            (one.home, row) for row in (facts.definitions if facts is not None else ()) if row.name == one.owner
        )
        rows = tuple(row for home, owner in still or rows for row in _members(index, home, owner, one.name))
    return next((place for home, row in rows if (place := (home, row.line)) not in reported), None)


def _rows(index: Index, user: str, one: Question) -> tuple[Row, ...]:
    """Return the definitions that a name refers to; of a member, those of its class."""
    if not one.line:
        return named_by(index, user, one.owner or one.name).definitions
    modules, taking = _taking(index, user, one)
    found = (taken(index, modules, user, item, bound.there) for item, bound in taking if modules is not None)
    return tuple(row for answer in found for row in answer.definitions)


def _taking(index: Index, user: str, one: Question) -> tuple[Resolver | None, list[tuple[Import, Bound]]]:
    """Return the parts of imports that bind a name, or that take it on the line of an import."""
    facts, language = index.facts(user), language_of(user)
    modules = index.modules(language) if language is not None else None
    rows = [(item, bound) for item in (facts.imports if facts is not None else ()) for bound in item.names]
    if one.line:
        return modules, [row for row in rows if row[1].line == one.line and one.name in (row[1].here, row[1].there)]
    return modules, [row for row in rows if row[1].here == one.name]


def _of_module(index: Index, user: str, receiver: str) -> Iterator[tuple[Import, Bound]]:
    """Yield the imports that may bind a receiver, by an alias or by the last word of the module's path."""
    facts = index.facts(user)
    for item in facts.imports if facts is not None else ():
        written = item.whole or ("" if item.names or item.star else re.split(r"\W", item.spec)[-1])
        if written == receiver:
            yield item, Bound("", receiver, item.line)
        yield from ((item, bound) for bound in item.names if bound.here == receiver)


def _members(index: Index, home: str, owner: Definition, name: str, depth: int = ALIASES) -> Iterator[Row]:
    """Yield the members of a class with this name, also of its bases and of what it is an alias of."""
    for path, one in ancestry(index, home, owner.name).classes:
        yield from ((where, row) for where, row in members(index, path, one) if row.short == name)
    if depth and (alias := _ALIASED.search(owner.head)) is not None:
        for where, row in named_by(index, home, alias[1]).definitions:
            if (where, row) != (home, owner):
                yield from _members(index, where, row, name, depth - 1)


def _is_another(index: Index, user: str, one: Question, assumed: Assumed) -> bool:
    """Return whether a name referred to another definition, or came from an unrelated import."""
    rows = _rows(index, user, one)
    if rows or assumed.is_resolved:
        return bool(rows) and assumed.is_defined and all(home not in assumed.homes for home, _ in rows)
    modules, taking = _taking(index, user, one)
    names = {module_name(home) for home in assumed.homes}
    if modules is not None and not one.line and (receiver := _MODULE.match(one.name)) is not None:
        taking = list(_of_module(index, user, receiver[1]))
        names |= {word for home in assumed.homes for word in re.findall(r"\w+", home)}
    return bool(taking) and all(
        modules is not None
        and modules.files(user, item, bound.there) is None
        and names.isdisjoint(re.findall(r"\w+", f"{item.spec} {bound.there}"))
        for item, bound in taking
    )
