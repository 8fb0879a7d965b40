"""A check for nothing that is gone.

Not equivalent: with nothing in its hands the function left by this check; now it goes on to a line that asks the missing thing for
an attribute, an item or a call. In Go: the error is dropped, and the value that came with it is used as if it were whole.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import ancestors, text
from deeprepo_evals.plant.grammar import GO, own
from deeprepo_evals.plant.mutations.branches import Branch, after, branch, statements
from deeprepo_evals.plant.mutations.site import Edit, Mutation, Site, Spot

CLASS = "missing-check"
EQUAL = {"is", "==", "==="}
SIDES = 3
SUBSCRIPTS = {"subscript": "value", "subscript_expression": "object", "index_expression": "operand"}


def propose(site: Site) -> Iterator[Mutation]:
    """Every early way out for nothing, of something that is used below."""
    body = site.node.child_by_field_name("body")
    rows = statements(body) if body is not None else []
    for row in rows:
        found = branch(row, site.kind)
        if found is None or found.other is not None or not found.exits or after(row) is None:
            continue
        name = _nothing(site, found)
        use = _first_use(site, name, row) if name else None
        if name and use is not None:
            yield site.mutation(
                CLASS,
                _without(site, row),
                Spot(site.path, _next(site, row)),
                f"the check of {name} is gone: where there is none, `{_line(site, use)}` is reached",
                f"{site.name}() where {name} is {'an error' if site.kind is GO and name == 'err' else 'nothing'}",
            )


def _nothing(site: Site, branch: Branch) -> str | None:
    """The name that the condition finds to be nothing (in Go also: the error that it finds)."""
    node = branch.condition
    if node.type in {"not_operator", "unary_expression"} and text(node).startswith(("not ", "!")):
        inner = node.child_by_field_name("argument") or node.child_by_field_name("operand")
        return (
            text(inner) if inner is not None and inner.type in site.kind.identifiers and site.kind is not GO else None
        )
    if node.type not in site.kind.comparisons or node.child_count != SIDES:
        return None
    left, operator, right = node.children
    if right.type not in site.kind.nothing or left.type not in site.kind.identifiers:
        return None
    error = site.kind is GO and text(left) == "err" and operator.type == "!="
    return text(left) if operator.type in EQUAL or error else None


def _first_use(site: Site, name: str, check: Node) -> Node | None:
    """The first place below the check that needs the thing to be there."""
    wanted = name
    if site.kind is GO and name == "err":
        made = check.prev_named_sibling
        left = made.child_by_field_name("left") if made is not None else None
        names = [text(child) for child in left.named_children] if left is not None else []
        whole = len(names) > 1 and names[-1] == "err" and names[0] != "_"
        if not whole or _asked_later(site, check):
            return None
        wanted = names[0]
    for node in own(site.node, site.kind):
        if node.start_byte < check.end_byte:
            continue
        field = site.kind.members.get(node.type, ("", ""))[0] or SUBSCRIPTS.get(node.type, "")
        if field and text(node.child_by_field_name(field)) == wanted:
            return node
        if site.kind is GO and name == "err" and node.type == "identifier" and text(node) == wanted:
            return node.parent
    return None


def _line(site: Site, node: Node) -> str:
    """The whole line on which a node begins."""
    return site.scene.files[site.path].split(b"\n")[node.start_point[0]].decode("utf-8", "replace").strip()


def _asked_later(site: Site, check: Node) -> bool:
    """Whether `err` is read again below, other than by an if that sets it itself."""
    return any(
        node.type == "identifier"
        and text(node) == "err"
        and node.start_byte > check.end_byte
        and not any(above.child_by_field_name("initializer") is not None for above in ancestors(node))
        for node in own(site.node, site.kind)
    )


def _without(site: Site, row: Node) -> tuple[Edit, ...]:
    """The statement and the line break behind it are taken out; in Go the error then needs another name."""
    source = site.scene.files[site.path]
    start = source.rfind(b"\n", 0, row.start_byte) + 1
    edits = (Edit(site.path, start, _next(site, row, start=True), b""),)
    made = row.prev_named_sibling
    if site.kind is GO and made is not None and (left := made.child_by_field_name("left")) is not None:
        error = left.named_children[-1]
        if text(error) == "err":
            return (*site.replace(error, "_"), *edits)
    return edits


def _next(site: Site, row: Node, *, start: bool = False) -> int:
    """Where the following statement begins, or the line on which it stands."""
    following = after(row)
    if following is None:
        return row.end_byte
    if not start:
        return following.start_byte
    return site.scene.files[site.path].find(b"\n", row.end_byte) + 1
