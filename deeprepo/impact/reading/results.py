"""Find the class of the object that a function returns, which shows what a member of a call's result is."""

import re
from collections import defaultdict
from collections.abc import Collection, Container, Sequence

from tree_sitter import Node

from deeprepo.impact.halves import Captures
from deeprepo.impact.language import Language
from deeprepo.impact.parsing import Lines
from deeprepo.impact.reading import reader
from deeprepo.impact.reading.marks import parts_around
from deeprepo.impact.reading.matching import matches
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import text

WORD = re.compile(rb"\w+")
# A declared result that is an object of one class, or a reference to one.
CLASS_NAME = re.compile(r"[\"']?(?:\*|&\s*(?:'\w+\s+)?(?:mut\s+)?)?(\w+(?:(?:\.|::)\w+)*)\??[\"']?")

Span = tuple[str, int, int]  # the name of a definition, with its first and last line


@memo
def classes_of_results(language: Language, source: bytes, wanted: tuple[Span, ...]) -> tuple[str, ...] | None:
    """Return the class of each definition's result as the file writes it, in order; "" if it is unknown.

    Return None if the file cannot be parsed or its language has no results query.
    """
    root = reader.parse(language, source) if any(language.texts("results").values()) else None
    if root is None or root.has_error:
        return None
    lines = sorted({line for _, *ends in wanted for line in ends})
    places = [
        word.start() for start, end in map(Lines(source).span, lines) for word in WORD.finditer(source, start, end)
    ]
    if not places:
        return None
    functions: dict[int, tuple[Node, dict[str, Sequence[Node]]]] = {}
    values: dict[int, dict[int, dict[str, Sequence[Node]]]] = defaultdict(dict)  # function -> its `return` statements
    rows = matches(language, ("results",), root, parts_around(root, places, short=0))["results"]
    for found in rows:
        for node in found.get("of", ()):
            functions.setdefault(node.id, (node, {}))[1].update(found)
    for found in rows:
        for node in found.get("value", ()):
            around = _function_around(node, functions)
            if around is not None:
                values[around.id].setdefault(node.id, {}).update(found)
    named = [(node, found) for node, found in functions.values() if "name" in found]
    return tuple(_class(language, named, values, *one) for one in wanted)


def _function_around(node: Node, functions: Container[int]) -> Node | None:
    """Return the innermost function around a node."""
    around = node.parent
    while around is not None and around.id not in functions:
        around = around.parent
    return around


def _class(
    language: Language,
    functions: Collection[tuple[Node, Captures]],
    values: dict[int, dict[int, dict[str, Sequence[Node]]]],
    name: str,
    first: int,
    last: int,
) -> str:
    """Return the class of the result of the only function of a name between two lines."""
    rows = [
        (node, found)
        for node, found in functions
        if text(found["name"][0]) == name and first <= found["name"][0].start_point[0] + 1 <= last
    ]
    if len(rows) != 1 or "opaque" in rows[0][1] or "async" in rows[0][1]:
        return ""
    node, found = rows[0]
    returned = [text(one["class"][0]) if "class" in one else "" for one in values.get(node.id, {}).values()]
    if returned and all(re.match(rf"(?:\w+\.)*{language.types.classes}", one) for one in returned):
        return returned[0] if len(set(returned)) == 1 else ""
    declared = CLASS_NAME.fullmatch(" ".join(text(found["result"][0]).split())) if "result" in found else None
    return declared[1] if declared is not None else ""
