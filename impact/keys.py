"""The keys of dictionaries that are written out, and what becomes of the code that asks for one of them."""

from collections.abc import Mapping

from tree_sitter import Node

from impact.nodes import text

PLAIN = ("integer", "float", "true", "false", "none")  # keys that are what they are written, and no text


def keys(node: Node) -> Mapping[str, Node]:
    """The texts among the keys of a dictionary of Python, each with its pair; none where something in it may bring others."""
    pairs: dict[str, Node] = {}
    for pair in node.named_children if node.type == "dictionary" else ():
        key = pair.child_by_field_name("key")
        if pair.type == "comment" or (key is not None and key.type in PLAIN):
            continue
        if key is None or not written(key):
            return {}
        pairs[written(key)] = pair
    return pairs


def written(node: Node) -> str:
    """The text that a node writes out; "" for what is no text, or is put together."""
    parts = node.named_children
    is_whole = [one.type for one in parts] == ["string_start", "string_content", "string_end"]
    return text(parts[1]) if is_whole and text(parts[0])[:1] in "\"'" else ""


def lost(before: Mapping[str, Node], after: Mapping[str, Node], key: str) -> str:
    """How a sentence says that a dictionary has lost a key, with the one that has taken its place and its value; "" if it has it, or may have any."""
    if not after or key not in before.keys() - after.keys():
        return ""
    gone, come = [
        [
            (place, text(pair.child_by_field_name("value")))
            for place, (one, pair) in enumerate(side.items())
            if one not in other
        ]
        for side, other in ((before, after), (after, before))
    ]
    is_renamed = gone == come and len(gone) == 1
    return f"no key '{key}' any more" + (f" (now '{[*after][come[0][0]]}')" if is_renamed else "")
