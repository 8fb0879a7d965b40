"""Python packages: pyproject.toml, setup.cfg, setup.py, requirements files; the paths say what is importable."""

import ast
import configparser
import posixpath
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.lexical import manifest_text, unread
from bot.languages.python.distributions import DECLARING, distributions
from bot.languages.python.importable import PythonPaths, roots
from bot.languages.python.pip_lines import asked_lines, included_files, logical_lines
from bot.languages.python.setup_program import SPREAD, setup_arguments
from bot.languages.python.tables import ini, strings, table, texts, toml
from bot.text.lines import line_number, utf8
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "python"
MANIFESTS = (
    *DECLARING, "*requirements*.txt", "*requirements*.in", "requirements/*.txt", "requirements/*.in",
    "*requirements*.pip", "Pipfile", "pixi.toml", "*environment*.yml", "*environment*.yaml",
)  # fmt: skip
TABLES = ("Pipfile", "pixi.toml")
FILE = re.compile(r"file:\s*([^\n]+)")
LISTS = re.compile(r"^dependencies[ \t]*:", re.MULTILINE)
CONDA = re.compile(r"[ \t]*-[ \t]+['\"]?([^'\"#\n]+)")
ARCHIVES = (".whl", ".zip", ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz")
NUMBER = re.compile(r"v?\d")
LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
PRIVATE = re.compile(r"_(?!_)")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
ASKED = re.compile(
    r"\s*(?:(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*)?(?P<rest>@\s*\S+|[^;#]*)", re.DOTALL
)
URL_NAME = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)|/([A-Za-z0-9._-]+?)(?:\.git)?(?:@[^/@#]+)?(?:#.*)?$")
TAG = re.compile(r"\.git@([^#&]+)|@([^/@#&]+)(?:#.*)?$")
VERSIONED = re.compile(r"@|[(<>=!~^*\d]\s*[=(<>!~^*\d.]|[<>^*\d]")
VERSION = re.compile(r"(?<![\w.])v?\d+[\w.]{0,80}$|(?<!\w)[0-9a-f]{7,40}$")
LOCKED = r"(?im)^name\s*=\s*\"NAME\"\s*\nversion\s*=\s*\"([^\"\n]+)\""
PIPFILE = r"(?i)\"NAME\"\s*:\s*\{[^{}]*?\"version\"\s*:\s*\"={0,2}([^\"\n]+)\""
LONGEST = 1_000  # characters of a line of a list
HATCH = ("dependencies", "extra-dependencies")
PLACE = re.compile(
    r"(?:git|hg|svn|bzr)\+|https?://|file:|\.{0,2}/|\.{1,2}(?:$|[\[ ])|[\w.-]+/|[\w.-]+\.(?:whl|zip|tar\.\w+)$"
)


def normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The distributions of a tree, each with the packages and modules that it brings."""
    tree = PythonPaths(paths)
    rows = ((folder, one, roots(folder, one, tree)) for folder, one in distributions(manifests))
    return tuple(
        Package(LANGUAGE, normal(one.name), folder, places, one.version) for folder, one, places in rows if places
    )


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for, each once and as the strictest manifest has it."""
    return tuple(
        row
        for path, source in sorted(manifests.items())
        for text, line in _asked(posixpath.basename(path), source)
        if (row := _requirement(text, path, line)) is not None
    )


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files that cannot be parsed, and what a requirements file names that is not in the tree."""
    result: list[ManifestProblem] = []
    named = {folder for folder, _ in distributions(manifests)}
    result += [
        ManifestProblem(path, why, normal(one.name), is_name=True)
        for folder, one in distributions(manifests)
        if (why := one.rename_clause())
        for path in [posixpath.join(folder, base) for base in DECLARING if posixpath.join(folder, base) in manifests][
            -1:
        ]
    ]
    for path, source in sorted(manifests.items()):
        base, why = posixpath.basename(path), ""
        if base == "setup.py" and posixpath.dirname(path) not in named and SPREAD & setup_arguments(source).keys():
            result.append(ManifestProblem(path, "computes the name of its distribution", is_name=True))
        if base in (*DECLARING, *TABLES):
            why = unread(source) or ("" if _parses(base, source) else "cannot be parsed")
        elif b"\0" in source:
            why = "is no text"
        if why:
            result.append(ManifestProblem(path, why))
        elif base not in DECLARING:
            result += [
                ManifestProblem(path, "takes more from an address", is_form=True)
                for text, _ in logical_lines(source)
                if re.match(r"(?:-r|--requirement)[ =]*\w{1,20}://", text)
            ][:1]
    return tuple(result)


def included_paths(path: str, source: bytes) -> Sequence[str]:
    """The requirements files that a manifest names: with `-r`, or as what setuptools takes its dependencies from."""
    base, folder = posixpath.basename(path), posixpath.dirname(path)
    texts_told: list[str] = []
    if base == "pyproject.toml":
        tool = table(toml(source).get("tool"))
        dynamic = table(table(tool.get("setuptools")).get("dynamic"))
        rows = [dynamic.get("dependencies"), *table(dynamic.get("optional-dependencies")).values()]
        texts_told = [one for row in rows for one in texts(table(row).get("file"))]
        hooks = table(table(table(tool.get("hatch")).get("metadata")).get("hooks"))
        texts_told += texts(table(hooks.get("requirements_txt")).get("files"))
    elif base == "setup.cfg":
        texts_told = [
            one.strip() for row in _setup_cfg(source) for match in FILE.finditer(row) for one in match[1].split(",")
        ]
    elif base not in ("setup.py", *TABLES) and not _is_conda(base):
        return included_files(path, source)
    return [posixpath.normpath(posixpath.join(folder, one)) for one in texts_told if one]


def _parses(base: str, source: bytes) -> bool:
    try:
        if base in ("pyproject.toml", *TABLES):
            tomllib.loads(manifest_text(source))
        elif base == "setup.cfg":
            configparser.ConfigParser(interpolation=None, strict=False).read_string(manifest_text(source))
        else:
            ast.parse(manifest_text(source))
    except (ValueError, RecursionError, SyntaxError, MemoryError, configparser.Error):
        return False
    return True


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that a lock file names."""
    form = PIPFILE if path.endswith("Pipfile.lock") else LOCKED
    spelt = re.sub(r"[-_.]+", "[-_.]+", name)
    match = re.search(form.replace("NAME", spelt), source.decode("utf-8", "replace"))
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """Nothing ties two trees together but the names that are imported."""
    del packages, folders, aliases
    return {}


def _asked(base: str, source: bytes) -> Iterator[tuple[str, int]]:
    """Each requirement as it is written, with its line."""
    text = manifest_text(source)
    if base in ("pyproject.toml", *TABLES):
        forms = {"pyproject.toml": _listed, "Pipfile": _pipenv, "pixi.toml": _pixi}
        for written in forms[base](toml(source)):
            yield written, _line(text, written)
    elif base == "setup.cfg":
        for written in (one.strip() for row in _setup_cfg(source) for one in re.split(r"[\n;]", row)):
            if written and not written.startswith("file:"):
                yield written, _line(text, written)
    elif _is_conda(base):
        yield from _conda(source)
    elif base == "setup.py":
        words = setup_arguments(source)
        extras = words.get("extras_require")
        texts_told: list[object] = [
            *(words.get(key) for key in ("install_requires", "tests_require", "setup_requires")),
            *(extras.values() if isinstance(extras, dict) else ()),
        ]
        for written in (one for row in texts_told for one in texts(row) for one in one.split("\n")):
            yield written, _line(text, written)
    else:
        yield from asked_lines(source)


def _is_conda(base: str) -> bool:
    """Whether a manifest of that name is an environment of conda."""
    return base.endswith((".yml", ".yaml"))


def _conda(source: bytes) -> Iterator[tuple[str, int]]:
    """What an environment of conda lists, as pip would have it: `shop=1.2` is `shop==1.2`."""
    text = utf8(source).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines() if LISTS.search(text) else (), 1):
        match = CONDA.match(line[:LONGEST])
        if match and not match[1].strip().endswith(":"):
            yield re.sub(r"(?<![=<>!~])=(?!=)", "==", match[1].strip().rpartition("::")[2]), number


def _setup_cfg(source: bytes) -> list[str]:
    """The texts of setup.cfg that list requirements."""
    read = ini(source)
    rows = [read.get("options", key, fallback="") for key in ("install_requires", "tests_require", "setup_requires")]
    extras = "options.extras_require"
    return rows + ([value for _, value in read.items(extras)] if read.has_section(extras) else [])


def _pipenv(top: Mapping[str, object]) -> Iterator[str]:
    """What a Pipfile asks for, as pip would have it: every table but its own settings lists packages."""
    for key, row in top.items():
        if key not in ("source", "requires", "scripts", "pipenv"):
            yield from _by_table(row)


def _pixi(top: Mapping[str, object]) -> Iterator[str]:
    """What a workspace of Pixi asks for: of conda and of the index of Python, for itself, for a feature or for a platform."""
    parts = [top, *map(table, table(top.get("feature")).values())]
    parts += [table(one) for part in parts for one in table(part.get("target")).values()]
    yield from (
        one for part in parts for key in ("dependencies", "pypi-dependencies") for one in _by_table(part.get(key))
    )


def _by_table(row: object) -> Iterator[str]:
    """The requirements of a table whose keys are packages."""
    for name, value in table(row).items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield f"{name} {'' if one == '*' else one}"
            elif isinstance(one, dict):
                asked = one.get("version")
                yield f"{name} {asked}" if isinstance(asked, str) and asked != "*" else _sourced(name, one)


def _listed(top: Mapping[str, object]) -> Iterator[str]:
    project, tool = table(top.get("project")), table(top.get("tool"))
    sources = table(table(tool.get("uv")).get("sources"))
    groups = [project.get("dependencies"), *table(project.get("optional-dependencies")).values()]
    for written in (
        one for group in (*groups, *table(top.get("dependency-groups")).values()) for one in strings(group)
    ):
        match = NAME.match(written)
        source = next((table(value) for key, value in sources.items() if match and normal(key) == normal(match[0])), {})
        yield _sourced(match[0], source) if match and source else written
    flit = table(table(tool.get("flit")).get("metadata"))
    yield from strings(flit.get("requires"))
    yield from (one for row in table(flit.get("requires-extra")).values() for one in strings(row))
    poetry = table(tool.get("poetry"))
    rows = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    rows += [table(group).get("dependencies") for group in table(poetry.get("group")).values()]
    yield from (one for row in rows for one in _by_table(row))
    yield from _pixi(table(tool.get("pixi")))
    older = [table(tool.get(name)).get("dev-dependencies") for name in ("uv", "rye")]
    pdm = table(table(tool.get("pdm")).get("dev-dependencies")).values()
    hatch = [table(each).get(key) for each in table(table(tool.get("hatch")).get("envs")).values() for key in HATCH]
    yield from (
        one for row in (*older, *pdm, *hatch, table(top.get("build-system")).get("requires")) for one in strings(row)
    )


def _sourced(name: str, source: Mapping[str, object]) -> str:
    """A requirement that a table describes, as pip would have it."""
    if source.get("workspace") or source.get("path"):
        return f"{name} @ file:{source.get('path') or '.'}"
    if source.get("git"):
        at = source.get("tag") or source.get("rev") or source.get("branch") or ""
        return f"{name} @ git+{source['git']}@{at}" if at else f"{name} @ git+{source['git']}"
    return name


def _archive_name(place: str) -> str:
    """The name of the distribution that a wheel or an archive holds: what is before the version; "" of another file."""
    base = re.split(r"[#?]", place)[0].replace("\\", "/").rpartition("/")[2]
    parts = base.split("-")
    version = next((at for at, part in enumerate(parts) if at and NUMBER.match(part)), 0)
    return "-".join(parts[:version]) if base.endswith(ARCHIVES) else ""


def _requirement(text: str, path: str, line: int) -> Requirement | None:
    text = re.sub(r"^(-e|--editable)[ =]*", "", text.strip())
    if PLACE.match(text):
        match, archive = URL_NAME.search(text), _archive_name(text.partition(" ;")[0].strip())
        base = posixpath.basename(posixpath.normpath(text.partition(" ;")[0].partition("[")[0].strip().rstrip("/")))
        name = archive or ((match[1] or match[2]) if match and "://" in text else base)
        name, rest = name.strip(".") or ".", f"@ {text}"
    else:
        asked = ASKED.match(text)
        name, rest = (asked["name"] or "", asked["rest"]) if asked else ("", "")
    if not name:
        return None
    name, rest = normal(name.partition("[")[0]), rest.strip()
    if rest and not VERSIONED.match(rest):
        return None
    if not rest.startswith("@"):
        return Requirement(LANGUAGE, name, "".join(rest.split()), path=path, line=line)
    at = rest[1:].strip()
    source = at.partition(" ;")[0].strip()
    if at.startswith("git+") or ".git" in at:
        tag = TAG.search(at.removeprefix("git+").partition("://")[2] or at)
        texts_told = (tag[1] or tag[2]) if tag else ""
        return Requirement(
            LANGUAGE, name, texts_told, "git", path, line, fixed=bool(VERSION.match(texts_told)), source=source
        )
    is_folder = not at.startswith("http")
    return Requirement(LANGUAGE, name, at, "path" if is_folder else "registry", path, line, source=source)


def _line(text: str, entry: str) -> int:
    at = text.find(NAME.match(entry)[0] if NAME.match(entry) else entry)  # type: ignore[index]
    whole = text.find(entry)
    at = whole if whole >= 0 else at
    return line_number(text, at) if at >= 0 else 0
