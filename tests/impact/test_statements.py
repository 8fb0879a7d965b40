"""Import statements that are read from lines alone are those that the whole file's tree tells."""

from dataclasses import replace
from pathlib import Path

import pytest

from impact import reader
from impact.language import language_of
from impact.nodes import Spans
from impact.values import Import

PYTHON = language_of("a.py")
ROOT = Path(__file__).parents[2]
FORMS = (
    b"import os; import sys as s\nif x: from a import b\ntry: import c\nexcept ImportError: c = None\n",
    b'"""\nimport no\n"""\nfrom .a import (  # one (of two)\n    b,\n    c as d,  # )\n)\nimport e.f\n',
    b"from a \\\n    import b, \\\n    c\nx = 'from d import e'\ny = \"it's\"  # import f\nfrom g import *\n",
    b'z = f"{d["""k"""]}"\nr = r"\\"\n\'\'\'\nimport no\n\'\'\'\ndef f():\n    import g\n    from h import i\n',
    b"\xef\xbb\xbfimport a\r\nfrom b import (\r\n    c,\r\n)\r\nfrom d \\\r\n    import e\r\n",
    b"def g():\n    yield from a\n    raise E from b\nfrom importlib import import_module\nm = import_module('a.b')\n",
)


def _of_tree(source: bytes) -> list[Import]:
    assert PYTHON is not None
    root = reader.parse(PYTHON, source)
    assert root is not None
    found = reader.Reader(PYTHON, root, needs_definitions=False).imports(Spans(()))
    return [replace(one, maybe=False) for one in found]


def _of_lines(source: bytes) -> list[Import]:
    assert PYTHON is not None
    return [replace(one, maybe=False) for one in reader.imports(PYTHON, source)]


@pytest.mark.parametrize("source", FORMS)
def test_forms_of_statements(source: bytes) -> None:
    found = _of_lines(source)
    assert found
    assert found == _of_tree(source)


def test_our_own_files() -> None:
    paths = [*ROOT.glob("impact/**/*.py"), *ROOT.glob("bot/diff/*.py"), *ROOT.glob("tests/impact/*.py")]
    assert len(paths) > 100
    for path in paths:
        source = path.read_bytes()
        assert _of_lines(source) == _of_tree(source), path
