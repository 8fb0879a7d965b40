"""What a type asks for, and what has to give all of it: who implements it, what is built of its fields, a choice among its members.

An interface has a new method, a structure a new field, an enumeration a new member: each class, literal and `match` that named all of them before
lacks one now. Both are told from one file, by the query `wholes`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from impact.language import Language
from impact.matching import Captures, matches
from impact.memo import memo
from impact.nodes import first_line, last_line, name_of, text
from impact.reader import Reader, parse

Kind = Literal["heir", "build", "choose"]
KINDS: tuple[Kind, ...] = ("heir", "build", "choose")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A part that a type asks for. `kind`: of whom."""

    owner: str
    name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Whole:
    """What has to give each part of a type, as one file writes it."""

    kind: str
    of: str  # the type as it is written; "" where the parts alone tell it
    name: str  # of an heir: its own
    given: frozenset[str]
    places: int  # parts that are given by their place alone
    is_all: bool  # what it writes is all that it gives: it inherits nothing
    is_open: bool  # it may give, or leave out, what it does not write
    line: int
    end: int


@dataclass(frozen=True, slots=True)
class Parts:
    """What the types of a file ask for, and the wholes in it."""

    requirements: tuple[Requirement, ...] = ()
    wholes: tuple[Whole, ...] = ()


def tells(language: Language) -> bool:
    """Whether anything of a language is a whole."""
    return bool(language.texts("wholes"))


@memo
def parts(language: Language, source: bytes) -> Parts | None:
    """What the types of a file ask for, and what has to give all of it; None if the file cannot be read."""
    root = parse(language, source)
    if root is None:
        return None
    file, rows = Reader(language, root), matches(language, ("wholes",), root)["wholes"]
    silent = {node.start_byte for node, _ in rows.of("provided")}
    asked = {
        (node.start_byte, kind): Requirement(
            ".".join(name_of(found[key][0]) for key in ("within", "owner") if key in found) or file.owner(node),
            name_of(node),
            kind,
            first_line(node),
        )
        for kind, node, found in rows.under("asks.")
        if node.start_byte not in silent
    }
    wholes = [whole for kind in KINDS for whole in _wholes(file, rows.of(f"whole.{kind}"), kind)]
    return Parts(tuple(row for _, row in sorted(asked.items())), tuple(sorted(wholes, key=lambda one: one.line)))


def _wholes(file: Reader, rows: Iterable[tuple[Node, Captures]], kind: str) -> Iterator[Whole]:
    """The wholes of one kind; of an heir one for each type that it names."""
    found: dict[int, tuple[Node, dict[str, dict[int, Node]]]] = {}
    for node, captures in rows:
        _, mine = found.setdefault(node.id, (node, defaultdict(dict)))
        for key, nodes in captures.items():
            mine[key].update({one.start_byte: one for one in nodes})
    for node, mine in found.values():
        types = sorted({text(one) for one in mine["of"].values()})
        named = [*mine["part"].values()]
        is_open = bool(mine["rest"]) or any(
            not any(arm.start_byte <= one.start_byte < arm.end_byte for one in named) for arm in mine["arm"].values()
        )
        own = next((name_of(one) for one in mine["name"].values()), "")
        outer = file.owner(node) if own else ""
        for written in types if kind == "heir" else [types[0] if len(types) == 1 else ""]:
            yield Whole(
                kind,
                written,
                f"{outer}.{own}".lstrip("."),
                frozenset(map(name_of, named)),
                len(mine["place"]),
                bool(mine["all"]),
                is_open or (len(types) > 1 and kind != "heir"),
                first_line(node),
                last_line(node),
            )
