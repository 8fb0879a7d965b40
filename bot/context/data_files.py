"""JSON, YAML and TOML as plain objects. The files are hostile: every step has a cap.

YAML's merge keys stay keys, because merging doubles with each level; aliases are expanded under the cap on values.
"""

import json
import tomllib
from collections.abc import Callable
from typing import Any

Value = Any  # what a data file holds: None, numbers, text, lists, dicts

MAX_CHARS = {"json": 5_000_000, "yaml": 500_000, "toml": 500_000}
MAX_VALUES, MAX_DEPTH = 200_000, 60
FORMS = {
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "webmanifest": "json",
}


def form_of(path: str) -> str:
    """json, jsonl, yaml, toml, or "" for anything else, by the path's suffix."""
    return FORMS.get(path.rpartition(".")[2].lower(), "")


def parse(text: str, form: str) -> Value:
    """The plain object that a data file holds. Raises ValueError with a sentence if it is not one, or is too large."""
    most = MAX_CHARS.get(form, MAX_CHARS["json"])
    if len(text) > most:
        raise ValueError(f"{len(text):,} characters of {form} are too many to parse (at most {most:,}): use chunks()")
    try:
        return _plain(PARSERS[form](text), [MAX_VALUES], MAX_DEPTH)
    except RecursionError:
        raise ValueError(f"this {form} is nested too deeply") from None


def _json(text: str) -> Value:
    return json.loads(text.removeprefix("\ufeff"), parse_constant=str)


def _jsonl(text: str) -> Value:
    return [json.loads(line, parse_constant=str) for line in text.split("\n") if line.strip()]


def _toml(text: str) -> Value:
    return tomllib.loads(text)


def _yaml(text: str) -> Value:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Merges no mappings, and reads tags of somebody's own as what is under them."""

        def flatten_mapping(self, node: Any) -> None:  # noqa: ANN401 - PyYAML has no types
            """Leave merge keys as they are."""

    Loader.add_constructor(None, _unknown)
    try:
        depth = 0
        for event in yaml.parse(text, Loader):  # the loader itself recurses in C, which no exception can stop
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise ValueError("this yaml is nested too deeply")
        documents = list(yaml.load_all(text, Loader))
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())[:200]}") from None
    return documents[0] if len(documents) == 1 else documents


def _unknown(loader: Any, node: Any) -> Value:  # noqa: ANN401 - PyYAML has no types
    """A tag of somebody's own (!Ref, !reference): what stands under it."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else node.value


PARSERS: dict[str, Callable[[str], Value]] = {"json": _json, "jsonl": _jsonl, "yaml": _yaml, "toml": _toml}


def _plain(value: Value, room: list[int], depth: int) -> Value:
    """The same in plain types. `room` counts down, so that aliases cannot multiply without end."""
    room[0] -= 1
    if room[0] < 0 or depth < 0:
        raise ValueError("more values, or deeper ones, than can be shown: use chunks() and search()")
    if isinstance(value, dict):
        return {_key(key): _plain(part, room, depth - 1) for key, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(part, room, depth - 1) for part in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _key(key: object) -> str | int | float | bool | None:
    return key if key is None or isinstance(key, (bool, int, float, str)) else str(key)
