"""A key is written by another name; an unchanged reader elsewhere asks for the old one."""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import PYTHON, Family, own
from deeprepo_evals.plant.mutations import Edit, Site, Spot
from deeprepo_evals.plant.mutations.key import KEY, SHORTEST, use_of
from deeprepo_evals.plant.twins.pair import MOST_USERS, Proposal, User, plain, words

MECHANISM = "a key written here is read by its old name elsewhere"


def propose(site: Site) -> Iterator[Proposal]:
    """Every key that this function writes and that only other files read."""
    for node in own(site.node, site.kind):
        word = text(node).strip("\"'`") if node.type in site.kind.strings else ""
        if use_of(node, site.kind) != "write" or not KEY.fullmatch(word) or len(word) < SHORTEST:
            continue
        new = f"{word}_value" if "_" in word or word.islower() else f"{word}Value"
        found = _users(site, word, new)
        if found is None or site.scene.spots(new):
            continue
        change, users = found
        yield Proposal(
            MECHANISM,
            f"Say {new} for {word}",
            f"`{new}` tells better what is meant. {site.name} is adapted.",
            change,
            Spot(site.path, node.start_byte),
            users,
            f"{site.name}() writes the key {new} instead of {word}, which an unchanged reader still asks for",
            "the reader finds no such key: it fails, or goes on with nothing",
            f"every reader takes {new} where it is there",
        )


def _users(site: Site, word: str, new: str) -> tuple[tuple[Edit, ...], tuple[User, ...]] | None:
    """The edits that rename the key in this file, and its readers elsewhere; None where it also means another thing."""
    change: list[Edit] = []
    users: list[User] = []
    for spot, name, kind in words(site.scene, word):
        node = _whole(name, kind)
        if node is None or kind is None:
            return None
        if spot.path == site.path:
            if node.type not in kind.strings:
                return None
            change.append(Edit(spot.path, spot.byte, spot.byte + len(word), new.encode()))
        elif node.parent is None or node.parent.type != "property_signature":
            tolerant = _tolerant(spot.path, node, word, new, kind) if use_of(node, kind) == "read" else ()
            if not tolerant:
                return None
            users.append(User(spot, tolerant))
    return (tuple(change), tuple(users)) if 0 < len(users) <= MOST_USERS else None


def _whole(node: Node | None, kind: Family | None) -> Node | None:
    """The string or the property that a word is."""
    while (
        node is not None
        and kind is not None
        and node.type not in kind.strings
        and node.type.startswith(("string_", "interpreted_"))
    ):
        node = node.parent
    if node is None or kind is None:
        return None
    return node if node.type in {*kind.strings, "property_identifier"} else None


def _tolerant(path: str, node: Node, word: str, new: str, kind: Family) -> tuple[Edit, ...]:
    """The same reading, of the new key where it is there and of the old one where it is not."""
    above = node.parent
    if above is None:
        return ()
    owner = above.child_by_field_name("value") or above.child_by_field_name("object")
    if kind is PYTHON and above.type == "subscript" and plain(owner, kind):
        return (
            Edit(path, node.start_byte, node.end_byte, f'"{new}" if "{new}" in {text(owner)} else "{word}"'.encode()),
        )
    if kind.name == "javascript" and plain(owner, kind) and above.type in {"member_expression", "subscript_expression"}:
        said = f"({text(owner)}.{new} ?? {text(above)})"
        return (Edit(path, above.start_byte, above.end_byte, said.encode()),)
    return ()
