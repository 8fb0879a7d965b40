"""Name definitions in C and C++ files as code that includes them does, and C++ references in the same form."""

import re
from collections.abc import Collection, Iterable, Iterator

from deeprepo.impact.resolving.offers import alternatives
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Definition, Outline, Parameter, Signature, Use

SOURCES = (".c", ".cc", ".cpp", ".cxx")  # files that are not included
DECLARATION = "declaration"  # the kind of a prototype, which is the same symbol as its definition
HOLDERS = ("class", "type")
# any type may be substituted
TYPENAMES = re.compile(rb"\b(?:typename|class)(?:\s*+\.\.\.)?\s++(\w++)\s*+(?=[,>=])")
QUALIFIED = re.compile(rb"(?:(>)|(?<!\s))\s*+::\s*+(?:template\s++)?$")
NAME = re.compile(r"[*&(\s]*+(?:(?:const|restrict|volatile|__\w+)\b[*&(\s]*+)*(\w+)")
DECLARED = re.compile(r"^[*&]|[(\[]")  # it is no type
FAR = 40  # bytes before a name in which a qualifier ends


def offered(path: str, outline: Outline) -> Outline:
    """Return the definitions of a file and what includers can use."""
    symbols = _distinguished(_included(one, path) for one in outline.definitions)
    exports = {one.name: one.name for one in symbols if "." not in one.name}
    # A removed name is searched in the whole tree before it is reported.
    exports = {**dict(outline.exports), **exports}
    return replace(outline, definitions=symbols, exports=tuple(exports.items()), complete=True)


def used(source: bytes, uses: Iterable[Use]) -> Iterator[Use]:
    """Yield the references of a C++ file in the form that its definitions have."""
    parameters = frozenset(one.decode() for one in TYPENAMES.findall(source))
    return _with_members([_plain(one, source, parameters) for one in uses])


def _included(one: Definition, path: str) -> Definition:
    """Return a definition with the name that includers use: with its class, and without enclosing namespaces."""
    parts = one.name.split(".")
    is_static = one.visible == "file" and len(parts) == 1
    is_own = path.endswith(SOURCES) and (is_static or "" in one.namespaces)
    named = parts[-1:] if one.kind in HOLDERS else parts[-2:]
    return replace(
        one,
        name=".".join(named),
        owner=".".join(named[:-1]),
        kind="method" if one.kind == "function" and len(parts) > 1 else one.kind,
        signature=Signature(tuple(map(_parameter, one.parameters)), opaque=one.signature.opaque)
        if one.signature is not None
        else None,
        private=is_own,
        visible="file" if is_own else "",
    )


def _parameter(one: Parameter) -> Parameter:
    """Return a parameter by its name only: `rows` for `*const rows[]`."""
    if one.kind == "rest":
        return replace(one, name="...")
    found = NAME.match(one.name) if DECLARED.search(one.name) else None
    return Parameter(found[1], one.kind, one.is_required) if found is not None else one


def _distinguished(symbols: Iterable[Definition]) -> tuple[Definition, ...]:
    """Return the definitions without prototypes of functions in the file, with overloads linked.

    A prototype with another number of parameters than each definition of its name declares an overload.
    """
    rows = list(symbols)
    defined = {(one.name, len(one.parameters)): one.kind for one in rows if one.kind in ("function", "method")}
    kinds = {name: kind for (name, _), kind in defined.items()}
    prototypes = [one for one in rows if one.kind == DECLARATION and one.name in kinds]
    rows = [
        replace(one, kind=kinds[one.name]) if one in prototypes else _with_defaults(one, prototypes)
        for one in rows
        if one not in prototypes or (one.name, len(one.parameters)) not in defined
    ]
    # Functions may have overloads in any header, but methods only in their class.
    free = [one for one in rows if "." not in one.name]
    members = [one for one in rows if "." in one.name]
    linked = (*alternatives(free), *alternatives(members, overloads=True))
    return tuple(sorted(linked, key=lambda one: one.start))


def _with_defaults(one: Definition, prototypes: Iterable[Definition]) -> Definition:
    """Return a definition with the default arguments of its prototypes in the same file: only they have them."""
    mine = [
        prototype.parameters
        for prototype in prototypes
        if prototype.name == one.name and len(prototype.parameters) == len(one.parameters)
    ]
    if one.signature is None or not mine:
        return one
    required = [all(rows[at].is_required for rows in mine) for at in range(len(one.parameters))]
    parameters = zip(one.parameters, required, strict=True)
    taken = tuple(replace(row, is_required=row.is_required and is_so) for row, is_so in parameters)
    return replace(one, signature=replace(one.signature, parameters=taken))


def _plain(use: Use, source: bytes, parameters: Collection[str]) -> Use:
    """Resolve `ns::call()`, which may name a member of a namespace or a class.

    Only the case of its first letter distinguishes them, so the reference is uncertain until the definition's
    namespace is known.
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
    """Return the class whose method contains a reference, or ""."""
    return use.function.rpartition(".")[0].rpartition(".")[2]


def _with_members(uses: Collection[Use]) -> Iterator[Use]:
    """Yield the references, and a second one for each bare name in a method, which may be a member.

    Such a reference proves nothing, and neither does a name from a using declaration, which may come from a
    library.
    """
    import_names = {use.name for use in uses if use.form == "import"}
    defined_names = {use.name for use in uses if use.form == "definition"}
    for use in uses:
        yield replace(use, is_guarded=True) if use.name in import_names else use
        owner = _owner(use)
        if owner and use.form == "name" and not use.receiver and use.name not in defined_names | {owner}:
            yield replace(use, form="member", receiver="this", is_guarded=True)
