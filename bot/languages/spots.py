"""Uses told by one function of the language, which says what an identifier does where it stands."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import islice

from tree_sitter import Node

from bot.languages.lexical import is_telling
from bot.languages.syntax import DEPTH, MOST_USES, UNKNOWN, Form, ancestors, own_name, places, text, use_at
from bot.values import Call, SomeUses, Use

SYMBOLS = frozenset({"simple_symbol", "atom"})
MAX_FAR = 3  # names so deep: each step up starts at the root of the tree


@dataclass(frozen=True, slots=True)
class Spot:
    """What an identifier does where it stands."""

    form: Form
    receiver: Node | None = None  # what stands before the dot
    call: Call | None = None
    name: str = ""  # as written, where that is more than the identifier: a qualified name
    types: tuple[str, ...] = ()  # classes that the receiver is known to be
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
    far = 0
    for match, node in places(root, source, names):
        before = node.type in SYMBOLS  # the colon of a symbol
        if (node.start_byte + before, node.end_byte) != match.span() or node.type not in reading.identifiers:
            continue
        around = list(islice(ancestors(node), DEPTH))
        far += len(around) == DEPTH
        if far > MAX_FAR or len(uses_found) == MOST_USES:
            return SomeUses(uses_found)
        spot = reading.spot(node)
        if spot is not None:
            uses_found.append(_use(node, spot, around, reading))
    return tuple(uses_found)


def _use(node: Node, spot: Spot, around: list[Node], reading: SpotGrammar) -> Use:
    scopes = [item for item in around if item.type in reading.scopes and reading.scope_name(item)]
    if spot.form == "definition" and scopes and reading.scope_name(scopes[0]) == text(node):
        scopes = scopes[1:]
    name, types = spot.name or text(node), spot.types
    if types == UNKNOWN and spot.receiver is not None and is_telling(name):
        types = ()
    use = use_at(node, spot.form, spot.receiver, scopes, reading.scope_name)
    at = node.start_byte + (node.type in SYMBOLS)
    return replace(use, name=name, types=types, call=spot.call, is_guarded=spot.is_guarded, at=at)
