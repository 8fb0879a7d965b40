"""JSON and YAML as data with lines, within bounds: size and depth."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import yaml

from bot.dependents.schemas.breaks import Document, UnreadableSchemaError
from impact.text.lines import line_number

YAML_BYTES = 2 << 20
_DEEPEST = 200
_BRACKET = re.compile(r"[\[\]{}]")
_INDENTED = re.compile(
    rf"^(?=[ \t?:-]{{{2 * _DEEPEST}}})[ \t]*+[?:-]|^(?:[?:-][ \t]++){{{_DEEPEST}}}|^ {{{4 * _DEEPEST}}}", re.MULTILINE
)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class TooDeepError(ValueError):
    """YAML that is nested too deep."""


class _Texts(LOADER):  # type: ignore[misc, valid-type]
    """Dates stay texts, and every key is one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, object]:
        return {str(key): value for key, value in super().construct_mapping(node, deep=deep).items()}


_Texts.yaml_implicit_resolvers = {
    letter: [(tag, look) for tag, look in rows if tag != "tag:yaml.org,2002:timestamp"]
    for letter, rows in LOADER.yaml_implicit_resolvers.items()
}


@lru_cache(maxsize=4)
def load(document: Document) -> Mapping[str, object]:
    """The object of a document. Raises `UnreadableSchemaError`."""
    path, text = document.path, document.text
    try:
        if path.endswith((".json", ".jsonschema")) or text.lstrip()[:1] == "{":
            value = json.loads(text)
        elif len(text) > YAML_BYTES:
            raise UnreadableSchemaError(path, f"it has more than {YAML_BYTES >> 20} MB of YAML")
        else:
            refuse_depth(text)
            value = yaml.load(text, _Texts)  # noqa: S506 - a safe loader
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise UnreadableSchemaError(path, f"it cannot be parsed ({type(error).__name__})") from error
    if not isinstance(value, dict):
        raise UnreadableSchemaError(path, "it holds no object")
    return value


def refuse_depth(text: str) -> None:
    """Raise `TooDeepError` for what is nested deeper than any description: the parser recurses in C, where nothing stops it."""
    depth = 0
    for match in _BRACKET.finditer(text):
        depth = max(0, depth + (1 if match[0] in "[{" else -1))
        if depth > _DEEPEST:
            break
    if depth > _DEEPEST or _INDENTED.search(text):
        raise TooDeepError


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document, and the keys that lead to it."""

    document: Document
    value: object
    keys: tuple[str, ...] = ()

    @property
    def mapping(self) -> Mapping[str, object]:
        """The value behind its reference, if it is an object; otherwise nothing."""
        value = self.behind().value
        return value if isinstance(value, Mapping) else {}

    @property
    def line(self) -> int:
        """The line on which the last of the keys stands, looked for in order: a key may also be a text of a list."""
        at = 0
        for key in self.keys:
            match = _key(key).search(self.document.text, at)
            at = match.start(1) if match is not None else at
        return line_number(self.document.text, at)

    def at(self, *keys: str) -> "Node":
        """What stands at these keys, one inside the other."""
        node = self
        for key in keys:
            node = node.behind()
            node = Node(self.document, node.mapping.get(key), (*node.keys, key))
        return node

    def parts(self) -> list["Node"]:
        """The entries of a list."""
        rows = self.value if isinstance(self.value, list) else []
        return [Node(self.document, row, (*self.keys, str(number))) for number, row in enumerate(rows)]

    def behind(self) -> "Node":
        """What the value refers to within its document; a reference to something else stays."""
        node = self
        for _ in range(20):
            reference = node.value.get("$ref") if isinstance(node.value, Mapping) else None
            if not isinstance(reference, str):
                break
            file, _, place = reference.partition("#")
            target: object = load(self.document)
            own_names = ("", self.document.path.rpartition("/")[2], load(self.document).get("$id"))
            if file.removeprefix("./") not in own_names:
                break
            path = tuple(part.replace("~1", "/").replace("~0", "~") for part in place.strip("/").split("/"))
            for part in path:
                target = target.get(part) if isinstance(target, Mapping) else None
            if target is None:
                break
            node = Node(self.document, target, path)
        return node


@lru_cache(maxsize=4096)
def _key(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$])([\"']?{re.escape(key)}[\"']?)(?![\w$])")
