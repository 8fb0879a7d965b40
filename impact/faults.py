"""Whether a file still parses: the lines of its syntax errors, for every language with a grammar and for data files.

More files have a grammar than a parser beside it: to parse needs a grammar and nothing else.
"""

import ast
import json
import tomllib
import warnings
from collections.abc import Callable
from pathlib import PurePosixPath

from impact import syntax
from impact.filetypes import filetype
from impact.nodes import errors
from impact.parsing import in_time
from impact.text.lines import Places
from impact.text.yaml_reader import faulty_lines


def faults(path: str, source: bytes) -> frozenset[int] | None:
    """The 1-based lines on which the file does not parse; None where nobody here can tell."""
    suffix = PurePosixPath(path).suffix.lower()
    if (grammar := syntax.grammar_of(filetype(path))) is not None:
        tree = in_time(grammar, source)
        if tree is None:
            return None
        error_lines = frozenset(errors(tree.root_node))
        return error_lines or (_python(source) if suffix == ".py" else error_lines)
    read = DATA.get(suffix)
    return read(source) if read else None


def _python(source: bytes) -> frozenset[int]:
    """What the grammar lets through and Python does not: a block without a body, a `return` outside a function."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        return frozenset({Places(source.decode("utf-8", "replace")).row(error.lineno or 1)})
    except (ValueError, RecursionError, MemoryError):
        return frozenset({1})
    return frozenset()


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


DATA: dict[str, Callable[[bytes], frozenset[int] | None]] = {
    ".json": _json,
    ".toml": _toml,
    ".yml": faulty_lines,
    ".yaml": faulty_lines,
}
