"""YAML that people write, under limits: its parser needs minutes for brackets that nest a thousand times."""

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
