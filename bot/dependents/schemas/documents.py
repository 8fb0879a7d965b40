"""JSON and YAML as data with lines, within bounds: size, depth, and how much of a document with aliases is walked."""

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache

import yaml

from bot.dependents.schemas.breaks import Document, UnreadableSchemaError
from bot.text.lines import line_number

YAML_BYTES = 2 << 20
_DEEPEST = 200
_BRACKET = re.compile(r"[\[\]{}]")
_INDENTED = re.compile(
    rf"^(?=[ \t?:-]{{{2 * _DEEPEST}}})[ \t]*+[?:-]|^(?:[?:-][ \t]++){{{_DEEPEST}}}|^ {{{4 * _DEEPEST}}}", re.MULTILINE
)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Texts(_LOADER):  # type: ignore[misc, valid-type]
    """Dates stay texts, and a key is one."""


_Texts.yaml_implicit_resolvers = {
    letter: [(tag, look) for tag, look in rows if tag != "tag:yaml.org,2002:timestamp"]
    for letter, rows in _LOADER.yaml_implicit_resolvers.items()
}


class _Anchors(yaml.composer.Composer, yaml.constructor.SafeConstructor, yaml.resolver.Resolver):
    """The same of a text that gives an anchor twice, which YAML 1.2 allows: the parser in C refuses it. The latest counts."""

    yaml_implicit_resolvers = _Texts.yaml_implicit_resolvers

    def __init__(self, text: str) -> None:
        for base in (yaml.composer.Composer, yaml.constructor.SafeConstructor, yaml.resolver.Resolver):
            base.__init__(self)
        self._events = deque(yaml.parse(text, _LOADER))

    def check_event(self, *choices: type) -> bool:
        """Whether the next event is one of these."""
        return bool(self._events) and (not choices or isinstance(self._events[0], choices))

    def peek_event(self) -> yaml.Event:
        """The next event."""
        return self._events[0]

    def get_event(self) -> yaml.Event:
        """The next event, which is read with it."""
        return self._events.popleft()

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """A node, whose anchor is new."""
        if not self.check_event(yaml.AliasEvent):
            self.anchors.pop(getattr(self.peek_event(), "anchor", None), None)
        return super().compose_node(parent, index)


def _yaml(text: str) -> object:
    try:
        return yaml.load(text, _Texts)  # noqa: S506 - a safe loader
    except yaml.composer.ComposerError as error:
        if "duplicate anchor" not in str(error):
            raise
    return _Anchors(text).get_single_data()


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
            refuse_depth(document)
            value = _yaml(text)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise UnreadableSchemaError(path, f"it cannot be parsed ({type(error).__name__})") from error
    if not isinstance(value, dict):
        raise UnreadableSchemaError(path, "it holds no object")
    _shorten(value, path, text)
    return value


def _shorten(root: dict[str, object], path: str, text: str) -> None:
    """Write the references of a document to itself, by its file's name or its own id, as local ones."""
    own_id = root.get("$id")
    names = {path.rpartition("/")[2], own_id.partition("#")[0] if isinstance(own_id, str) else ""} - {""}
    starts = tuple(f"{prefix}{name}#" for name in names for prefix in ("", "./") if f"{name}#" in text)
    rest: list[object] = [root] if starts else []
    visits: set[int] = set()
    while rest:
        value = rest.pop()
        if not isinstance(value, (dict, list)) or id(value) in visits:
            continue
        visits.add(id(value))
        rest += value.values() if isinstance(value, dict) else value
        reference = value.get("$ref") if isinstance(value, dict) else None
        if isinstance(value, dict) and isinstance(reference, str) and reference.startswith(starts):
            value["$ref"] = f"#{reference.partition('#')[2]}"


def refuse_depth(document: Document) -> None:
    """Raise `UnreadableSchemaError` for what is nested deeper than any description: the parser recurses in C, where nothing stops it."""
    depth = 0
    for match in _BRACKET.finditer(document.text):
        depth = max(0, depth + (1 if match[0] in "[{" else -1))
        if depth > _DEEPEST:
            break
    if depth > _DEEPEST or _INDENTED.search(document.text):
        raise UnreadableSchemaError(document.path, f"it is nested deeper than {_DEEPEST}")


def line_of(text: str, keys: Sequence[str]) -> int:
    """The line on which the last of nested keys stands, looked for in order: a key may also be a text of a list."""
    at = 0
    for key in keys:
        look = _key(key)
        match = look.search(text, at)
        if match is None:
            continue
        at = match.start(1)
    return line_number(text, at)


@lru_cache(maxsize=4096)
def _key(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$])([\"']?{re.escape(key)}[\"']?)(?![\w$])")


def target_of(root: Mapping[str, object], reference: str) -> object:
    """What a local reference points to, None if nothing is there."""
    value: object = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~").replace("%7B", "{").replace("%7D", "}")
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value
