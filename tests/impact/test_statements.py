"""Reading import statements line by line gives the same result as parsing the whole file."""

from pathlib import Path

import pytest

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.languages.javascript.statements import import_lines
from deeprepo.impact.reading import statements
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Import

PYTHON, SCRIPT = language_of("a.py"), language_of("a.ts")
ROOT = Path(__file__).parents[2]
FORMS = (
    b"import os; import sys as s\nif x: from a import b\ntry: import c\nexcept ImportError: c = None\n",
    b'"""\nimport no\n"""\nfrom .a import (  # one (of two)\n    b,\n    c as d,  # )\n)\nimport e.f\n',
    b"from a \\\n    import b, \\\n    c\nx = 'from d import e'\ny = \"it's\"  # import f\nfrom g import *\n",
    b'z = f"{d["""k"""]}"\nr = r"\\"\n\'\'\'\nimport no\n\'\'\'\ndef f():\n    import g\n    from h import i\n',
    b"\xef\xbb\xbfimport a\r\nfrom b import (\r\n    c,\r\n)\r\nfrom d \\\r\n    import e\r\n",
    b"def g():\n    yield from a\n    raise E from b\nfrom importlib import import_module\nm = import_module('a.b')\n",
)
SCRIPTS = (
    b"import a, { b as c,\n  type D } from './a';\nimport * as e from \"./e\"\nimport './f';\nconst g = () => { h() }\n",
    b"import a from './a'\nexport { a, b as c }\nexport * from './d'\nexport default class E {\n  f() {}\n}\n",
    b"export type { A } from './a'\nexport const b = 1;\nexport { b };\nfunction c() {\n  return import('./d')\n}\n",
    b"import a from './a'\n/*\nimport no from './no'\n*/\nexport const b = a\n",
    b"import a from './a'\nconst b = `\nimport no from './no'\n`\nexport const c = b\n",
    b"function f() {\nimport a from './a'\n}\nlet g = 1\n",
    b"import a from './a' with { type: 'json' }\nimport b = require('./b')\njest.mock('./c', () => 1)\nlet d = 1\n",
)


def _of_tree(source: bytes, language: Language | None = PYTHON) -> list[Import]:
    assert language is not None
    return [replace(one, maybe=False) for one in statements.naming(language, source).imports()]


def _of_lines(source: bytes, language: Language | None = PYTHON) -> list[Import]:
    assert language is not None
    return [replace(one, maybe=False) for one in statements.imports(language, source)]


@pytest.mark.parametrize("source", FORMS)
def test_line_reader_matches_the_parser(source: bytes) -> None:
    found = _of_lines(source)
    assert found
    assert found == _of_tree(source)


@pytest.mark.parametrize("source", SCRIPTS)
def test_line_reader_matches_the_parser_for_scripts(source: bytes) -> None:
    found = _of_lines(source, SCRIPT)
    assert found
    assert found == _of_tree(source, SCRIPT)


def test_script_is_read_up_to_its_last_import() -> None:
    assert import_lines(SCRIPTS[0]).endswith(b"import './f';")
    assert import_lines(SCRIPTS[2]) == SCRIPTS[2]


def test_line_reader_matches_the_parser_on_our_own_files() -> None:
    paths = [*ROOT.glob("deeprepo/impact/**/*.py"), *ROOT.glob("bot/diff/*.py"), *ROOT.glob("tests/impact/*.py")]
    assert len(paths) > 100
    for path in paths:
        source = path.read_bytes()
        assert _of_lines(source) == _of_tree(source), path
