"""A default that is another value.

Not equivalent: somebody in this tree leaves the argument out, and the function reads it.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import own, parameters, positional
from deeprepo_evals.plant.mutations.site import Mutation, Scene, Site, Spot

CLASS = "wrong-default"
DEFAULTS = {"default_parameter", "typed_default_parameter", "required_parameter", "assignment_pattern"}
OPPOSITE = {"True": "False", "False": "True", "true": "false", "false": "true"}
NUMBERS = {"integer", "number"}


def propose(site: Site) -> Iterator[Mutation]:
    """Every default that a caller relies on."""
    given = site.node.child_by_field_name("parameters")
    names = parameters(site.node, site.kind)
    if given is None or not names or len(site.scene.definitions(site.name)) != 1:
        return
    for row in given.named_children:
        name = row.child_by_field_name("name") or row.child_by_field_name("pattern") or row.child_by_field_name("left")
        value = row.child_by_field_name("value") or row.child_by_field_name("right")
        if row.type not in DEFAULTS or name is None or value is None or text(name) not in names:
            continue
        new = _other(value)
        caller = _relying(site.scene, site, names.index(text(name)), text(name))
        if new is not None and caller is not None and _read(site, text(name)):
            yield site.mutation(
                CLASS,
                site.replace(value, new),
                value,
                f"the default of {text(name)} was {text(value)} and is {new}",
                f"any call of {site.name}() that leaves {text(name)} out",
                (caller,),
            )


def _other(value: Node) -> str | None:
    if value.type in NUMBERS and text(value).isdigit():
        return "1" if text(value) == "0" else "0"
    return OPPOSITE.get(text(value))


def _relying(scene: Scene, site: Site, index: int, name: str) -> Spot | None:
    """The first call in another file that leaves the argument out."""
    for path, call in scene.calls(site.name):
        given = positional(call, site.kind)
        if path == site.path or given is None or not scene.plantable(path):
            continue
        arguments = call.child_by_field_name("arguments")
        named = (
            {text(row.child_by_field_name("name")) for row in arguments.named_children}
            if arguments is not None
            else set()
        )
        if len(given) <= index and name not in named:
            return Spot(path, call.start_byte)
    return None


def _read(site: Site, name: str) -> bool:
    return any(node.type == "identifier" and text(node) == name for node in own(site.node, site.kind))
