"""Find syntax errors in files with a grammar and in data files."""

import json
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath

from deeprepo.impact.language import rules_of
from deeprepo.impact.parsing import in_time
from deeprepo.impact.reading import syntax
from deeprepo.impact.reading.nodes import errors


def faults(path: str, source: bytes) -> frozenset[int] | None:
    """Return the 1-based lines with syntax errors; None if they cannot be determined."""
    suffix = PurePosixPath(path).suffix.lower()
    if (grammar := syntax.grammar_of(path)) is not None:
        tree = in_time(grammar, source)
        if tree is None:
            return None
        return frozenset(errors(tree.root_node)) or rules_of(path).faults(source)
    read = DATA.get(suffix)
    return read(source) if read else None


def _json(source: bytes) -> frozenset[int]:
    try:
        json.loads(source)
    except json.JSONDecodeError as error:
        return frozenset({error.lineno})
    except (ValueError, RecursionError):
        return frozenset({1})
    return frozenset()


def _toml(source: bytes) -> frozenset[int]:
    try:
        tomllib.loads(source.decode())
    except (ValueError, RecursionError):
        return frozenset({1})  # the library gives the line only in its message
    return frozenset()


def _yaml(source: bytes) -> frozenset[int] | None:
    # imported here because code files do not need its library
    from deeprepo.impact.text.yaml_reader import faulty_lines

    return faulty_lines(source)


DATA: dict[str, Callable[[bytes], frozenset[int] | None]] = {
    ".json": _json,
    ".toml": _toml,
    ".yml": _yaml,
    ".yaml": _yaml,
}
