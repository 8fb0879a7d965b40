"""What a mechanism proposes: a change of one file, and the unchanged users elsewhere, each with the words that would tolerate it."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from bot.languages.syntax import ancestors, text
from bot.text.paths import is_test
from deeprepo_evals.plant.grammar import Family, family, own
from deeprepo_evals.plant.mutations import Edit, Scene, Site, Spot

MOST_USERS = 8
AWAITS = {"await", "await_expression"}


@dataclass(frozen=True, slots=True)
class User:
    """One unchanged place: where it is, and the edits by which it would take the old and the new."""

    spot: Spot
    tolerant: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The same change for both variants."""

    mechanism: str
    title: str
    body: str
    change: tuple[Edit, ...]
    at: Spot
    users: tuple[User, ...]
    why: str
    consequence: str
    good_reason: str


def callers(site: Site) -> list[tuple[str, Node]] | None:
    """Every call of a function from other files; None where the tree uses it in another way too, or in a test, or not at all."""
    scene, name = site.scene, site.name
    calls = list(scene.calls(name))
    if not calls or len(calls) > MOST_USERS or any(path == site.path or is_test(path) for path, _ in calls):
        return None
    known = {(path, byte) for path, call in calls for byte in range(call.start_byte, call.end_byte)}
    for spot in scene.spots(name):
        node = scene.node(spot, name)
        imported = node is not None and any(
            "import" in above.type or "export" in above.type for above in ancestors(node)
        )
        own_name = spot.path == site.path and site.node.start_byte <= spot.byte <= site.node.end_byte
        if (spot.path, spot.byte) not in known and not imported and not own_name:
            return None
    return calls


def outer(call: Node) -> Node:
    """The call with the `await` before it, if any."""
    return call.parent if call.parent is not None and call.parent.type in AWAITS else call


def given_to(node: Node, kind: Family) -> Iterator[Node]:
    """The uses of the variable that a value is assigned to, in the same function."""
    above = node.parent
    left = above.child_by_field_name("left") or above.child_by_field_name("name") if above is not None else None
    around = next((a for a in ancestors(node) if a.type in kind.functions), None)
    if left is None or left.type != "identifier" or around is None:
        return
    for found in own(around, kind):
        if found.type == "identifier" and text(found) == text(left) and found.start_byte > node.end_byte:
            yield found


def plain(node: Node | None, kind: Family) -> bool:
    """Whether a node can be written twice without being done twice."""
    return (
        node is not None and node.type in {*kind.identifiers, *kind.members, "this", "self"} and "(" not in text(node)
    )


def code(path: str) -> Family | None:
    """The family of a file that a user may are in."""
    return None if is_test(path) else family(path)


def words(scene: Scene, word: str) -> Iterator[tuple[Spot, Node | None, Family | None]]:
    """Every place of a word with its node and family."""
    for spot in scene.spots(word):
        yield spot, scene.node(spot, word), code(spot.path)
