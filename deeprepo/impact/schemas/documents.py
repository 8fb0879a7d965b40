"""Load JSON and YAML with line numbers, limited in size and depth."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from deeprepo.impact.schemas.breaks import Document, UnreadableSchemaError
from deeprepo.impact.structs import Struct
from deeprepo.impact.text import yaml_reader
from deeprepo.impact.text.lines import line_number

YAML_BYTES = 2 << 20


class _Texts(yaml_reader.Reader):
    """Keeps dates and all keys as strings."""

    yaml_implicit_resolvers = yaml_reader.types(but=yaml_reader.TIMESTAMP)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, object]:  # noqa: ANN401 - PyYAML's own
        return {str(key): value for key, value in super().construct_mapping(node, deep=deep).items()}


@lru_cache(maxsize=4)
def load(document: Document) -> Mapping[str, object]:
    """Return the object in a document. Raises `UnreadableSchemaError`."""
    path, text = document.path, document.text
    try:
        if path.endswith((".json", ".jsonschema")) or text.lstrip()[:1] == "{":
            value = json.loads(text)
        elif len(text) > YAML_BYTES:
            raise UnreadableSchemaError(path, f"it has more than {YAML_BYTES >> 20} MB of YAML")
        else:
            value = yaml_reader.read(text, _Texts)[1]
    except (ValueError, RecursionError) as error:
        raise UnreadableSchemaError(path, f"it cannot be parsed ({type(error).__name__})") from error
    if not isinstance(value, dict):
        raise UnreadableSchemaError(path, "it contains no object")
    return value


class Node(Struct, frozen=True):
    """A value in a document, and the keys that lead to it."""

    document: Document
    value: object
    keys: tuple[str, ...] = ()

    @property
    def mapping(self) -> Mapping[str, object]:
        """The value behind its reference if it is an object, otherwise an empty one."""
        value = self.behind().value
        return value if isinstance(value, Mapping) else {}

    @property
    def line(self) -> int:
        """The line of the last key. The keys are searched in order, and may also be strings in a list."""
        at = 0
        for key in self.keys:
            match = _key(key).search(self.document.text, at)
            at = match.start(1) if match is not None else at
        return line_number(self.document.text, at)

    def at(self, *keys: str) -> "Node":
        """Return the node at nested keys."""
        node = self
        for key in keys:
            node = node.behind()
            node = Node(self.document, node.mapping.get(key), (*node.keys, key))
        return node

    def parts(self) -> list["Node"]:
        """Return the entries of a list."""
        rows = self.value if isinstance(self.value, list) else []
        return [Node(self.document, row, (*self.keys, str(number))) for number, row in enumerate(rows)]

    def behind(self) -> "Node":
        """Return the target of a reference within the document; other references stay."""
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
