"""Read Python packages: pyproject.toml, setup.cfg, setup.py, requirements files and Pipfile.

A setup.py is read as data, so only literal lists count. The paths show what can be imported.
"""

import ast
import posixpath
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from deeprepo.impact.packages import Origin, Package, Requirement
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.text.tables import at, ini, manifest_text, strings, table, text_of, texts, toml

LANGUAGE = "python"
_DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
MANIFESTS = (*_DECLARING, "*requirements*.txt", "*requirements*.in", "Pipfile")
_LOCKED = r"(?im)^name\s*=\s*\"NAME\"\s*\nversion\s*=\s*\"([^\"\n]+)\""
LOCKS = {
    **dict.fromkeys(("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"), _LOCKED),
    "Pipfile.lock": r"(?i)\"NAME\"\s*:\s*\{[^{}]*?\"version\"\s*:\s*\"={0,2}([^\"\n]+)\"",
}
SUFFIXES = (".py",)
_BUILT_IN = frozenset(
    {"distutils", "imp", "asyncore", "asynchat", "smtpd", "setuptools", "pkg_resources", "pip", "typing_extensions"}
)
_TOPS = ("src", "lib", "python")  # folders that may contain a distribution's packages, besides its own
# Modules that no project intends to provide.
_ASIDE = frozenset({
    "setup", "conftest", "noxfile", "tasks", "manage", "doc", "docs", "test", "tests", "example", "examples", "build", "benchmark", "benchmarks",
})  # fmt: skip
# Where pyproject.toml has the name, the modules and the requirements, as strings or by name. `*` is any key.
_NAMES = ("project.name", "tool.poetry.name", "tool.flit.metadata.module")
_MODULES = (
    "tool.poetry.packages.*.include", "tool.hatch.build.targets.wheel.packages", "tool.setuptools.packages", "tool.setuptools.py-modules",
    "tool.uv.build-backend.module-name", "tool.flit.module.name",
)  # fmt: skip
_LISTS = (
    "project.dependencies", "project.optional-dependencies.*", "dependency-groups.*", "build-system.requires", "tool.uv.dev-dependencies",
    "tool.pdm.dev-dependencies.*", "tool.hatch.envs.*.dependencies",
)  # fmt: skip
_TABLES = ("tool.poetry.dependencies", "tool.poetry.dev-dependencies", "tool.poetry.group.*.dependencies")
_SHIPPED = (
    "project.dependencies",
    "project.optional-dependencies.*",
    "build-system.requires",
    "tool.poetry.dependencies",
)
_ASKED = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(@\s*\S+|[^;#]*)", re.DOTALL)
_PLACE = re.compile(r"(?:git\+|https?://|file:|\.{0,2}/|[\w.-]+/)")
_PLACE_NAME = re.compile(r"[#&]egg=([\w.-]+)|(?<![\w.-])([\w.-]+?)(?:\.git)?(?:@[^/@#]+)?(?:[\[#;].*)?/?$")
_TAG = re.compile(r"\.git@([^#&]+)|@([^/@#&]+)(?:#.*)?$")
_VERSION = re.compile(r"v?\d[\w.]*$|[0-9a-f]{7,40}$")


def normal(name: str) -> str:
    """Return a distribution's normalized name, as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the distributions of a tree with their packages and modules."""
    code = [path for path in paths if path.endswith((".py", ".pyi"))]
    rows: list[Package] = []
    for folder in sorted({posixpath.dirname(path) for path in manifests if posixpath.basename(path) in _DECLARING}):
        project, config, program = (manifests.get(posixpath.join(folder, name), b"") for name in _DECLARING)
        top = toml(project)
        names = [text_of(at(top, key)) for key in _NAMES]
        names += [ini(config).get("metadata", "name", fallback=""), *_texts_in(_setup_call(program).get("name"))]
        name = next(filter(None, names), "")
        listed = [one for path in _MODULES for row in _values(top, path) for one in texts(row)]
        own = {name, *(one.rpartition("/")[2].partition(".")[0] for one in listed)}
        if name and (places := _places(folder, own, code)):
            rows.append(Package(LANGUAGE, normal(name), folder, places))
    return tuple(rows)


def _places(folder: str, names: Collection[str], code: Sequence[str]) -> tuple[str, ...]:
    """Return the files of a distribution.

    They are named like it or listed, with neighbors in a source folder; otherwise everything importable.
    """
    homes = [posixpath.join(folder, top) for top in _TOPS]
    every = {place: one for home in (*homes, folder) for place, one in _importable(code, home) if place not in homes}
    normalized = {re.sub(r"[-_.]+", "_", name).lower() for name in names}
    own = {
        place
        for place, one in every.items()
        if one.lower() in {*normalized, *(one.replace("_", "") for one in normalized)}
    }
    homes_of_own = {posixpath.dirname(place) for place in own} - {folder}
    own |= {place for place in every if posixpath.dirname(place) in homes_of_own}
    return tuple(sorted(own or every))


def _importable(code: Sequence[str], home: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of the packages and modules directly in a folder."""
    start = f"{home}/" if home else ""
    for path in code:
        first, deeper, _ = path[len(start) :].partition("/") if path.startswith(start) else ("", "", "")
        name = first if deeper else first.rpartition(".")[0]
        if name.isidentifier() and name.lower() not in _ASIDE and (deeper or not is_test(first)):
            yield start + first, name


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return the requirements in the manifests."""
    return tuple(
        row
        for path, source in sorted(manifests.items())
        for text in _asked(posixpath.basename(path), source)
        if (row := _requirement(text, path)) is not None
    )


def _asked(base: str, source: bytes, *, is_shipped: bool = False) -> Iterator[str]:
    """Yield each requirement as written, or in pip's format; with `is_shipped`, without those for developers."""
    if base == "setup.cfg":
        tables = ini(source)
        extras = tables["options.extras_require"] if tables.has_section("options.extras_require") else {}
        for row in (tables.get("options", "install_requires", fallback=""), *extras.values()):
            yield from re.split(r"[\n;]", row)
    elif base == "setup.py":
        call = _setup_call(source)
        listed = (one for key in ("install_requires", "extras_require") for one in _texts_in(call.get(key)))
        yield from (row for one in listed for row in one.split("\n"))
    elif base == "Pipfile":
        keys = ("packages",) if is_shipped else ("packages", "dev-packages")
        yield from (one for key in keys for one in _by_table(toml(source).get(key)))
    elif base == "pyproject.toml":
        top = toml(source)
        lists, by_name = ([one for one in every if one in _SHIPPED or not is_shipped] for every in (_LISTS, _TABLES))
        sources = {normal(key): table(value) for key, value in table(at(top, "tool.uv.sources")).items()}
        for written in (one for path in lists for row in _values(top, path) for one in strings(row)):
            name = re.match(r"[\w.-]*", written)
            place = sources.get(normal(name[0])) if name else None
            yield _sourced(name[0], place) if name and place else written
        yield from (one for path in by_name for row in _values(top, path) for one in _by_table(row))
    else:
        for row in re.sub(r"\\\r?\n", " ", source.decode("utf-8", "replace")).splitlines():
            editable = re.sub(r"^\s*(?:-e|--editable)[ =]\s*", "", row)
            yield re.sub(r"(?:^|\s)(?:#|--?[a-z]).*", "", editable)  # without comments and options


def _values(top: Mapping[str, object], path: str) -> list[object]:
    """Return the values at a dotted path of tables; `*` is any key, or any item of a list."""
    rows: list[object] = [top]
    for key in path.split("."):
        inner = [row if isinstance(row, list) else [*table(row).values()] for row in rows] if key == "*" else []
        rows = [one for row in inner for one in row] if key == "*" else [table(row).get(key) for row in rows]
    return rows


def _by_table(row: object) -> Iterator[str]:
    """Yield the requirements of a table whose keys are packages."""
    for name, value in table(row).items():
        for one in value if isinstance(value, list) else [value]:
            asked = one if isinstance(one, str) else table(one).get("version")
            yield f"{name} {asked}" if isinstance(asked, str) and asked != "*" else _sourced(name, table(one))


def _sourced(name: str, source: Mapping[str, object]) -> str:
    """Return a requirement from a table, in pip's format."""
    if source.get("workspace") or source.get("path"):
        return f"{name} @ file:{source.get('path') or '.'}"
    tag = source.get("tag") or source.get("rev") or source.get("branch")
    return f"{name} @ git+{source['git']}{f'@{tag}' if tag else ''}" if source.get("git") else name


def _setup_call(source: bytes) -> dict[str, ast.expr]:
    """Return the named arguments of the `setup` call."""
    found: dict[str, ast.expr] = {}
    with suppress(ValueError, RecursionError, SyntaxError, MemoryError):
        for call in ast.walk(ast.parse(manifest_text(source))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "setup":
                found |= {word.arg or "": word.value for word in call.keywords}
    return found


def _texts_in(value: ast.expr | None) -> list[str]:
    """Return the strings in an expression, including its lists and dictionaries."""
    if isinstance(value, ast.Constant):
        return texts(value.value)
    parts = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", ())
    return [text for part in parts for text in _texts_in(part)]


def _requirement(text: str, path: str) -> Requirement | None:
    """Return a requirement from its text; a bare location is assumed to have the package's name."""
    text = text.strip()
    if _PLACE.match(text):
        named = _PLACE_NAME.search(text.partition(" ")[0])
        text = f"{(named[1] or named[2]) if named else ''} @ {text}"
    asked = _ASKED.match(text)
    if asked is None:
        return None
    name, rest = normal(asked[1]), asked[2].strip()
    if rest and not re.search(r"[@\d*]", rest):
        return None
    place = rest.removeprefix("@").strip()
    if place == rest:
        return Requirement(LANGUAGE, name, "".join(rest.split()), path=path)
    if place.startswith("git+") or ".git" in place:
        tag = _TAG.search(place.removeprefix("git+").partition("://")[2] or place)
        written = (tag[1] or tag[2]) if tag else ""
        return Requirement(LANGUAGE, name, written, "git", path, fixed=bool(_VERSION.match(written)))
    origin: Origin = "registry" if place.startswith("http") else "path"
    return Requirement(LANGUAGE, name, place, origin, path)


def package_of(spec: str) -> str:
    """Return the package of an external module; "" for the standard library and modules of builds."""
    top = spec.partition(".")[0]
    return "" if not top or top.startswith("_") or top in sys.stdlib_module_names | _BUILT_IN else top
