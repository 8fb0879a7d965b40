"""A function that has a new name, and one caller that was forgotten.

Not equivalent: no definition of the old name is left in the tree, so the forgotten file fails as soon as it is loaded or built,
or at the call.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import family, root
from deeprepo_evals.plant.mutations.site import TOP, Edit, Mutation, Scene, Site, Spot

CLASS = "forgotten-caller"
SHORTEST, MOST = 6, 14  # letters of the name; places that hold it
SUFFIX = {"python": "_of", "javascript": "Of", "go": "Of"}


def propose(site: Site) -> Iterator[Mutation]:
    """The function renamed everywhere but in one file that calls it."""
    name, spots = site.name, site.scene.spots(site.name)
    top = site.node.parent is not None and site.node.parent.type in TOP
    if not top or len(name) < SHORTEST or not 1 < len(spots) <= MOST or len(site.scene.definitions(name)) != 1:
        return
    if not all(_code(site.scene, spot, name) for spot in spots):
        return
    new = name + SUFFIX[site.kind.name]
    if site.scene.spots(new):
        return
    calls = [(path, call) for path, call in site.scene.calls(name) if path != site.path and site.scene.plantable(path)]
    if not calls:
        return
    path, call = calls[-1]
    edits = tuple(
        Edit(spot.path, spot.byte, spot.byte + len(name.encode()), new.encode()) for spot in spots if spot.path != path
    )
    yield site.mutation(
        CLASS,
        edits,
        site.node,
        f"{name}() is called {new}() now, and {path} still calls it by its old name",
        f"any use of {path}",
        (Spot(path, call.start_byte),),
    )


def _code(scene: Scene, spot: Spot, name: str) -> bool:
    """Whether the name stands there as code, so that a rename finds it."""
    kind = family(spot.path)
    if kind is None:
        return False
    node: Node | None = root(spot.path, scene.files[spot.path]).descendant_for_byte_range(
        spot.byte, spot.byte + len(name.encode())
    )
    return node is not None and text(node) == name and node.type in kind.identifiers
