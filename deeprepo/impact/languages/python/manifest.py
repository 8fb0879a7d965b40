"""Read the names of Python packages as data from pyproject.toml, setup.cfg and setup.py."""

import ast
import posixpath
from collections.abc import Mapping
from contextlib import suppress

from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import at, ini, manifest_text, text_of, toml

_DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
MANIFESTS = (*_DECLARING, "*requirements*.txt", "*requirements*.in", "Pipfile")


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the distributions of a tree."""
    rows = []
    for folder in sorted({posixpath.dirname(path) for path in manifests if posixpath.basename(path) in _DECLARING}):
        project, config, program = (manifests.get(posixpath.join(folder, name), b"") for name in _DECLARING)
        names = [text_of(at(toml(project), key)) for key in ("project.name", "tool.poetry.name")]
        names += [ini(config).get("metadata", "name", fallback=""), _name_in_setup(program)]
        rows += [Package("python", name, folder) for name in names if name][:1]
    return tuple(rows)


def _name_in_setup(source: bytes) -> str:
    with suppress(ValueError, RecursionError, SyntaxError, MemoryError):
        for call in ast.walk(ast.parse(manifest_text(source))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "setup":
                values = (word.value for word in call.keywords if word.arg == "name")
                return next((text_of(one.value) for one in values if isinstance(one, ast.Constant)), "")
    return ""
