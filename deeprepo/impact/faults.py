"""Whether a file still parses: the lines of its syntax errors, for every language with a grammar and for data files.

More files have a grammar than a parser beside it: to parse needs a grammar and nothing else.
"""

import json
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath

from deeprepo.impact import syntax
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import language_of
from deeprepo.impact.nodes import errors
from deeprepo.impact.parsing import in_time


def faults(path: str, source: bytes) -> frozenset[int] | None:
    """Return the 1-based lines on which the file does not parse; None where nobody here can tell."""
    suffix = PurePosixPath(path).suffix.lower()
    if (grammar := syntax.grammar_of(filetype(path))) is not None:
        tree = in_time(grammar, source)
        if tree is None:
            return None
        error_lines = frozenset(errors(tree.root_node))
        language = language_of(path)
        return error_lines or (
            language.faults(source) if language is not None and language.faults is not None else error_lines
        )
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
        return frozenset({1})  # the library names the line in words alone
    return frozenset()


def _yaml(source: bytes) -> frozenset[int] | None:
    from deeprepo.impact.text.yaml_reader import faulty_lines  # here: a hook over code has no use for its library

    return faulty_lines(source)


DATA: dict[str, Callable[[bytes], frozenset[int] | None]] = {
    ".json": _json,
    ".toml": _toml,
    ".yml": _yaml,
    ".yaml": _yaml,
}
