"""What a file of C or C++ defines, and what its names do: a header is read as the one that it is written in."""

import re
from collections.abc import Collection, Iterable, Iterator

from deeprepo.impact import offers as generic
from deeprepo.impact import reader, spots
from deeprepo.impact.structs import replace
from deeprepo.impact.unreadable import finds, outlines
from deeprepo.impact.values import SPACE, Definition, Facts, Parameter, Side, Use

SOURCES = (".c", ".cc", ".cpp", ".cxx")  # which nobody includes
DECLARATION = "declaration"  # the kind of a prototype: the same symbol as the definition that includes its header
HOLDERS = ("class", "type")
TYPENAMES = re.compile(rb"\b(?:typename|class)(?:\s*+\.\.\.)?\s++(\w++)\s*+(?=[,>=])")  # any class may be meant
QUALIFIED = re.compile(rb"(?:(>)|(?<!\s))\s*+::\s*+(?:template\s++)?$")
NAME = re.compile(r"[*&(\s]*+(?:(?:const|restrict|volatile|__\w+)\b[*&(\s]*+)*(\w+)")
DECLARED = re.compile(r"^[*&]|[(\[]")  # it is no type
FAR = 40  # bytes before a name in which what qualifies it ends


@outlines
def outline(path: str, source: bytes, side: Side) -> Facts:
    """Return the definitions of a file and what an includer can ask of it."""
    told = generic.outline(_read_as(path, source), source, side)
    if told.unread:
        return told
    symbols = _told_apart(_included(one, path) for one in told.definitions)
    offered = {one.name: one.name for one in symbols if "." not in one.name}
    # A name that is gone is looked for in the whole tree before that is said.
    return replace(told, definitions=symbols, exports=tuple({**dict(told.exports), **offered}.items()), complete=True)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """Return the identifiers of a file that are spelt like one of the names."""
    if not spots.any_of(frozenset(names)).search(source):
        return ()
    as_path = _read_as(path, source)
    found = generic.uses(as_path, source, names)
    if as_path.endswith((".c", ".h")):
        return found
    parameters = frozenset(one.decode() for one in TYPENAMES.findall(source))
    return type(found)(_with_members([_plain(one, source, parameters) for one in found]))


def _read_as(path: str, source: bytes) -> str:
    """The path under which a file is read."""
    language = reader.language_for(path, source) if path.endswith(".h") else None
    return f"{path}pp" if language is not None and language.name == "cpp" else path


def _included(one: Definition, path: str) -> Definition:
    """A definition as includers name it: with its class, and nothing that stands around that."""
    parts = one.name.split(".")
    is_static = one.visible == "file" and len(parts) == 1
    is_own = path.endswith(SOURCES) and (is_static or SPACE in one.marks)
    named = parts[-1:] if one.kind in HOLDERS else parts[-2:]
    return replace(
        one,
        path=path,
        name=".".join(named),
        owner=".".join(named[:-1]),
        kind="method" if one.kind == "function" and len(parts) > 1 else one.kind,
        parameters=tuple(map(_parameter, one.parameters)) if one.parameters is not None else None,
        also=(),
        ambiguous=False,
        private=is_own,
        visible="file" if is_own else "",
    )


def _parameter(one: Parameter) -> Parameter:
    """A parameter by its name alone: of `*const rows[]` it is `rows`."""
    if one.kind == "rest":
        return replace(one, name="...")
    found = NAME.match(one.name) if DECLARED.search(one.name) else None
    return Parameter(found[1], one.kind, one.is_required) if found is not None else one


def _told_apart(symbols: Iterable[Definition]) -> tuple[Definition, ...]:
    """A prototype beside its definition is left out; a call of a method has to fit one of its overloads or alternatives."""
    rows = list(symbols)
    defined_names = {one.name for one in rows if one.kind in ("function", "method")}
    rows = [one for one in rows if one.kind != DECLARATION or one.name not in defined_names]
    # Functions may have overloads in any header, methods have theirs in their class.
    free = [one for one in rows if "." not in one.name]
    members = [one for one in rows if "." in one.name]
    told = (*generic.alternatives(free), *generic.alternatives(members, overloads=True))
    return tuple(sorted(told, key=lambda one: one.start))


def _plain(use: Use, source: bytes, parameters: Collection[str]) -> Use:
    """`ns::call()` names a thing of a namespace or of a class. Its first letter suggests which of the two, not with certainty.

    Such a use is in doubt until its definition turns out to be in that namespace.
    """
    types = tuple(one for row in use.types if (one := row.rpartition("::")[2]) not in parameters)
    if use.form == "key" or (use.receiver == "this" and not types):
        types = tuple(filter(None, (_owner(use),)))
    if use.form == "key" or types != use.types:
        use = replace(use, form="member" if use.form == "key" else use.form, types=types)
    found = QUALIFIED.search(source[max(use.at - FAR, 0) : use.at]) if use.form == "member" else None
    if found is None or found[1] or use.receiver[:1].isupper():
        return use
    return replace(use, form="name", receiver="" if use.is_guarded else use.receiver, types=(), is_guarded=True)


def _owner(use: Use) -> str:
    """The class whose method a use is in, "" for none."""
    return use.function.rpartition(".")[0].rpartition(".")[2]


def _with_members(uses: Collection[Use]) -> Iterator[Use]:
    """The uses, and a second one for each name without a receiver inside a method: it may be a member, and proves nothing.

    Neither does a name that a using declaration takes from a namespace, which may be a library's.
    """
    import_names = {use.name for use in uses if use.form == "import"}
    defined_names = {use.name for use in uses if use.form == "definition"}
    for use in uses:
        yield replace(use, is_guarded=True) if use.name in import_names else use
        owner = _owner(use)
        if owner and use.form == "name" and not use.receiver and use.name not in defined_names | {owner}:
            yield replace(use, form="member", receiver="this", is_guarded=True)
