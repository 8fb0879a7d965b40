"""Read the arguments of calls and the parameters of definitions."""

from collections import defaultdict
from collections.abc import Mapping

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.reading.matching import Rows
from deeprepo.impact.reading.nodes import name_of, text
from deeprepo.impact.values import Arguments, Parameter

NAMELESS = "_"  # a parameter with only a type
PAIR = 2  # a name and a value
OBJECT = "this"  # a parameter that may be passed before the dot
Place = tuple[bool, int]  # whether the parameter takes the remaining arguments, and its start byte


def arguments(language: Language, node: Node) -> Arguments | None:
    """Return the arguments of a call; None if they are not listed or contain an error."""
    if (passed := language.passed(node)) is not None:
        return passed
    rules = language.calls
    if node.type in (*rules.sole_argument, *rules.no_argument):
        return Arguments(int(node.type in rules.sole_argument))
    if node.type not in rules.argument_lists or node.has_error:
        return None
    positional, keywords, spread = 0, list[str](), False
    for child in node.named_children:
        if not language.is_argument(child):
            continue
        is_wrapped = child.type in ("argument", "value_argument") and child.named_children
        inner = child.named_children[-1] if is_wrapped else child
        named = _keyword(child) if child.type in rules.keyword else None
        if named is None and any(one.type == "=" for one in child.children if is_wrapped):
            named = child.named_children[0]
        if inner.type in rules.spread or not (named is None or language.is_label(named)):
            spread = True
        elif named is not None:
            keywords.append(name_of(named))
        else:
            positional += 1
            if rules.named_in_place:  # the named arguments before this one are in their own positions
                positional, keywords = positional + len(keywords), []
            spread = spread or ("call" in inner.type and language.passes_several(node, child))
    return Arguments(positional, tuple(keywords), spread)


def _keyword(node: Node) -> Node | None:
    """Return the name of a named argument: in one of these fields, or else the first of two nodes."""
    found = (one for key in ("name", "left", "key") if (one := node.child_by_field_name(key)) is not None)
    return next(found, node.named_children[0] if len(node.named_children) == PAIR else None)


def parameters(rows: Rows) -> Mapping[int, list[Parameter]]:
    """Return parameter list node -> its parameters in order."""
    found_in: dict[int, dict[Place, Parameter | str]] = defaultdict(dict)
    for found in rows:
        key = next((key for key in found if key[:6] == "param."), "")
        if not key:
            continue
        node, kind = found[key][0], key[6:]
        parent = found["params"][0] if "params" in found else node.parent
        if parent is None:
            continue
        if kind in ("only_before", "keyword_after"):
            found_in[parent.id][False, node.start_byte] = kind
            continue
        for name in found.get("name", [node]):
            is_spare = kind == "spare"
            optional = is_spare or "optional" in found or kind in ("rest", "named_rest")
            called = OBJECT if "receiver" in found else text(name).strip("`") if "name" in found else NAMELESS
            row = Parameter(called, "only" if is_spare else kind, not optional)  # type: ignore[arg-type]
            place = is_spare, name.start_byte
            if "optional" in found or "receiver" in found or kind == "rest" or place not in found_in[parent.id]:
                found_in[parent.id][place] = row
    return {parent: _ordered(rows) for parent, rows in found_in.items()}


def _ordered(rows: Mapping[Place, Parameter | str]) -> list[Parameter]:
    ordered: list[Parameter] = []
    by_keyword = False
    for (is_spare, at), row in sorted(rows.items()):
        if not is_spare and (True, at) in rows:
            continue
        if row == "only_before":
            ordered = [Parameter(one.name, "only", one.is_required) for one in ordered]
        elif row == "keyword_after":
            by_keyword = True
        elif isinstance(row, Parameter):
            kind = "keyword" if by_keyword and row.kind == "positional" else row.kind
            ordered.append(Parameter(row.name, kind, row.is_required))
            by_keyword = by_keyword or kind == "rest"
    return ordered
