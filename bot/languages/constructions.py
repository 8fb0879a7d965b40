"""Calls of a constructor that do not write the name of its class: `super(1)`, `: base(1)`, `this(1)`.

The class says in its head what it is called and what it inherits. Such a call is a use of the class that is named there, on the line of the
call. Another call names no class because its place asks for one (`Cart cart = new(1)`): it is a use of the class that the place declares.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from tree_sitter import Node

from bot.languages.syntax import MOST_USES, ancestors, first_line, nodes_outside
from bot.values import Call, SomeUses, Use

Construction = tuple[Node | None, Node | None, Call]  # the class's name in the head, the call, its arguments
FORMS = frozenset({"name", "member", "definition"})
BODIES = frozenset({
    "class_body", "enum_class_body", "interface_body", "enum_body", "template_body", "declaration_list",
    "body_statement",
})  # fmt: skip
MOST_NODES = 20_000  # of a constructor
UP = 8  # levels from the name of a class in the head to what it stands for


def with_constructions(
    root: Node,
    uses: Sequence[Use],
    classes: Collection[str],
    constructions: Callable[[Node], Iterable[Construction]],
    by_place: Callable[[Node], Iterable[Construction]] = lambda _: (),
) -> tuple[Use, ...]:
    """The uses of a file, and the calls of constructors that only the head of their class names. `classes`: the nodes that have such a head.

    `by_place`: those of a file that write no class because their place asks for one, each with the name in the declaration of the place.
    """
    calls, place_calls = list[Use](), list[Use]()
    calls_by_head: dict[
        int, dict[int, list[tuple[Node, Call]]]
    ] = {}  # of each class once, however often its head writes a name
    calls_by_type = _by_name(by_place(root)) if uses else {}
    for use in uses:
        if use.form not in FORMS or not use.name.lstrip("_")[:1].isupper():
            continue
        node = root.descendant_for_byte_range(use.at, use.at + len(use.name.encode()))
        place_calls += (
            [_call(use, place, call) for place, call in calls_by_type.get(node.id, ())] if node is not None else []
        )
        holder = _holder(node, classes) if node is not None else None
        if node is None or holder is None:
            continue
        if holder.id not in calls_by_head:
            calls_by_head[holder.id] = _by_name(constructions(holder))
        calls += [_call(use, place, call) for place, call in calls_by_head[holder.id].get(node.id, ())]
    if not calls and not place_calls:
        return uses if isinstance(uses, SomeUses) else tuple(uses)
    places = {use.at for use in place_calls}
    all_uses = sorted([*(use for use in uses if use.at not in places), *calls, *place_calls], key=lambda use: use.at)
    return (
        SomeUses(all_uses[:MOST_USES]) if isinstance(uses, SomeUses) or len(all_uses) > MOST_USES else tuple(all_uses)
    )


def _holder(node: Node, classes: Collection[str]) -> Node | None:
    """The class in whose head a name stands."""
    for above in islice(ancestors(node), UP):
        if above.type in classes:
            return above
        if above.type in BODIES:
            return None
    return None


def _by_name(constructions: Iterable[Construction]) -> dict[int, list[tuple[Node, Call]]]:
    """The calls by the node of the name in the head."""
    calls: dict[int, list[tuple[Node, Call]]] = {}
    for name, place, call in constructions:
        if name is not None and place is not None:
            calls.setdefault(name.id, []).append((place, call))
    return calls


def _call(use: Use, place: Node, call: Call) -> Use:
    """The use of a class on the line of a call that does not write its name."""
    return replace(
        use,
        form="member" if use.form == "member" else "name",
        line=first_line(place),
        call=call,
        at=place.start_byte,
        alias="",
    )


def nodes_of(holder: Node, kind: str, others: Collection[str]) -> Iterator[Node]:
    """The nodes of a kind in a definition, but those in the definitions inside it. `others`: what such a definition is."""
    parts = (part for child in holder.named_children for part in nodes_outside(others, child))
    return (part for part in islice(parts, MOST_NODES) if part.type == kind)
