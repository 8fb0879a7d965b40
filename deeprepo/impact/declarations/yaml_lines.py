"""Read YAML as plain values whose strings know their lines."""

from collections.abc import Iterator
from typing import Any

from deeprepo.impact.declarations.reading import UnreadableDataError
from deeprepo.impact.text import yaml_reader
from deeprepo.impact.text.lines import YAML_BREAKS, Places


class LinedText(str):
    """A scalar with the 1-based `line` of its first letter."""

    __slots__ = ("line",)
    line: int


class _Lined(yaml_reader.Reader):
    """Reads every scalar as a string with its line; `<<` merges."""

    yaml_implicit_resolvers = yaml_reader.types(yaml_reader.MERGE)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.places = Places(text, YAML_BREAKS)


def _text(reader: _Lined, node: Any) -> LinedText:  # noqa: ANN401 - PyYAML's own
    text = LinedText(node.value)
    text.line = reader.places.row(int(node.start_mark.line) + 1) + (node.style in ("|", ">"))
    return text


_Lined.add_constructor("tag:yaml.org,2002:str", _text)


def load(text: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return the first document. Raises `UnreadableDataError`."""
    try:
        return next(yaml_reader.documents(text, _Lined), None)
    except ValueError as error:
        raise UnreadableDataError(f"it cannot be parsed ({type(error).__name__})") from error


def rows(root: object, *keys: str) -> list[tuple[LinedText, Any]]:
    """Return the items of the mapping at nested keys, or []."""
    value = at(root, *keys)
    return [row for row in value.items() if isinstance(row[0], LinedText)] if isinstance(value, dict) else []


def at(root: object, *keys: str) -> Any:  # noqa: ANN401 - the same
    """Return the value at nested keys, or None."""
    for key in keys:
        root = root.get(key) if isinstance(root, dict) else None
    return root


def texts(value: object) -> list[LinedText]:
    """Return the strings in a list, or a single string as a list."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, LinedText)]


def scalars(root: object, visited: set[int]) -> Iterator[tuple[str, LinedText]]:
    """Yield every string below a value with its key.

    Visited parts are skipped, so that aliases do not multiply.
    """
    left: list[tuple[str, object]] = [("", root)]
    while left:
        key, value = left.pop()
        if isinstance(value, LinedText):
            yield key, value
        elif isinstance(value, dict | list) and id(value) not in visited:
            visited.add(id(value))
            left += (
                [(str(name), one) for name, one in value.items()]
                if isinstance(value, dict)
                else [(key, one) for one in value]
            )
