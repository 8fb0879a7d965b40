"""YAML that people write, under limits: its parser needs minutes for brackets that nest a thousand times."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

MOST_CHARS, MOST_DEPTH = 64_000, 24
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the events alone; both read the same language


def loaded(text: str) -> tuple[yaml.Node | None, Any]:
    """The tree with its lines, and the plain data. Raises yaml.YAMLError and ValueError, whose text says what is wrong."""
    if len(text) > MOST_CHARS:
        raise ValueError(f"it is longer than {MOST_CHARS:,} characters")
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise ValueError(f"it is nested more than {MOST_DEPTH} times")
    return yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)


def sentence(item: Mapping[str, Any]) -> str:
    """One item of `ValidationError.errors()` as what a person has to write instead, without the value that is wrong."""
    context = item.get("ctx", {})
    words = {
        "tuple_type": "write a list, such as [one, two], also for a single entry",
        "list_type": "write a list, such as [one, two], also for a single entry",
        "model_type": "write `key: value` lines below it",
        "model_attributes_type": "write `key: value` lines below it",
        "dict_type": "write `key: value` lines below it",
        "string_type": "write a text, in quotes if it looks like a number, a date or true",
        "bool_type": "write true or false",
        "bool_parsing": "write true or false",
        "int_type": "write a whole number",
        "int_parsing": "write a whole number",
        "int_from_float": "write a whole number",
        "float_type": "write a number",
        "float_parsing": "write a number",
        "missing": "it is missing",
        "extra_forbidden": "this key is not known",
        "literal_error": f"write one of {context.get('expected', '')}".replace("'", ""),
        "greater_than_equal": f"write a number of at least {context.get('ge')}",
        "greater_than": f"write a number above {context.get('gt')}",
        "less_than_equal": f"write a number of at most {context.get('le')}",
    }
    return words.get(str(item["type"]), str(item["msg"]).removeprefix("Value error, "))


def line_of(node: yaml.Node | None, place: Sequence[str | int]) -> int | None:
    """The line, from 1, of the key or entry that a place such as ("budget", "usd") names, or of the nearest one above it."""
    line = None
    for step in place:
        if isinstance(node, yaml.MappingNode):
            key, value = next(((key, value) for key, value in node.value if key.value == step), (None, None))
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            key = value = node.value[step]
        else:
            break
        if key is None:
            break
        line, node = key.start_mark.line + 1, value
    return line
