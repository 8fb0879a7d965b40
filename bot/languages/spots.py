"""Uses told by one function of the language: for grammars in which a call, its receiver and its name are one node."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import islice

from tree_sitter import Node

from bot.languages.lexical import is_telling
from bot.languages.syntax import DEPTH, MOST_USES, UNKNOWN, Form, ancestors, first_line, own_name, places, text, use_at
from bot.values import Call, SomeUses, Use

SYMBOLS = frozenset({"simple_symbol", "atom"})


@dataclass(frozen=True, slots=True)
class Spot:
    """What an identifier does where it stands."""

    form: Form
    name: str = ""  # as written, where that is more than the identifier: a qualified name
    receiver: Node | None = None
    types: tuple[str, ...] = ()
    call: Call | None = None
    is_guarded: bool = False


@dataclass(frozen=True, slots=True)
class SpotGrammar:
    """How one grammar is read."""

    identifiers: frozenset[str]
    scopes: frozenset[str]  # definitions that can enclose a use
    spot: Callable[[Node], Spot | None]  # None: a name that means nothing here
    scope_name: Callable[[Node], str] = own_name


def uses(root: Node, source: bytes, names: Collection[str], reading: SpotGrammar) -> tuple[Use, ...]:
    """The identifiers that are spelt like one of the names, in the order of the file."""
    uses_found: list[Use] = []
    for match, node in places(root, source, names):
        before = node.type in SYMBOLS  # the colon of a symbol
        whole = (node.start_byte + before, node.end_byte) == match.span()
        spot = reading.spot(node) if whole and node.type in reading.identifiers else None
        if spot is not None:
            if len(uses_found) == MOST_USES:
                return SomeUses(uses_found)
            uses_found.append(_use(node, spot, reading))
    return tuple(uses_found)


def _use(node: Node, spot: Spot, reading: SpotGrammar) -> Use:
    scopes = [
        item for item in islice(ancestors(node), DEPTH) if item.type in reading.scopes and reading.scope_name(item)
    ]
    if spot.form == "definition" and scopes and first_line(scopes[0]) == first_line(node):
        scopes = scopes[1:]
    name, types = spot.name or text(node), spot.types
    if types == UNKNOWN and is_telling(name):
        types = ()
    use = use_at(node, spot.form, spot.receiver, scopes, reading.scope_name)
    at = node.start_byte + (node.type in SYMBOLS)
    return replace(use, name=name, types=types, call=spot.call, is_guarded=spot.is_guarded, at=at)
