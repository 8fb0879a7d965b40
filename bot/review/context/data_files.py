"""Parse JSON, YAML and TOML into plain objects.

The files are untrusted, so every step has a limit. YAML merge keys are not merged, because merging can double
the size with each level. Aliases are expanded within the limit on values.
"""

import json
import tomllib
from collections.abc import Callable
from typing import Any

from deeprepo.impact.text import yaml_reader

Value = Any  # the content of a data file: None, numbers, text, lists, dicts

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
    """Return json, jsonl, yaml or toml by the path's suffix; empty for anything else."""
    return FORMS.get(path.rpartition(".")[2].lower(), "")


def parse(text: str, form: str) -> Value:
    """Return the content of a data file. Raises ValueError if it is invalid or too large."""
    most = MAX_CHARS.get(form, MAX_CHARS["json"])
    if len(text) > most:
        raise ValueError(f"{len(text):,} characters of {form} are too many to parse (at most {most:,}): use read()")
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


class _Reader(yaml_reader.Reader):
    """Merges no mappings, and reads values with custom tags as if they had no tag."""

    def flatten_mapping(self, node: Any) -> None:  # noqa: ANN401 - PyYAML has no types
        """Leave merge keys unchanged."""


def _unknown(reader: _Reader, node: Any) -> Value:  # noqa: ANN401 - PyYAML has no types
    """Return the value below a custom tag (such as !Ref or !reference)."""
    if node.id == "mapping":
        return reader.construct_mapping(node, deep=True)
    return reader.construct_sequence(node, deep=True) if node.id == "sequence" else node.value


_Reader.add_constructor(None, _unknown)


def _yaml(text: str) -> Value:
    try:
        documents = list(yaml_reader.documents(text, _Reader))
    except yaml_reader.UnreadableYamlError as error:
        place = "" if error.line is None else f" (line {error.line})"
        raise ValueError(f"not YAML: {error.problem[:200]}{place}") from None
    return documents[0] if len(documents) == 1 else documents


PARSERS: dict[str, Callable[[str], Value]] = {"json": _json, "jsonl": _jsonl, "yaml": _yaml, "toml": _toml}


def _plain(value: Value, room: list[int], depth: int) -> Value:
    """`room` counts down, so that aliases can't multiply without end.

    Raises ValueError if the value is too large or too deep.
    """
    room[0] -= 1
    if room[0] < 0 or depth < 0:
        raise ValueError("more values, or deeper ones, than can be shown: use read() and search()")
    if isinstance(value, dict):
        return {_key(key): _plain(part, room, depth - 1) for key, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(part, room, depth - 1) for part in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _key(key: object) -> str | int | float | bool | None:
    return key if key is None or isinstance(key, (bool, int, float, str)) else str(key)
