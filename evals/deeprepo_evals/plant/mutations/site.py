"""What a mutation is given, and what it proposes: bytes to replace, and the places that prove the defect."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.languages.syntax import ancestors, any_of, text
from deeprepo_evals.plant.grammar import Family, family, root

TOP = {
    "module",
    "program",
    "source_file",
    "export_statement",
    "decorated_definition",
}  # around a function of a file's own


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes start..end of a file are replaced."""

    path: str
    start: int
    end: int
    new: bytes


@dataclass(frozen=True, slots=True)
class Spot:
    """A byte of a file as it is before any edit."""

    path: str
    byte: int


@dataclass(frozen=True, slots=True)
class Mutation:
    """One proposed defect: what to replace, where it is then seen, and what proves it."""

    kind: str
    edits: tuple[Edit, ...]
    at: Spot
    function: str
    head: Spot
    why: str
    trigger: str
    proof: tuple[Spot, ...] = ()


@dataclass(eq=False)
class Scene:
    """The sources of one tree, and what is asked of all of them: who names a word, where a function is defined."""

    files: Mapping[str, bytes]
    plantable: Callable[[str], bool]  # whether a defect may stand in this file
    _spots: dict[str, tuple[Spot, ...]] = field(default_factory=dict)
    _definitions: dict[str, tuple[tuple[str, Node], ...]] = field(default_factory=dict)

    def definitions(self, name: str) -> tuple[tuple[str, Node], ...]:
        """Where a function of that name is defined."""
        if name not in self._definitions:
            nodes = [(spot.path, self.node(spot, name), family(spot.path)) for spot in self.spots(name)]
            rows = [(path, _defining(node, kind)) for path, node, kind in nodes]
            self._definitions[name] = tuple((path, node) for path, node in rows if node is not None)
        return self._definitions[name]

    def callee(self, path: str, call: Node, kind: Family) -> tuple[str, Node, str] | None:
        """The file, the definition and the name of what a call calls; None where that is not sure."""
        callee = call.child_by_field_name("function") if call.type in kind.calls else None
        if callee is not None and callee.type in kind.members:
            callee = callee.child_by_field_name(kind.members[callee.type][1])
        name = text(callee)
        found = self.definitions(name) if callee is not None and callee.type in kind.identifiers else ()
        if len(found) != 1 or not _means(call, kind, path, *found[0]):
            return None
        return (*found[0], name)

    def node(self, spot: Spot, word: str) -> Node | None:
        """The node of a word where it stands; None in a file without a grammar."""
        if family(spot.path) is None:
            return None
        tree = root(spot.path, self.files[spot.path])
        return tree.descendant_for_byte_range(spot.byte, spot.byte + len(word.encode()))

    def spots(self, word: str) -> tuple[Spot, ...]:
        """Every place in the tree where the word stands, in code, in strings, in data."""
        if word not in self._spots:
            pattern, plain = any_of(frozenset({word})), word.encode()
            self._spots[word] = tuple(
                Spot(path, match.start())
                for path, source in self.files.items()
                if plain in source
                for match in pattern.finditer(source)
            )
        return self._spots[word]

    def calls(self, name: str) -> Iterator[tuple[str, Node]]:
        """Every call of a function that is defined once, in the files of all families; none where another thing may be meant."""
        homes = self.definitions(name)
        if len(homes) != 1:
            return
        home, definition = homes[0]
        for spot in self.spots(name):
            kind = family(spot.path)
            call = _call(self.node(spot, name), kind) if kind else None
            if call is not None and kind is not None and _means(call, kind, spot.path, home, definition):
                yield spot.path, call


def _defining(name: Node | None, kind: Family | None) -> Node | None:
    """The function whose own name this is."""
    above = name.parent if name is not None else None
    if kind is None or above is None or above.type not in kind.functions:
        return None
    return above if above.child_by_field_name("name") == name else None


def _call(name: Node | None, kind: Family) -> Node | None:
    """The call whose callee is, or ends in, this name."""
    callee = name
    if callee is not None and callee.parent is not None and callee.parent.type in kind.members:
        callee = callee.parent
    above = callee.parent if callee is not None else None
    if above is None or above.type not in kind.calls or above.child_by_field_name("function") != callee:
        return None
    return above


def _means(call: Node, kind: Family, path: str, home: str, definition: Node) -> bool:
    """Whether the call is of this very definition: a plain name or a module's of a function, a telling name of a method."""
    callee = call.child_by_field_name("function")
    if callee is None or family(home) is not kind:
        return False
    name = text(definition.child_by_field_name("name"))
    method = definition.type.startswith("method") or any(a.type == "class_definition" for a in ancestors(definition))
    top = definition.parent is not None and definition.parent.type in TOP
    if callee.type not in kind.members:
        return not method and (top or path == home) and not _is_shadowed(call, name)
    owner = text(callee.child_by_field_name(kind.members[callee.type][0])).rpartition(".")[2]
    if method:
        return owner in {"self", "this"} or "_" in name.strip("_") or name != name.lower()
    place = PurePosixPath(home)
    return top and owner in {place.stem, place.parent.name}


def _is_shadowed(call: Node, name: str) -> bool:
    """Whether a function around the call has a parameter of this name."""
    around = (above.child_by_field_name("parameters") for above in ancestors(call))
    return any(node is not None and any_of(frozenset({name})).search(node.text or b"") for node in around)


@dataclass(frozen=True, slots=True)
class Site:
    """One function in which a defect may be planted."""

    scene: Scene
    path: str
    node: Node
    kind: Family

    @property
    def name(self) -> str:
        """The function's own name."""
        return text(self.node.child_by_field_name("name"))

    def mutation(
        self,
        kind: str,
        edits: tuple[Edit, ...],
        at: Node | Spot,
        why: str,
        trigger: str,
        proof: tuple[Spot, ...] = (),
    ) -> Mutation:
        """A proposal for this function."""
        spot = at if isinstance(at, Spot) else Spot(self.path, at.start_byte)
        head = Spot(self.path, self.node.start_byte)
        return Mutation(kind, edits, spot, self.name, head, why, trigger, proof)

    def at(self, path: str) -> "Site":
        """The same function as seen from another file: edits are then made there."""
        return replace(self, path=path)

    def replace(self, node: Node, new: str) -> tuple[Edit, ...]:
        """One node gives way to a text."""
        return (Edit(self.path, node.start_byte, node.end_byte, new.encode()),)
