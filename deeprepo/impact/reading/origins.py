"""Trace where a receiver's value comes from: function results, through variables, loops and callbacks.

The node patterns fit all grammars: a value follows a sign such as `=` or `in`, and a call contains its
arguments.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from tree_sitter import Node

from deeprepo.impact.everyday import METHODS
from deeprepo.impact.reading.marks import LONGEST_NAME, UNKNOWN, Marks, bound_class, bound_nodes
from deeprepo.impact.reading.nodes import text
from deeprepo.impact.values import Origin

CALL = re.compile(r"(?:\w+_)?call(?:_expression)?|(?:method_|macro_)?invocation(?:_expression)?")
CREATION = re.compile(r"(?:object_creation|new|instance)_expression")
CODE = re.compile(r"function|lambda|closure|method|class")  # code that runs elsewhere
PASSED = re.compile(r"argument|suffix|lambda")  # nodes between a function and the call that it is passed to
BLOCK = re.compile(r"(?:do_)?block")
MEMBER = re.compile(r"member|field|attribute|navigation|selector|access|scoped|qualified|dot")
END = re.compile(r"(?!\w*variable_declaration)\w+_(?:statement|declaration|clause|definition|item)")
SIGNS = (b"=", b":=", b"in", b"of", b"<-")  # between a name and its value
IMPLIED = re.compile(r"it|\$\d|_\d?")  # implicit names of a function's only parameter
CALLEES, BEFORE = ("method", "name", "function", "target"), ("receiver", "object", "scope")
TYPES = re.compile(r"(?:::)?<[^<>]*(?:<[^<>]*>[^<>]*)?>\s*$")  # type arguments after a name
LAST = re.compile(r"\w+(?=\W*$)")
CAPITAL = re.compile(r"(?<!\w)[A-Z]\w*")
Part = Literal["called", "root", "class"]
CALLED: Part = "called"
ROOT: Part = "root"
CLASS: Part = "class"
DEEPEST = 5  # variables that are followed
LARGEST = 200  # nodes per value


def origin(marks: Marks, value: Node) -> Origin:
    """Return where a value comes from, as far as its file shows."""
    found = _of(marks, value, DEEPEST)
    called, roots, classes = (
        tuple(sorted(word for word, one in found if one is kind)) for kind in (CALLED, ROOT, CLASS)
    )
    return Origin(called, roots, classes)


def _of(marks: Marks, value: Node, depth: int) -> frozenset[tuple[str, Part]]:
    """Return the sources of a value as names and kinds.

    Each value is followed once, because bindings may form cycles.
    """
    key = value.id, depth
    if depth and key not in marks.values.origins:
        marks.values.origins[key] = frozenset(_found(marks, value, depth))
    return marks.values.origins[key] if depth else frozenset()


def _found(marks: Marks, value: Node, depth: int) -> Iterator[tuple[str, Part]]:
    """Yield the functions and classes that return a value, unbound names, and classes in the arguments of calls."""
    stack = [value]
    for _ in range(LARGEST):
        if not stack:
            return
        node = stack.pop()
        written = text(node) if node.end_byte - node.start_byte <= LONGEST_NAME else ""
        given: list[Node] = []
        if CALL.fullmatch(node.type):
            words, before = _call(marks, node)
            known = marks.values.origins.get((before.id, depth), ()) if before is not None else ()
            yield from (*words, *known)
            stack += [before] if before is not None and not 0 < len(known) < LARGEST else []
        elif CREATION.fullmatch(node.type):
            of = node.child_by_field_name("type") or node.child_by_field_name("constructor") or node.named_child(0)
            yield from _names(of)
        elif nodes := bound_nodes(marks, node, written):
            yield from _class(marks, node, written, nodes)
            given = [*_values(nodes)]
        elif not node.named_children:
            yield written, ROOT
            given = [*_values(marks.values.holders.get(written, ())), *_implied(node, written)]
        elif MEMBER.search(node.type):
            given = [*_values(marks.values.holders.get("".join(LAST.findall(written)), ()))]
            stack.append(node.named_children[0])
        elif not CODE.search(node.type):
            stack += node.named_children
        for one in given:
            yield from _of(marks, one, depth - 1)


def _call(marks: Marks, call: Node) -> tuple[Sequence[tuple[str, Part]], Node | None]:
    """Return the names in a call, and the node that it is made on.

    Each call is read once, because every call of a chain contains those before it.
    """
    if call.id not in marks.values.calls:
        callee, before = _parts(call)
        is_chain = callee is not None and CALL.fullmatch(callee.type) is not None
        classes = ((word, CLASS) for word in CAPITAL.findall(text(call)[:LONGEST_NAME]))
        further = callee if is_chain else before
        words = (*(() if is_chain else _names(callee)), *classes)
        marks.values.calls[call.id] = words, further
    return marks.values.calls[call.id]


def _names(called: Node | None) -> Iterator[tuple[str, Part]]:
    """Yield the name of a function or class, without qualifier and type arguments."""
    for word in LAST.findall(TYPES.sub("", text(called)[-LONGEST_NAME:])):
        yield word, CALLED


def _class(marks: Marks, node: Node, written: str, bound: Iterable[Node]) -> Iterator[tuple[str, Part]]:
    """Yield the declared class of a variable, unless it is a container."""
    of = bound_class(marks, node, written)[0]
    arguments = re.compile(rf"{re.escape(of)}\s*[<\[]")
    around = [one.parent.parent or one if one.parent is not None else one for one in bound]
    if of != UNKNOWN[0] and not any(arguments.search(text(one)[:LONGEST_NAME]) for one in around):
        yield LAST.findall(of)[-1], CALLED


def _parts(call: Node) -> tuple[Node | None, Node | None]:
    """Return the callee of a call, and its receiver."""
    callee = next((one for key in CALLEES if (one := call.child_by_field_name(key)) is not None), call.named_child(0))
    before = next((one for key in BEFORE if (one := call.child_by_field_name(key)) is not None), None)
    if before is None and callee is not None and MEMBER.search(callee.type):
        before = callee.named_child(0)
    return callee, before


def _values(bound: Iterable[Node]) -> Iterator[Node]:
    """Yield the values that names are bound to.

    They follow a sign, or come from the call that runs the function with this parameter.
    """
    for name in bound:
        is_code, child, above = False, name, name.parent
        while above is not None:
            if CALL.fullmatch(above.type) and above.start_byte < child.start_byte:
                yield _caller(above)
                break
            if is_code and not PASSED.search(above.type) and not (BLOCK.fullmatch(above.type) and _is_passed(above)):
                break
            is_code = is_code or CODE.search(above.type) is not None
            given = None if is_code else _behind(above, child)
            if given is not None:
                yield given
            if given is not None or END.fullmatch(above.type):
                break
            child, above = above, above.parent


def _caller(call: Node) -> Node:
    """Return the call that runs a function; for common collection methods, their receiver."""
    callee, before = _parts(call)
    words = {word for word, _ in _names(callee)}
    return before if before is not None and not words.isdisjoint(METHODS) else call


def _is_passed(block: Node) -> bool:
    return block.parent is not None and CALL.fullmatch(block.parent.type) is not None


def _behind(above: Node, child: Node) -> Node | None:
    """Return the value that a node binds to one of its children, or None."""
    children = above.children
    at = next(at for at, one in enumerate(children) if one.id == child.id)
    if at > 1 and children[at - 1].type == "as":
        return children[at - 2]
    signs = [place for place, one in enumerate(children) if place > at and not one.is_named and one.text in SIGNS]
    behind = [one for one in children[signs[0] + 1 :] if one.is_named] if signs else []
    fields = (above.child_by_field_name(key) for key in ("value", "right"))
    return next((one for one in (*behind, *fields) if one is not None and one.start_byte >= child.end_byte), None)


def _implied(node: Node, written: str) -> Iterator[Node]:
    """Yield the sources of an implicit parameter, from the call of the function around it."""
    above = node.parent if IMPLIED.fullmatch(written) else None
    while above is not None and not CODE.search(above.type):
        above = above.parent
    if above is not None:
        yield from _values(above.children[:1])
