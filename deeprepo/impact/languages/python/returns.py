"""Infer what a function returns from its `return` statements, and read the keys of dictionary literals."""

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from deeprepo.impact.nodes import text
from deeprepo.impact.results import Held, Result, parts_of

# Statements after which nothing runs.
UNENDING = re.compile(r"raise\b|(?:\w+\.)*(?:_?exit|quit|abort|fail|skip|xfail)\(")
PLAIN = ("bool", "int", "str", "float")
CLASS = re.compile(r"(?:\w+\.)*_*[A-Z]\w*")
NO_TEXT = ("integer", "float", "true", "false", "none")  # keys that are not strings


def keys(node: Node) -> Mapping[str, Held]:
    """Return the string keys of a dictionary literal with their values; empty if it may contain other keys."""
    pairs: dict[str, Held] = {}
    for pair in node.named_children if node.type == "dictionary" else ():
        key = pair.child_by_field_name("key")
        if pair.type == "comment" or (key is not None and key.type in NO_TEXT):
            continue
        if key is None or not written(key):
            return {}
        pairs[written(key)] = Held(text(pair.child_by_field_name("value")), pair.start_point[0] + 1)
    return pairs


def written(node: Node) -> str:
    """Return the text of a plain string; "" for anything else."""
    parts = node.named_children
    is_whole = [one.type for one in parts] == ["string_start", "string_content", "string_end"]
    return text(parts[1]) if is_whole and text(parts[0])[:1] in "\"'" else ""


def _ends(block: Node) -> bool:
    """Return whether nothing runs past the end of a block."""
    last = block.named_children[-1] if block.named_children else block
    if last.type == "if_statement":
        parts = [one for one in last.named_children if one.type in ("block", "elif_clause", "else_clause")]
        bodies = [one.named_children[-1] if one.type != "block" else one for one in parts]
        return parts[-1].type == "else_clause" and all(map(_ends, bodies))
    if last.type in ("with_statement", "try_statement"):
        parts = [one for one in last.named_children if one.type in ("block", "except_clause")]
        return bool(parts) and all(_ends(one if one.type == "block" else one.named_children[-1]) for one in parts)
    return last.type == "return_statement" or UNENDING.match(text(last)) is not None


def inferred(declared: str, given: Sequence[tuple[str, Node]], body: Node | None) -> Result:
    """Return the common result of the `return` statements; otherwise the declared one.

    `body`: None for a stub.
    """
    nodes = [node for form, node in given if form == "gives"]
    items = [_items(node) for node in nodes]
    number, kind, is_promised = -1, "", False
    is_whole = body is not None and len(nodes) == len(given) and _ends(body)
    if body is not None and all(node.type == "none" for node in nodes) and (given or not _ends(body)):
        kind = "nothing"
    elif is_whole and items and min(items) > 0:
        number, kind = items[0] if len(set(items)) == 1 else -1, "tuple"
    elif match := re.fullmatch(r"(?i)(?:typing\.)?tuple\[(.*)\]", declared):
        number, kind, is_promised = len(parts_of(match[1])) if "..." not in match[1] else -1, "tuple", True
    elif declared:
        is_promised = True
        kind = "nothing" if declared == "None" else "plain" if declared in PLAIN else "other"
    elif body is not None and items and min(items) == max(items) == 0:
        kind = "plain" if all(map(_is_plain, nodes)) else "other"
    pairs = keys(nodes[0]) if len(nodes) == len(given) == 1 else {}
    made = _made(declared, nodes if is_whole else ())
    return Result(declared, number, kind, pairs, made=made, body=text(body), is_promised=is_promised)


def _made(declared: str, nodes: Sequence[Node]) -> str:
    """Return the class that each `return` constructs, otherwise the declared one; "" for none or several."""
    made = {text(node.child_by_field_name("function")) for node in nodes}
    if all(map(CLASS.fullmatch, made)) and made:
        return made.pop() if len(made) == 1 else ""
    return declared.strip("\"'") if CLASS.fullmatch(declared.strip("\"'")) else ""


def _items(node: Node) -> int:
    """Return the number of items in a tuple; 0 for other values, -1 if unknown."""
    if node.type not in ("expression_list", "tuple"):
        return -1 if text(node.child_by_field_name("function")) == "tuple" else 0
    return (
        -1
        if any("splat" in one.type for one in node.named_children) or not node.named_children
        else node.named_child_count
    )


def _is_plain(node: Node) -> bool:
    return node.type in ("true", "false", "none", "integer", "float", "comparison_operator", "not_operator")
