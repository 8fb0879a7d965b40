"""What an Elixir function hands back, by the last value of each of its branches: tuples by their tag and length, and plain values."""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text

BRANCHING = frozenset({"case", "cond", "if", "unless", "with", "try", "receive"})
CLAUSES = frozenset({"stab_clause"})
CALLS = frozenset({"call", "unary_operator"})  # what they come to is written elsewhere
PIPES = frozenset({"|>", "->", "<-"})
MOST = 40  # branches of one function
VALUE = "a value"


def result_forms(node: Node) -> frozenset[str]:
    """The forms of the values that a definition returns. The result of a call has no form."""
    forms: set[str] = set()
    stack = list(_bodies(node))
    for _ in range(MOST):
        if not stack:
            break
        last = stack.pop()
        inner = list(_bodies(last)) if _word(last) in BRANCHING else []
        stack += inner
        if not inner and (form := _form(last)):
            forms.add(form)
    return frozenset(forms)


def _bodies(node: Node) -> Iterator[Node]:
    """The last value of each block of a call: behind `do`, `else` and the like, in each clause, and behind `do:` in one line."""
    for part in node.named_children:
        if part.type == "do_block":
            yield from _of_block(part)
        elif part.type == "arguments":
            for keywords in part.named_children:
                yield from _of_keywords(keywords) if keywords.type == "keywords" else ()


def _of_block(block: Node) -> Iterator[Node]:
    statements = [part for part in block.named_children if part.type != "comment"]
    own = [part for part in statements if not part.type.endswith("_block")]
    for part in statements:
        if part.type in ("else_block", "rescue_block", "catch_block"):
            yield from _of_block(part)
    if any(part.type in CLAUSES for part in own):
        for part in own:
            right = part.child_by_field_name("right")
            yield from _of_block(right) if right is not None else ()
    elif own:
        yield own[-1]


def _of_keywords(keywords: Node) -> Iterator[Node]:
    for pair in keywords.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if value is not None and text(key).strip().rstrip(":") in ("do", "else"):
            yield value


def _word(node: Node) -> str:
    target = node.child_by_field_name("target") if node.type == "call" else None
    return text(target) if target is not None and target.type == "identifier" else ""


def _form(node: Node) -> str:
    if node.type == "tuple":
        parts = [part for part in node.named_children if part.type != "comment"]
        tag = text(parts[0]) if parts and parts[0].type == "atom" else "_"
        return "{" + ", ".join([tag, *["_"] * (len(parts) - 1)]) + "}"
    if node.type in CALLS:
        return ""
    if node.type == "binary_operator":
        right = node.child_by_field_name("right")
        operator = text(node.child_by_field_name("operator"))
        return "" if operator in PIPES or right is None else _form(right) if operator == "=" else VALUE
    return VALUE
