"""What a walk through the syntax of one file collects: its definitions, and what importers can ask of it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.languages.syntax import first_line, last_line
from bot.values import Side, Signature, Symbol, Visibility


@dataclass(slots=True)
class DefinitionWalk:
    """The definitions of one file that a walk has met so far."""

    path: str
    side: Side
    symbols: list[Symbol] = field(default_factory=list)
    exports: dict[str, str] = field(default_factory=dict)
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


def statements(root: Node, blocks: Collection[str]) -> Iterator[Node]:
    """Yield the statements that run when a file is loaded, those in blocks too, in their order."""
    left = list(reversed(root.named_children))
    while left:
        node = left.pop()
        if node.type in blocks:
            left += reversed(node.named_children)
        else:
            yield node
