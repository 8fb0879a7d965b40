"""Read the names of Python packages as data from pyproject.toml, setup.cfg and setup.py. Paths show what they contain."""

import ast
import posixpath
from collections.abc import Collection, Mapping
from contextlib import suppress

from deeprepo.impact.packages import Package, plain_name
from deeprepo.impact.text.paths import is_sample, is_test
from deeprepo.impact.text.tables import at, ini, manifest_text, text_of, toml

_DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
MANIFESTS = (*_DECLARING, "*requirements*.txt", "*requirements*.in", "Pipfile")
_SOURCES = ("src", "lib")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the distributions of a tree with their packages and modules."""
    rows = []
    for folder in sorted({posixpath.dirname(path) for path in manifests if posixpath.basename(path) in _DECLARING}):
        project, config, program = (manifests.get(posixpath.join(folder, name), b"") for name in _DECLARING)
        names = [text_of(at(toml(project), key)) for key in ("project.name", "tool.poetry.name")]
        names += [ini(config).get("metadata", "name", fallback=""), _name_in_setup(program)]
        name = next(filter(None, names), "")
        places = _in_sources(folder, paths) or _beside_manifest(folder, name, paths)
        rows += [Package("python", name, folder, places)] if name and places else []
    return tuple(rows)


def _in_sources(folder: str, paths: Collection[str]) -> tuple[str, ...]:
    found = {one for top in _SOURCES for one in _importable(posixpath.join(folder, top), paths)}
    return tuple(sorted(found))


def _beside_manifest(folder: str, name: str, paths: Collection[str]) -> tuple[str, ...]:
    """Return the package or module with the distribution's name; without one, all that are no tests or samples."""
    found = _importable(folder, paths)
    own = {one for one in found if plain_name(posixpath.basename(one).removesuffix(".py")) == plain_name(name)}
    return tuple(sorted(own or (one for one in found if not (is_test(f"{one}/x.py") or is_sample(f"{one}/x.py")))))


def _importable(home: str, paths: Collection[str]) -> set[str]:
    """Return the packages and modules directly in a folder."""
    start = f"{home}/" if home else ""
    inner = [path.removeprefix(start) for path in paths if path.startswith(start) and path.endswith((".py", ".pyi"))]
    tops = {path.partition("/")[0] for path in inner} - {"setup.py"}
    return (
        {start + top for top in tops if top.removesuffix(".py").isidentifier()} if "__init__.py" not in tops else set()
    )


def _name_in_setup(source: bytes) -> str:
    with suppress(ValueError, RecursionError, SyntaxError, MemoryError):
        for call in ast.walk(ast.parse(manifest_text(source))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "setup":
                values = (word.value for word in call.keywords if word.arg == "name")
                return next((text_of(one.value) for one in values if isinstance(one, ast.Constant)), "")
    return ""
