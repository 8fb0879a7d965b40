"""YAML that people write, read under limits. The file is a stranger's: a few hundred bytes can keep a YAML library busy for hours.

Merge keys and aliases multiply with each level, so neither is taken. PyYAML needs time by the square of the depth, so depth is
limited before anything is built.
"""

import re
from typing import Any

import yaml

MOST_CHARS, MOST_DEPTH = 64_000, 24
NUMBER = re.compile(r"[-+.:0-9_xXoObBeE]{41,}")  # to read one takes time by the square of its length
TAGS = frozenset({None, "!", "tag:yaml.org,2002:str"})
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the events alone; both read the same language


class _Plain(yaml.SafeLoader):
    """Builds plain data, and merges no mappings."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave the keys as they are: `<<` is refused before this is called."""


def loaded(text: str) -> tuple[yaml.Node | None, Any]:
    """The tree with its lines, and the plain data. Raises yaml.YAMLError and ValueError, whose text says what is wrong."""
    if len(text) > MOST_CHARS:
        raise ValueError(f"it is longer than {MOST_CHARS:,} characters")
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise _error(f"it is nested more than {MOST_DEPTH} times", event)
        if isinstance(event, yaml.AliasEvent):
            raise _error(f"the alias *{event.anchor} is not supported: write the value out", event)
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
            if event.value == "<<":
                raise _error("the merge key << is not supported: write the keys out", event)
            if NUMBER.fullmatch(event.value):
                raise _error("a number is too long: put quotes around it if it is text", event)
        if getattr(event, "tag", None) not in TAGS:
            raise _error("tags (words that begin with !) are not supported: leave them out", event)
    reader = _Plain(text)
    try:
        node = reader.get_single_node()
        return node, reader.construct_document(node) if node is not None else None
    finally:
        reader.dispose()


def duplicates(node: yaml.Node | None) -> list[str]:
    """A sentence for each key that stands twice in one mapping: the last one counts, and the others are lost without a word."""
    found: list[str] = []
    stack = [node] if node is not None else []
    while stack:
        at = stack.pop()
        if isinstance(at, yaml.SequenceNode):
            stack += reversed(at.value)
        elif isinstance(at, yaml.MappingNode):
            seen: dict[str, int] = {}
            for key, _ in at.value:
                line = key.start_mark.line + 1
                name = key.value if isinstance(key, yaml.ScalarNode) else None
                if name is not None and name in seen:
                    found.append(f"line {line}: {name} is set on line {seen[name]} already; the last one counts")
                if name is not None:
                    seen[name] = line
            stack += [value for _, value in reversed(at.value)]
    return found


def why(error: Exception) -> str:
    """What is wrong with a file, and on which line: "line 3: ..."."""
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or error
    return f"line {mark.line + 1}: {said}" if mark is not None else str(said)


def _error(problem: str, event: yaml.Event) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]
