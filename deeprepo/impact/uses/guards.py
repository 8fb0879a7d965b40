"""Find access checks around definitions and routes, and those that a change removes.

An access check is one of the following:
- a decorator, annotation or attribute;
- something passed to a route in addition to its handler, or a parameter dependency;
- a condition that ends a function early;
- a call that only checks.

Their meaning is not judged; a reviewer is only shown which were removed.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from tree_sitter import Node

from deeprepo.impact.changes import LostGuard
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import BODIES, ancestors, first_line, text
from deeprepo.impact.reading.reader import parse
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_sample, is_test
from deeprepo.impact.uses.symbols import ChangedSource

Kind = Literal["mark", "dependency", "check", "condition"]

WORDS = frozenset(
    """login auth authenticated authenticate authentication authorize authorized authorise authorization permission permissions permitted
    perm perms role roles admin admins administrator superuser staff owner csrf guard guards acl anonymous forbidden unauthorized""".split()  # noqa: SIM905
)
PHRASES = re.compile(
    r"current_?user|(?:can|has|check|deny|require)_?access|signed_?in|logged_?in|read_?only", re.IGNORECASE
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
NAME = re.compile(r"[A-Za-z_@$][\w$?!]*(?:(?:\.|::|->)[A-Za-z_$][\w$?!]*)*")
MARK = re.compile(r"decorator|annotation|marker_annotation|attribute|attribute_item")
AROUND_MARK = re.compile(r"modifiers|attribute_list|attribute_group|annotation_list|annotated_\w+")
CALL = re.compile(r"call|\w*call_expression|method_invocation|invocation_expression")
CONDITION = re.compile(r"if_(?:statement|expression)|if|unless|(?:if|unless)_modifier|guard_statement")
ENDS = re.compile(
    r"\W*(?:then\W+)?(?:return|raise|throw|abort|redirect|panic|die|exit|deny|head\b)|.{0,200}\b(?:40[13]|[Ff]orbidden|[Uu]nauthorized|FORBIDDEN|UNAUTHORIZED)\b",
    re.DOTALL,
)
# Calls that receive the guards of a router or of the route in their first argument, before the handler.
GIVES = re.compile(
    r"use|with|group|middleware|(?:prepend_)?before_action|use_?guards|add_middleware|plug|pipe_through", re.IGNORECASE
)
ROUTES = re.compile(r"(?:map_?)?(?:get|post|put|patch|delete|all|any|route|handle|handlefunc|add_route)", re.IGNORECASE)
CHECKS = re.compile(r"(?:ensure|require|check|assert|verify|enforce|deny|authoriz|authoris|authenticat)", re.IGNORECASE)
DEMANDS = re.compile(r"(?:\w+\W+)*(?:[Rr]equire|[Ee]nsure|[Vv]erify)(?=[A-Z_])")
PARAMETER = re.compile(r"(?:typed_|default_|typed_default_|required_|optional_|formal_)?parameter")
ROUTE = re.compile(r"[\"'`](/[^\"'`\s]*)[\"'`]")
ORDER = ("mark", "dependency", "check", "condition")  # order in which guards are shown
LONGEST = 120  # characters of a guard or a route
CLIMB = 4  # levels from a parameter up to the decorators of its function


class Guard(Struct, frozen=True):
    """One guard. `scope`: the definition or route that it protects."""

    scope: str
    kind: Kind
    name: str
    is_plain: bool = False  # a parameter that only a caller provides


class Protection(Struct, frozen=True):
    """The guards of one file, and the line of each definition and route that could have some."""

    guards: tuple[Guard, ...] = ()
    scopes: dict[str, int] = field(default_factory=dict)


def is_access(words: str) -> bool:
    """Return whether a text is about access rights."""
    return any(word.lower() in WORDS for word in WORD.findall(words)) or PHRASES.search(words) is not None


def protection(path: str, source: bytes) -> Protection:
    """Return the guards of a file; none if it has no grammar."""
    language = language_of(path)
    found = _protection(language, source, posixpath.basename(path)) if language is not None else None
    return found or Protection()


@memo
def _protection(language: Language, source: bytes, file: str) -> Protection | None:
    root = parse(language, source)
    if root is None:
        return None
    guards, scopes = list[Guard](), dict[str, int]()
    for node in _walk(root):
        if node.child_by_field_name("name") is not None and _has_body(node) and (name := _name(node)):
            scopes.setdefault(name, first_line(node))
        guards += _guards(node, scopes)
    scopes[file] = 1
    # a guard belongs to the file if nothing else has a name
    whole = [one if one.scope else replace(one, scope=file) for one in guards]
    return Protection(tuple(dict.fromkeys(whole)), scopes)


def _walk(root: Node) -> Iterator[Node]:
    left = [root]
    while left:
        node = left.pop()
        yield node
        left += reversed(node.named_children)


def _guards(node: Node, scopes: dict[str, int]) -> Iterator[Guard]:
    if MARK.fullmatch(node.type) and is_access(text(node)) and (scope := _marked(node)):
        own, *rest = NAME.findall(text(node).lstrip("@#[ "))
        if is_access(own):
            yield Guard(scope, "mark", _folded(text(node)))
        else:
            yield from (Guard(scope, "dependency", one) for one in dict.fromkeys(rest) if is_access(one))
    elif PARAMETER.fullmatch(node.type) and is_access(text(node)) and (scope := _inside(node)):
        names = [one for one in NAME.findall(text(node))[1:] if is_access(one)]
        yield from (Guard(scope, "dependency", one, not _is_decorated(node)) for one in dict.fromkeys(names))
    elif CONDITION.fullmatch(node.type):
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("consequence") or node.child_by_field_name("body")
        is_end = node.type == "guard_statement" or ENDS.match(text(body)) is not None
        if condition is not None and is_access(text(condition)) and is_end and (scope := _inside(node)):
            yield Guard(scope, "condition", _folded(_bare(condition)))
    elif CALL.fullmatch(node.type):
        yield from _of_call(node, scopes)


def _of_call(node: Node, scopes: dict[str, int]) -> Iterator[Guard]:
    """Yield the guards passed to a route, and the call itself if it only checks."""
    arguments = node.child_by_field_name("arguments")
    called = text(node)[: (arguments.start_byte if arguments is not None else node.end_byte) - node.start_byte]
    own = (NAME.findall(called) or [""])[-1]
    short = re.split(r"\.|::|->", own)[-1]
    rows = arguments.named_children if arguments is not None else []
    route = ROUTE.search(called) or (ROUTE.match(text(rows[0])) if rows else None)
    is_route = ROUTES.fullmatch(short) is not None and route is not None
    if is_route or GIVES.fullmatch(short):
        receiver = called.rstrip()[: -len(short)].rstrip(".:->")
        scope = route[1] if route else _folded(receiver) if NAME.fullmatch(receiver) else _inside(node)
        if is_route:
            # guards chained to this call are recorded for the route only
            scopes.setdefault(scope, first_line(node))
            scope = f"{short.lower()} {scope}"
        scopes.setdefault(scope, first_line(node))
        scopes.setdefault(receiver, first_line(node))
        for one in rows[:-1] if is_route else rows:
            name = (NAME.match(text(one).lstrip(":'\"[")) or [""])[0]
            if one.type not in ("pair", "keyword_argument") and (is_access(name) or DEMANDS.match(name)):
                yield Guard(scope, "dependency", name)
    elif route and is_access(short) and ROUTE.search(called):
        scopes.setdefault(route[1], first_line(node))
        yield Guard(route[1], "check", _written(short, arguments))
    elif CHECKS.match(short) and is_access(short) and _is_alone(node) and (scope := _inside(node)):
        yield Guard(scope, "check", _written(short, arguments))


def _is_alone(node: Node) -> bool:
    """Return whether a call's result is unused."""
    above = node.parent
    while above is not None and above.type in ("await", "await_expression"):
        above = above.parent
    return above is not None and (above.type == "expression_statement" or "body" in above.type or "block" in above.type)


def _marked(node: Node) -> str:
    """Return the definition that a decorator, annotation or attribute belongs to."""
    above = node
    while above.parent is not None and AROUND_MARK.fullmatch(above.parent.type):
        above = above.parent
    holder = above.parent
    if holder is None:
        return ""
    inner = holder.child_by_field_name("definition") or holder.child_by_field_name("declaration") or holder
    beside = above.next_named_sibling
    while beside is not None and MARK.fullmatch(beside.type):
        beside = beside.next_named_sibling
    return next((name for one in (inner, beside) if one is not None and _has_body(one) and (name := _name(one))), "")


def _is_decorated(node: Node) -> bool:
    """Return whether the function with this parameter has a decorator."""
    return any(one.type == "decorated_definition" for one in islice(ancestors(node), CLIMB))


def _inside(node: Node) -> str:
    """Return the named definition around a node, or ""."""
    return next((name for above in ancestors(node) if _has_body(above) and (name := _name(above))), "")


def _has_body(node: Node) -> bool:
    value = node.child_by_field_name("value") if "declarator" in node.type else None
    return any(
        one.child_by_field_name("body") is not None or any(each.type in BODIES for each in one.named_children)
        for one in (node, value)
        if one is not None
    )


def _name(node: Node) -> str:
    """Return the qualified name of a definition, or ""."""
    names = [one.child_by_field_name("name") for one in (node, *ancestors(node)) if one is node or _has_body(one)]
    if names[0] is None:
        return ""
    return ".".join(text(one) for one in reversed(names) if one is not None)[:LONGEST]


def _written(name: str, arguments: Node | None) -> str:
    given = text(arguments)
    return _folded(f"{name}{given}" if given.startswith("(") else f"{name} {given}")


def _bare(condition: Node) -> str:
    """Return a condition without enclosing parentheses."""
    is_wrapped = condition.type == "parenthesized_expression" and condition.named_child_count == 1
    return text(condition.named_children[0] if is_wrapped else condition)


def _folded(words: str) -> str:
    return " ".join(words.split()).replace("'", '"')[:LONGEST]


def lost_guards(sources: Sequence[ChangedSource]) -> tuple[LostGuard, ...]:
    """Return the guards that the change removes from definitions and routes that still exist.

    Guards without a replacement come first. Guards that moved, for example to the whole class, and renamed
    guards are omitted.
    """
    rows = [(source, *_sides(source)) for source in sources if _loses_some(source)]
    come = {guard.name for _, before, after in rows for guard in _apart(after, before)}
    defined_before, defined_now = (
        {symbol.short for source in sources for symbol in (source.old if is_old else source.new).definitions}
        for is_old in (True, False)
    )
    renamed = defined_before - defined_now
    found = [row for source, before, after in rows for row in _lost(source.file.path, before, after, come, renamed)]
    return tuple(sorted(found, key=lambda row: (bool(row.became), ORDER.index(row.kind), row.path, row.line)))


def _loses_some(source: ChangedSource) -> bool:
    """Return whether the change removes a line about access rights from code that runs."""
    path = source.file.path
    if not source.before or not source.after or is_test(path) or is_sample(path):
        return False
    lines = file_lines(source.before)
    return any(is_access(lines[number - 1]) for number in source.file.removed_lines if number <= len(lines))


def _sides(source: ChangedSource) -> tuple[Protection, Protection]:
    return protection(source.file.old_path or source.file.path, source.before), protection(
        source.file.path, source.after
    )


def _apart(one: Protection, other: Protection) -> Iterator[Guard]:
    """Yield the guards that a file has on only one side."""
    known = {(guard.scope, guard.name) for guard in other.guards}
    yield from (guard for guard in one.guards if not guard.is_plain and (guard.scope, guard.name) not in known)


def _lost(path: str, before: Protection, after: Protection, come: set[str], renamed: set[str]) -> Iterator[LostGuard]:
    new: dict[tuple[str, str], list[str]] = {}
    for guard in _apart(after, before):
        new.setdefault((guard.scope, guard.kind), []).append(guard.name)
    for guard in _apart(before, after):
        is_moved = guard.name in come or any(
            part in renamed for part in guard.name.replace("@", ".").replace("(", ".").split(".")
        )
        if guard.scope in after.scopes and not is_moved:
            others = new.get((guard.scope, guard.kind), [])
            became = others.pop(0) if others else ""
            yield LostGuard(path, after.scopes[guard.scope], guard.scope, guard.kind, guard.name, became)
