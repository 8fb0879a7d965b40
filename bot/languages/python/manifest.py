"""Python packages: pyproject.toml, setup.cfg, setup.py, requirements files, Pipfile, tox.ini; the paths say what is importable.

A setup.py is data: the texts of its lists count, and what a program computes is not known.
"""

import ast
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from bot.languages.lexical import manifest_text
from bot.languages.python.pip_lines import INCLUDED, asked_lines, included_files
from bot.text.paths import is_test
from bot.text.tables import at, ini, line_of, strings, table, text_of, texts, toml
from bot.values.consumer import Origin, Package, Requirement

LANGUAGE = "python"
DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
MANIFESTS = (
    *DECLARING, "*requirements*.txt", "*requirements*.in", "*requirements*.pip", "Pipfile", "tox.ini",
)  # fmt: skip
_LOCKED = r"(?im)^name\s*=\s*\"NAME\"\s*\nversion\s*=\s*\"([^\"\n]+)\""
LOCKS = {
    **dict.fromkeys(("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"), _LOCKED),
    "Pipfile.lock": r"(?i)\"NAME\"\s*:\s*\{[^{}]*?\"version\"\s*:\s*\"={0,2}([^\"\n]+)\"",
}
PRIVATE = re.compile(r"_(?!_)")
_REQUIRING = ("install_requires", "tests_require", "setup_requires", "extras_require")
_TOPS = ("src", "lib", "python")  # folders in which a distribution's packages lie, beside its own
# What no project means to offer.
_ASIDE = frozenset({
    "setup", "conftest", "noxfile", "tasks", "manage", "doc", "docs", "test", "tests", "example", "examples", "build", "benchmark", "benchmarks",
})  # fmt: skip
# The tables of pyproject.toml that list requirements: as texts, or by the names of packages. A `*` is any key.
_LISTS = (
    "project.dependencies", "project.optional-dependencies.*", "dependency-groups.*", "build-system.requires", "tool.uv.dev-dependencies",
    "tool.pdm.dev-dependencies.*", "tool.hatch.envs.*.dependencies", "tool.flit.metadata.requires",
)  # fmt: skip
_TABLES = ("tool.poetry.dependencies", "tool.poetry.dev-dependencies", "tool.poetry.group.*.dependencies")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ASKED = re.compile(
    r"\s*(?:(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*)?(?P<rest>@\s*\S+|[^;#]*)", re.DOTALL
)
_PLACE = re.compile(
    r"(?:git|hg|svn|bzr)\+|https?://|file:|\.{0,2}/|\.{1,2}(?:$|[\[ ])|[\w.-]+/|[\w.-]+\.(?:whl|zip|tar\.\w+)$"
)
_URL_NAME = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)|/([A-Za-z0-9._-]+?)(?:\.git)?(?:@[^/@#]+)?(?:#.*)?$")
_ARCHIVE = re.compile(r"(?:^|[/\\])((?:[A-Za-z0-9._]|-(?!v?\d))++)-v?\d[^/\\]*\.(?:whl|zip|tgz|tar\.\w+)(?:[#?].*)?$")
_TAG = re.compile(r"\.git@([^#&]+)|@([^/@#&]+)(?:#.*)?$")
_VERSIONED = re.compile(r"@|[(<>=!~^*\d]\s*[=(<>!~^*\d.]|[<>^*\d]")
_VERSION = re.compile(r"(?<![\w.])v?\d+[\w.]{0,80}$|(?<!\w)[0-9a-f]{7,40}$")
_FACTOR = re.compile(r"[\w{},.!*-]{1,200}:[ \t]+")
_FILE = re.compile(r"file:\s*([^\n]+)")


def normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The distributions of a tree, each with the packages and modules that it brings."""
    code = [path for path in paths if path.endswith((".py", ".pyi"))]
    rows: list[Package] = []
    for folder in sorted({posixpath.dirname(path) for path in manifests if posixpath.basename(path) in DECLARING}):
        project, config, program = (manifests.get(posixpath.join(folder, name), b"") for name in DECLARING)
        top = toml(project)
        name = _name(top, config, program)
        if name and (places := _places(folder, {name, *_listed(top)}, code)):
            rows.append(Package(LANGUAGE, normal(name), folder, places))
    return tuple(rows)


def _name(top: Mapping[str, object], config: bytes, program: bytes) -> str:
    """The name of a folder's distribution, "" where no manifest writes it."""
    keys = ("project.name", "tool.poetry.name", "tool.flit.metadata.dist-name", "tool.flit.metadata.module")
    names = [text_of(at(top, key)) for key in keys]
    names += [ini(config).get("metadata", "name", fallback=""), *_texts_in(_setup_call(program).get("name"))]
    return next(filter(None, names), "")


def _listed(top: Mapping[str, object]) -> Iterator[str]:
    """The packages and modules that pyproject.toml lists, without the folders that they are in."""
    poetry = at(top, "tool.poetry.packages")
    rows = [at(row, "include") for row in poetry] if isinstance(poetry, list) else []
    wheel, setuptools = at(top, "tool.hatch.build.targets.wheel"), at(top, "tool.setuptools")
    rows += [at(wheel, "packages"), at(setuptools, "packages"), at(setuptools, "py-modules")]
    rows += [at(top, "tool.uv.build-backend.module-name"), at(top, "tool.flit.module.name")]
    for listed in (one for row in rows for one in texts(row)):
        yield listed.rpartition("/")[2].partition(".")[0]


def _places(folder: str, names: Collection[str], code: Sequence[str]) -> tuple[str, ...]:
    """What a distribution consists of: what is called like it or listed, with what is beside that in a folder for sources; else everything that could be imported."""
    homes = [posixpath.join(folder, top) for top in _TOPS]
    every = {place: one for home in (*homes, folder) for place, one in _importable(code, home) if place not in homes}
    spelt = {re.sub(r"[-_.]+", "_", name).lower() for name in names}
    own = {place for place, one in every.items() if one.lower() in {*spelt, *(one.replace("_", "") for one in spelt)}}
    homes_of_own = {posixpath.dirname(place) for place in own} - {folder}
    own |= {place for place in every if posixpath.dirname(place) in homes_of_own}
    return tuple(sorted(own or every))


def _importable(code: Sequence[str], home: str) -> Iterator[tuple[str, str]]:
    """The packages and modules directly in a folder: the path of each, and its name."""
    start = f"{home}/" if home else ""
    for path in code:
        first, deeper, _ = path[len(start) :].partition("/") if path.startswith(start) else ("", "", "")
        name = first if deeper else first.rpartition(".")[0]
        if name.isidentifier() and name.lower() not in _ASIDE and (deeper or not is_test(first)):
            yield start + first, name


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for."""
    return tuple(
        row
        for path, source in sorted(manifests.items())
        for text, line in _asked(path, source)
        if (row := _requirement(text, path, line)) is not None
    )


def included_paths(path: str, source: bytes) -> Sequence[str]:
    """The requirements files that a manifest names: with `-r`, or as what setuptools takes its dependencies from."""
    base, folder = posixpath.basename(path), posixpath.dirname(path)
    named: list[str] = []
    if base == "pyproject.toml":
        dynamic = at(toml(source), "tool.setuptools.dynamic")
        rows = [at(dynamic, "dependencies"), *table(at(dynamic, "optional-dependencies")).values()]
        named = [one for row in rows for one in texts(table(row).get("file"))]
    elif base == "setup.cfg":
        matches = (match for row in _setup_cfg(source) for match in _FILE.finditer(row))
        named = [one.strip() for match in matches for one in match[1].split(",")]
    elif base == "tox.ini":
        named = [match[1] for row in _tox(source) if (match := INCLUDED.match(row.replace("{toxinidir}/", "")))]
    elif base not in ("setup.py", "Pipfile"):
        return included_files(path, source)
    return [posixpath.normpath(posixpath.join(folder, one)) for one in named if one and not re.search("{|://", one)]


def _asked(path: str, source: bytes) -> Iterator[tuple[str, int]]:
    """Each requirement as it is written, with its line."""
    base = posixpath.basename(path)
    written: Iterable[str]
    if base == "setup.cfg":
        rows = (one.strip() for row in _setup_cfg(source) for one in re.split(r"[\n;]", row))
        written = [one for one in rows if one and not one.startswith("file:")]
    elif base == "tox.ini":
        written = _tox(source)
    elif base == "setup.py":
        call = _setup_call(source)
        written = [row for key in _REQUIRING for one in _texts_in(call.get(key)) for row in one.split("\n")]
    elif base == "Pipfile":
        own = ("source", "requires", "scripts", "pipenv")
        written = [one for key, row in toml(source).items() if key not in own for one in _by_table(row)]
    elif base == "pyproject.toml":
        written = _of_project(toml(source))
    else:
        yield from asked_lines(source)
        return
    for one in written:
        if match := _NAME.search(one):
            yield one, line_of(source, one) or line_of(source, match[0])


def _of_project(top: Mapping[str, object]) -> Iterator[str]:
    sources = {normal(key): table(value) for key, value in table(at(top, "tool.uv.sources")).items()}
    for written in (one for path in _LISTS for row in _values(top, path) for one in strings(row)):
        match = _NAME.match(written)
        source = sources.get(normal(match[0])) if match else None
        yield _sourced(match[0], source) if match and source else written
    yield from (one for path in _TABLES for row in _values(top, path) for one in _by_table(row))


def _values(top: Mapping[str, object], path: str) -> list[object]:
    """The values at a dotted path of tables, in which `*` is any key."""
    rows: list[object] = [top]
    for key in path.split("."):
        rows = [one for row in rows for one in (table(row).values() if key == "*" else [table(row).get(key)])]
    return rows


def _by_table(row: object) -> Iterator[str]:
    """The requirements of a table whose keys are packages."""
    for name, value in table(row).items():
        for one in value if isinstance(value, list) else [value]:
            asked = one if isinstance(one, str) else table(one).get("version")
            yield f"{name} {asked}" if isinstance(asked, str) and asked != "*" else _sourced(name, table(one))


def _sourced(name: str, source: Mapping[str, object]) -> str:
    """A requirement that a table describes, as pip would have it."""
    if source.get("workspace") or source.get("path"):
        return f"{name} @ file:{source.get('path') or '.'}"
    tag = source.get("tag") or source.get("rev") or source.get("branch")
    return f"{name} @ git+{source['git']}{f'@{tag}' if tag else ''}" if source.get("git") else name


def _setup_call(source: bytes) -> dict[str, ast.expr]:
    """What the call of `setup` is given, by its names."""
    found: dict[str, ast.expr] = {}
    with suppress(ValueError, RecursionError, SyntaxError, MemoryError):
        for call in ast.walk(ast.parse(manifest_text(source))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "setup":
                found |= {word.arg or "": word.value for word in call.keywords}
    return found


def _texts_in(value: ast.expr | None) -> list[str]:
    """The text that an expression is, or those of its lists and of what its tables hold."""
    if isinstance(value, ast.Constant):
        return texts(value.value)
    parts = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", ())
    return [text for part in parts for text in _texts_in(part)]


def _tox(source: bytes) -> list[str]:
    """What the environments of tox install, without what a line says of when."""
    tables = ini(source)
    rows = [row.strip() for one in tables.sections() for row in tables.get(one, "deps", fallback="").splitlines()]
    return [row for row in (_FACTOR.sub("", row) for row in rows) if row and not row.startswith(("{", "-c"))]


def _setup_cfg(source: bytes) -> list[str]:
    """The texts of setup.cfg that list requirements."""
    tables, extras = ini(source), "options.extras_require"
    rows = [tables.get("options", key, fallback="") for key in _REQUIRING]
    return rows + ([value for _, value in tables.items(extras)] if tables.has_section(extras) else [])


def _requirement(text: str, path: str, line: int) -> Requirement | None:
    text = re.sub(r"^(-e|--editable)[ =]*", "", text.strip())
    if _PLACE.match(text):
        place = text.partition(" ;")[0].strip()
        url, archive = _URL_NAME.search(text) if "://" in text else None, _ARCHIVE.search(place)
        base = posixpath.basename(posixpath.normpath(place.partition("[")[0].strip().rstrip("/")))
        name = archive[1] if archive else (url[1] or url[2]) if url else base
        name, rest = name.strip(".") or ".", f"@ {text}"
    else:
        asked = _ASKED.match(text)
        name, rest = (asked["name"] or "", asked["rest"]) if asked else ("", "")
    name, rest = normal(name.partition("[")[0]), rest.strip()
    if not name or (rest and not _VERSIONED.match(rest)):
        return None
    if not rest.startswith("@"):
        return Requirement(LANGUAGE, name, "".join(rest.split()), path=path, line=line)
    place = rest[1:].strip()
    source = place.partition(" ;")[0].strip()
    if place.startswith("git+") or ".git" in place:
        tag = _TAG.search(place.removeprefix("git+").partition("://")[2] or place)
        asked_tag = (tag[1] or tag[2]) if tag else ""
        is_fixed = bool(_VERSION.match(asked_tag))
        return Requirement(LANGUAGE, name, asked_tag, "git", path, line, fixed=is_fixed, source=source)
    origin: Origin = "registry" if place.startswith("http") else "path"
    return Requirement(LANGUAGE, name, place, origin, path, line, source=source)
