"""Names that a file hands on to fewer of its users than before."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

A = "def run_all():\n    return 1\n\n\ndef stop():\n    return 2\n"
TAKES = "from .a import run_all\nfrom .a import stop\n"
STAR = "from p import *\n\n\ndef f():\n    return run_all()\n"
NAMED = "from p import run_all\n\n\ndef f():\n    return run_all()\n"
MODE = {"package.json": '{"name": "x", "type": "module"}\n', "m.ts": "export class Mode {\n  a = 1;\n}\n"}
NEW = 'import { Mode } from "./i";\nexport const m = new Mode();\n'
TYPED = 'import { Mode } from "./i";\nexport function show(mode: Mode): Mode[] {\n  return [mode];\n}\n'


def listed(*names: str) -> str:
    """A list of what a module offers, with these names."""
    return f"\n__all__ = [{', '.join(map(repr, names))}]\n"


LISTS: Mapping[str, tuple[Files, Files, bool]] = {
    "shorter": ({"p/__init__.py": TAKES + listed("run_all", "stop"), "u.py": STAR}, {"p/__init__.py": TAKES + listed("stop")}, True),
    "added": ({"p/__init__.py": TAKES, "u.py": STAR}, {"p/__init__.py": TAKES + listed("stop")}, True),
    "private name, list removed": ({"p/__init__.py": A.replace("run_all", "_run") + listed("_run"), "u.py": STAR.replace("run_all", "_run")}, {"p/__init__.py": A.replace("run_all", "_run")}, True),
    "private name handed on": ({"p/__init__.py": "from .a import run_all as _run\n" + listed("_run"), "u.py": STAR.replace("run_all", "_run")}, {"p/__init__.py": "from .a import run_all as _run\n"}, True),
    "everything of a module": ({"p/__init__.py": "from .a import *\n" + listed("run_all", "stop"), "u.py": STAR}, {"p/__init__.py": "from .a import *\n" + listed("stop")}, True),
    "computed now": ({"p/__init__.py": TAKES + listed("run_all", "stop"), "u.py": STAR}, {"p/__init__.py": "from . import a\n" + TAKES + "\n__all__ = [*a.__all__]\n"}, True),
    "computed before": ({"p/__init__.py": "from . import a\n" + TAKES + "\n__all__ = [*a.__all__]\n", "u.py": STAR}, {"p/__init__.py": "from . import a\n" + TAKES + listed("stop")}, True),
    "handed on twice": ({"p/__init__.py": "from .b import *\n", "p/b.py": TAKES + listed("run_all", "stop"), "u.py": NAMED}, {"p/b.py": TAKES + listed("stop")}, True),
    "for types": ({"p/__init__.py": TAKES, "u.py": NAMED}, {"p/__init__.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .a import run_all\nfrom .a import stop\n"}, True),
    "named by who imports it": ({"p/__init__.py": TAKES + listed("run_all", "stop"), "u.py": NAMED}, {"p/__init__.py": TAKES + listed("stop")}, False),
    "longer": ({"p/__init__.py": TAKES + listed("run_all"), "u.py": STAR}, {"p/__init__.py": TAKES + listed("run_all", "stop")}, False),
    "in another order": ({"p/__init__.py": TAKES + listed("run_all", "stop"), "u.py": STAR}, {"p/__init__.py": TAKES + listed("stop", "run_all")}, False),
    "another name": ({"p/__init__.py": TAKES + listed("run_all", "stop"), "u.py": STAR}, {"p/__init__.py": TAKES + listed("run_all")}, False),
    "a try": ({"p/__init__.py": TAKES, "u.py": NAMED}, {"p/__init__.py": "try:\n    from .a import run_all\nexcept ImportError:\n    raise\nfrom .a import stop\n"}, False),
}  # fmt: skip
FROM = 'export { Mode } from "./m";\n'
TYPES: Mapping[str, tuple[Files, Files, bool]] = {
    "statement": ({"i.ts": FROM, "u.ts": NEW}, {"i.ts": 'export type { Mode } from "./m";\n'}, True),
    "name": ({"i.ts": FROM, "u.ts": NEW}, {"i.ts": 'export { type Mode } from "./m";\n'}, True),
    "import": ({"i.ts": 'import { Mode } from "./m";\nexport { Mode };\n', "u.ts": NEW}, {"i.ts": 'import type { Mode } from "./m";\nexport { Mode };\n'}, True),
    "everything": ({"i.ts": 'export * from "./m";\n', "u.ts": NEW}, {"i.ts": 'export type * from "./m";\n'}, True),
    "its own class": ({"i.ts": "class Mode {\n  a = 1;\n}\nexport { Mode };\n", "u.ts": NEW}, {"i.ts": "class Mode {\n  a = 1;\n}\nexport type { Mode };\n"}, True),
    "an heir": ({"i.ts": FROM, "u.ts": 'import { Mode } from "./i";\nexport class Fast extends Mode {}\n'}, {"i.ts": 'export type { Mode } from "./m";\n'}, True),
    "from a package": ({"i.ts": 'export { Mode } from "far";\n', "u.ts": NEW}, {"i.ts": 'export type { Mode } from "far";\n'}, True),
    "used as a type": ({"i.ts": FROM, "u.ts": TYPED}, {"i.ts": 'export type { Mode } from "./m";\n'}, False),
    "an interface": ({"m.ts": "export interface Mode {\n  a: number;\n}\n", "i.ts": FROM, "u.ts": TYPED}, {"i.ts": 'export type { Mode } from "./m";\n'}, False),
    "no longer for types alone": ({"i.ts": 'export type { Mode } from "./m";\n', "u.ts": TYPED}, {"i.ts": FROM}, False),
    "another name of it": ({"m.ts": MODE["m.ts"] + "export class Slow {}\n", "i.ts": 'export { Mode, Slow } from "./m";\n', "u.ts": NEW}, {"i.ts": 'export { Mode, type Slow } from "./m";\n'}, False),
}  # fmt: skip


@pytest.mark.parametrize("case", LISTS)
def test_a_name_that_a_module_of_python_gives_to_fewer_files_is_open(places: Places, case: str) -> None:
    """Who takes everything of a module gets what its list has; who imports under a condition gives it to nobody for certain."""
    before, after, expected = LISTS[case]
    assert ("u.py" in places({"p/a.py": A, **before}, after)) is expected


@pytest.mark.parametrize("case", TYPES)
def test_a_name_that_is_handed_on_for_types_alone_is_open_where_it_is_a_value(places: Places, case: str) -> None:
    """A file that only writes it as a type may stay as it is."""
    before, after, expected = TYPES[case]
    assert ("u.ts" in places({**MODE, **before}, after)) is expected
