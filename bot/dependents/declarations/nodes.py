"""YAML as nodes with their lines, within bounds: size and depth. Aliases are followed once."""

from collections.abc import Iterator
from typing import Any

import yaml

from bot.dependents.declarations.reading import UnreadableDataError
from bot.dependents.schemas.breaks import Document, UnreadableSchemaError
from bot.dependents.schemas.documents import refuse_depth

MOST_NODES = 200_000  # that are looked at in one file: a node with aliases counts again
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlNode:
    """A node: what it holds, and its line."""

    __slots__ = ("_node", "_room")

    def __init__(self, node: Any, room: list[int]) -> None:  # noqa: ANN401 - the library has no types
        self._node = node
        self._room = room  # how many nodes may still be looked at, of the whole document

    def _of(self, node: Any) -> "YamlNode":  # noqa: ANN401 - the same
        self._room[0] -= 1
        if self._room[0] < 0:
            raise UnreadableDataError("its aliases multiply")
        return YamlNode(node, self._room)

    @property
    def line(self) -> int:
        """The line it begins on, from 1."""
        return int(self._node.start_mark.line) + 1 if self._node is not None else 1

    @property
    def is_block(self) -> bool:
        """Whether it is a text that begins on the line after its mark."""
        return getattr(self._node, "style", None) in ("|", ">")

    @property
    def text(self) -> str | None:
        """The text of a scalar."""
        return str(self._node.value) if isinstance(self._node, yaml.ScalarNode) else None

    @property
    def is_map(self) -> bool:
        """Whether it is a mapping."""
        return isinstance(self._node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        """Whether it is a sequence."""
        return isinstance(self._node, yaml.SequenceNode)

    def items(self) -> Iterator[tuple[str, int, "YamlNode"]]:
        """Give key, line of the key and value of a mapping; of a merge what is merged."""
        visited: set[int] = set()
        left = [self._node] if self.is_map else []
        while left:
            node = left.pop()
            if id(node) in visited or not isinstance(node, yaml.MappingNode):
                continue
            visited.add(id(node))
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and _merges(key):
                    left += value.value if isinstance(value, yaml.SequenceNode) else [value]
                elif isinstance(key, yaml.ScalarNode):
                    yield str(key.value), int(key.start_mark.line) + 1, self._of(value)

    def get(self, *keys: str) -> "YamlNode":
        """Return the value at these keys, one inside the other; an empty node if a key is missing."""
        node = self
        for key in keys:
            node = next((value for name, _, value in node.items() if name == key), EMPTY)
        return node

    def elements(self) -> Iterator["YamlNode"]:
        """Give the elements of a sequence; a scalar is its own."""
        if self.is_list:
            yield from (self._of(one) for one in self._node.value)
        elif self.text is not None:
            yield self

    def scalars(self) -> Iterator[tuple[str, "YamlNode"]]:
        """Give every text below, with its key; a shared node once."""
        visited: set[int] = set()
        left = [("", self._node)]
        while left:
            key, node = left.pop()
            if node is None or id(node) in visited:
                continue
            visited.add(id(node))
            if isinstance(node, yaml.ScalarNode):
                yield key, self._of(node)
            elif isinstance(node, yaml.MappingNode):
                left += [
                    (str(name.value) if isinstance(name, yaml.ScalarNode) else "", value)
                    for name, value in reversed(node.value)
                ]
            else:
                left += [(key, value) for value in reversed(node.value)]

    def __bool__(self) -> bool:
        return self._node is not None


EMPTY = YamlNode(None, [0])


def _merges(key: yaml.ScalarNode) -> bool:
    """Whether a key takes over the keys of its value: in quotes, `<<` is a name like any other."""
    return key.value == "<<" and (key.style is None or key.tag.endswith(":merge"))


def parse(path: str, text: str) -> YamlNode:
    """Return the first document. Raises `UnreadableDataError`."""
    try:
        refuse_depth(Document(path, text))
        return YamlNode(next(iter(yaml.compose_all(text, _LOADER)), None), [MOST_NODES])
    except UnreadableSchemaError as error:
        raise UnreadableDataError(str(error)) from error
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise UnreadableDataError(f"it cannot be parsed ({type(error).__name__})") from error
