"""What a walk through the syntax of one file collects: its definitions, and what importers can ask of it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from tree_sitter import Node

from bot.languages.syntax import first_line, last_line
from bot.values import Outline, Side, Signature, Symbol, Visibility

MOST_ALTERNATIVES = 64  # definitions of one name that a call is held against


@dataclass(slots=True)
class DefinitionWalk:
    """The definitions of one file that a walk has met so far."""

    path: str
    side: Side
    symbols: list[Symbol] = field(default_factory=list)
    exports: dict[str, str] = field(default_factory=dict)
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)  # class -> what it inherits from, as written
    stars: int = 0  # imports of all that another file offers

    def define(
        self,
        name: str,
        kind: str,
        node: Node,
        own_signature: Signature | None = None,
        *,
        is_exported: bool = True,
        visibility: Visibility = "anywhere",
    ) -> None:
        """Take a definition that stands where its node does."""
        at = first_line(node), last_line(node)
        self.symbols.append(Symbol(self.path, name, kind, *at, self.side, own_signature, is_exported, visibility))

    def inherit(self, name: str, bases: Iterable[str]) -> None:
        """Note what a class inherits from; where several definitions have its name, each may be meant."""
        self.bases[name] = tuple(dict.fromkeys((*self.bases.get(name, ()), *bases)))

    def outline(self, complete: bool, *, overloads: bool = False) -> Outline:
        """The outline of the file. `overloads`: its compiler decides which definition of a name a call means."""
        symbols = alternatives(self.symbols, overloads=overloads)
        return Outline(symbols, tuple(self.exports.items()), complete, self.stars, tuple(self.bases.items()))


def alternatives(symbols: Collection[Symbol], *, overloads: bool = False) -> tuple[Symbol, ...]:
    """Definitions of one name know of each other, as a call has to fit one of them. But for overloads only a run decides which one counts."""
    same: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        if symbol.kind != "type":  # a type may share the name of a value
            same[symbol.name].append(symbol)
    related_symbols = []
    for symbol in symbols:
        own_signature = symbol.signature
        others = [item.signature for item in islice(same[symbol.name], MOST_ALTERNATIVES + 2) if item is not symbol]
        if own_signature is not None and others:
            is_vague = len(others) > MOST_ALTERNATIVES or any(one is None or one.opaque for one in others)
            also = tuple(one.parameters for one in others if one is not None)
            is_opaque = own_signature.opaque or is_vague
            own_signature = replace(own_signature, also=also, opaque=is_opaque, ambiguous=not overloads)
        is_same = own_signature is symbol.signature
        related_symbols.append(symbol if is_same else replace(symbol, signature=own_signature))
    return tuple(related_symbols)


def statements(root: Node, blocks: Collection[str]) -> Iterator[Node]:
    """Yield the statements that run when a file is loaded, those in blocks too, in their order."""
    left = list(reversed(root.named_children))
    while left:
        node = left.pop()
        if node.type in blocks:
            left += reversed(node.named_children)
        else:
            yield node
