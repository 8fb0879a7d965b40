"""A key that nobody else knows.

Not equivalent: another file writes (or reads) the old key, and no place in the tree holds the new one; so what is read here is
never there, or what is written here is never found.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import Family, family, own, root
from deeprepo_evals.plant.mutations.site import Mutation, Site, Spot

CLASS = "wrong-key"
KEY = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*|[a-z]+(?:[A-Z][a-z0-9]+)+")
SHORTEST, MOST = 4, 40  # letters of a key; places of the tree that hold it
PAIRS = {"pair", "keyed_element"}
READS = {"subscript", "subscript_expression", "index_expression"}


def propose(site: Site) -> Iterator[Mutation]:
    """Every string key that this function shares with another file."""
    for node in own(site.node, site.kind):
        use = use_of(node, site.kind) if node.type in site.kind.strings else ""
        word = text(node).strip("\"'`") if use else ""
        if not KEY.fullmatch(word) or len(word) < SHORTEST or not 1 < len(site.scene.spots(word)) <= MOST:
            continue
        new = _other(word)
        there = _elsewhere(site, word, "read" if use == "write" else "write")
        if there is None or site.scene.spots(new):
            continue
        where = "written" if use == "read" else "read"
        yield site.mutation(
            CLASS,
            site.replace(node, text(node).replace(word, new)),
            node,
            f"the key {word} is called {new} here, but {there.path} still has it {where} by its old name",
            f"any call of {site.name}()",
            (there,),
        )


def use_of(node: Node, kind: Family) -> str:
    """Whether a string (or a property) is a key that is "read" or "written", by its place; empty if it is not a key."""
    above = node.parent
    if above is None or node.type not in {*kind.strings, "property_identifier"}:
        return ""
    if above.type in kind.members:
        called = (
            above.parent is not None and above.parent.type in kind.calls and above.parent.named_children[0] == above
        )
        return "" if called else "read"
    if above.type == "literal_element" and above.parent is not None:  # of Go, around both sides of a pair
        node, above = above, above.parent
    if above.type in PAIRS:
        return "write" if above.named_children[0] == node else ""
    if above.type in READS:
        return "write" if _is_assigned(above) else "read"
    if above.type in kind.arguments and above.named_children[0] == node and above.parent is not None:
        return "read" if text(above.parent.child_by_field_name("function")).endswith((".get", ".pop")) else ""
    return ""


def _is_assigned(subscript: Node) -> bool:
    """Whether something is put where the subscript points."""
    at = subscript.parent
    if at is not None and at.type == "expression_list":
        subscript, at = at, at.parent
    return at is not None and at.child_by_field_name("left") == subscript and "assignment" in at.type


def _elsewhere(site: Site, word: str, use: str) -> Spot | None:
    """A place in another file that uses the key the other way; one that this file names comes first."""
    source = text(root(site.path, site.scene.files[site.path]))
    found = []
    for spot in site.scene.spots(word):
        kind = family(spot.path)
        if spot.path == site.path or kind is None or not site.scene.plantable(spot.path):
            continue
        node = root(spot.path, site.scene.files[spot.path]).descendant_for_byte_range(spot.byte, spot.byte + len(word))
        while node is not None and node.type not in kind.strings and node.type.startswith(("string_", "interpreted_")):
            node = node.parent
        if node is not None and use_of(node, kind) == use:
            found.append(spot)
    return min(found, key=lambda spot: PurePosixPath(spot.path).stem not in source, default=None)


def _other(word: str) -> str:
    """What a person would call it on another day."""
    return word.removesuffix("s") if word.endswith("s") and not word.endswith("ss") else f"{word}s"
