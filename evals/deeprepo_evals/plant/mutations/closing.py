"""A file, a connection or a lock that is never given back.

Not equivalent: what this function itself opened or took stays open after each call; a lock that is not released stops the next
caller. The statement that is taken out is the only one that gives it back, and the thing is not handed on.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import own
from deeprepo_evals.plant.mutations.branches import after, statements, words
from deeprepo_evals.plant.mutations.site import Edit, Mutation, Site, Spot

CLASS = "dropped-close"
GIVES_BACK = {"close", "release", "unlock", "Close", "Unlock", "RUnlock", "disconnect", "shutdown"}
TAKES = {"acquire", "lock", "Lock", "RLock"}
STATEMENTS = {"expression_statement", "defer_statement"}


def propose(site: Site) -> Iterator[Mutation]:
    """Every statement that gives back what the function took."""
    rows = [node for node in own(site.node, site.kind) if node.type in STATEMENTS]
    for row in rows:
        owner, method = _method(site, row)
        if method not in GIVES_BACK or not _alone(row) or not _is_own(site, owner, row):
            continue
        if sum(_method(site, other) == (owner, method) for other in rows) > 1:
            continue
        yield site.mutation(
            CLASS,
            _line(site, row),
            Spot(site.path, _line_to_show(site, row)),
            f"`{text(row)}` is gone: what {site.name}() took is never given back",
            f"every call of {site.name}()",
        )


def _method(site: Site, row: Node) -> tuple[str, str]:
    """Owner and method of a plain `owner.method()`."""
    call = row.named_children[0] if row.named_children else None
    if call is not None and call.type in {"await", "await_expression"}:
        call = call.named_children[0]
    callee = call.child_by_field_name("function") if call is not None and call.type in site.kind.calls else None
    if callee is None or callee.type not in site.kind.members:
        return "", ""
    owner, name = site.kind.members[callee.type]
    return text(callee.child_by_field_name(owner)), text(callee.child_by_field_name(name))


def _alone(row: Node) -> bool:
    """Whether the block can do without the statement."""
    block = row.parent
    return block is not None and (len(statements(block)) > 1 or block.type == "statement_block")


def _is_own(site: Site, owner: str, row: Node) -> bool:
    """Whether the function itself opened the thing, or took the lock, before it gives it back; and does not hand it on."""
    opened = False
    for node in own(site.node, site.kind):
        if node.type == "return_statement" and owner in words(node):
            return False
        if node.start_byte < row.start_byte:
            opened = (
                opened or owner in _bound_names(site, node) or _method(site, node) in {(owner, word) for word in TAKES}
            )
    return opened


def _bound_names(site: Site, node: Node) -> set[str]:
    """The names that a statement gives to what a call returned."""
    left = node.child_by_field_name("left") or node.child_by_field_name("name")
    made = node.child_by_field_name("right") or node.child_by_field_name("value")
    while made is not None and made.type in {"expression_list", "await", "await_expression"} and made.named_children:
        made = made.named_children[0]
    if left is None or made is None or made.type not in site.kind.calls:
        return set()
    return {part.strip() for part in text(left).split(",")}


def _line(site: Site, row: Node) -> tuple[Edit, ...]:
    source = site.scene.files[site.path]
    start = source.rfind(b"\n", 0, row.start_byte) + 1
    return (Edit(site.path, start, source.find(b"\n", row.end_byte) + 1, b""),)


def _line_to_show(site: Site, row: Node) -> int:
    """Where a reader would miss it: the statement that follows, else the one before."""
    other = after(row) or row.prev_named_sibling
    return other.start_byte if other is not None else site.node.start_byte
