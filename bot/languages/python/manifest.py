"""Python packages: pyproject.toml, setup.cfg, setup.py, requirements files; the paths say what is importable."""

import ast
import configparser
import posixpath
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice

from bot.languages.lexical import manifest_text, unread
from bot.languages.python import conda_lists, script_blocks
from bot.languages.python.distributions import DECLARING, distributions
from bot.languages.python.importable import PythonPaths, roots
from bot.languages.python.pip_lines import INCLUDED, asked_lines, included_files, logical_lines
from bot.languages.python.setup_program import SPREAD, is_known, literals, setup_arguments
from bot.languages.python.tables import ini, strings, table, texts, toml
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "python"
# Files that are called like lists of requirements; what they hold decides.
NAMES = tuple(f"{start}{word}*" for word in ("req", "dep", "pip") for start in ("", "*[-_.]"))
FOLDERS = ("reqs/*", "requires/*", "deps/*", "dependencies/*", "pip/*")
LIKELY = tuple(f"{name}{suffix}" for name in (*NAMES, *FOLDERS) for suffix in (".txt", ".in"))
ENVIRONMENTS = (".yml", ".yaml")  # of conda
MANIFESTS = (
    *DECLARING, "*requirements*.txt", "*requirements*.in", "*requirements*.pip", *LIKELY, "Pipfile", "pixi.toml", "pylock.toml", "pylock.*.toml",
    "tox.ini", *(f"{start}{end}" for start in ("*environment*", "env*", "*[-_.]env*", "*conda*") for end in ENVIRONMENTS),
)  # fmt: skip
MARKED = ((script_blocks.BEGIN,), ("*.py",))  # scripts that say what they need
REQUIRING = ("install_requires", "tests_require", "setup_requires")
FILE = re.compile(r"file:\s*([^\n]+)")
# A name at the beginning of a text that a program may make a requirement of.
COMPUTED = re.compile(r"(?=[A-Za-z0-9*])[A-Za-z0-9._*-]{2,100}(?![\w/:.*-])")
MOST_LITERALS = 2_000
FACTOR = re.compile(r"[\w{},.!*-]{1,200}:[ \t]+")
ARCHIVES = (".whl", ".zip", ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz")
NUMBER = re.compile(r"v?\d")
LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")
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
        for text, line in _asked(path, source)
        if (row := _requirement(text, path, line)) is not None
    )


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files that cannot be parsed, and what a requirements file names that is not in the tree."""
    result: list[ManifestProblem] = []
    own = dict(distributions(manifests))
    for folder, one in own.items():
        if why := one.rename_clause():
            files = [path for base in DECLARING if (path := posixpath.join(folder, base)) in manifests]
            result.append(ManifestProblem(files[-1], why, normal(one.name), is_name=True))
    for path, source in sorted(manifests.items()):
        base, why = posixpath.basename(path), ""
        has_table = _table_reader(base) is not None
        if base in (*DECLARING, "tox.ini") or has_table:
            why = unread(_table_text(base, source)) or ("" if _parses(base, source) else "cannot be parsed")
        elif b"\0" in source:
            why = "is no text"
        if why:
            result.append(ManifestProblem(path, why))
        elif base == "setup.py":
            result += _computed(path, source, has_name=posixpath.dirname(path) in own)
        elif base not in (*DECLARING, "tox.ini") and not has_table and _takes_from_address(source):
            result.append(ManifestProblem(path, "takes more from an address", is_form=True))
    return tuple(result)


def _takes_from_address(source: bytes) -> bool:
    return any(re.match(r"(?:-r|--requirement)[ =]*\w{1,20}://", text) for text, _ in logical_lines(source))


def _computed(path: str, source: bytes, *, has_name: bool) -> Iterator[ManifestProblem]:
    """What a setup.py computes: its own name, and what it asks for. That is one of those which it names, or of a list that it reads."""
    words = setup_arguments(source)
    if not has_name and SPREAD & words.keys():
        yield ManifestProblem(path, "computes the name of its distribution", is_name=True)
    if "" not in words and all(is_known(words[key]) for key in (*REQUIRING, "extras_require") if key in words):
        return
    known = {row.name for text in _setup_entries(source) if (row := _requirement(text, path, 0))}
    text_literals = list(islice(literals(source), MOST_LITERALS))
    lists = [text for text in text_literals if text.endswith((".txt", ".in"))]
    names = {
        normal(match[0])
        for text in text_literals
        if text not in lists
        for row in text.split("\n")
        if (match := COMPUTED.match(row.strip()))
    }
    for name in sorted(one for one in names - known if re.search(r"\w", one)):
        yield ManifestProblem(path, f"computes what it asks for, and names {name}", name, is_form=True)
    is_spread = "" in words and (b"requires" in source or not has_name)
    is_blind = is_spread or any(not texts(words[key]) for key in REQUIRING if not is_known(words.get(key, [])))
    if is_blind and not lists:
        yield ManifestProblem(path, "computes what it asks for", is_form=True)


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
    elif base == "tox.ini":
        texts_told = [match[1] for row in _tox(source) if (match := INCLUDED.match(row.replace("{toxinidir}/", "")))]
        texts_told = [one for one in texts_told if "{" not in one and "://" not in one]
    elif base != "setup.py" and not _table_reader(base) and not base.endswith(ENVIRONMENTS):
        return included_files(path, source)
    return [posixpath.normpath(posixpath.join(folder, one)) for one in texts_told if one]


def _parses(base: str, source: bytes) -> bool:
    try:
        if _table_reader(base):
            tomllib.loads(manifest_text(_table_text(base, source)))
        elif base in ("setup.cfg", "tox.ini"):
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


def _asked(path: str, source: bytes) -> Iterator[tuple[str, int]]:
    """Each requirement as it is written, with its line."""
    base, text = posixpath.basename(path), manifest_text(source)
    readers = {"setup.cfg": _setup_cfg_entries, "tox.ini": _tox, "setup.py": _setup_entries}
    written = readers[base](source) if base in readers else None
    if written is None and (table_reader := _table_reader(base)):
        written = table_reader(toml(_table_text(base, source)))
    if written is not None:
        yield from ((one, _line(text, one)) for one in written)
    elif base.endswith(ENVIRONMENTS):
        yield from conda_lists.asked_entries(source)
    elif not _is_guess(path) or _is_list(source):
        yield from asked_lines(source)


def _table_reader(base: str) -> Callable[[Mapping[str, object]], Iterator[str]] | None:
    """What reads the table that a manifest of that name holds, None if it holds none."""
    if base.startswith("pylock.") and base.endswith(".toml"):
        return _locked
    forms = {"pyproject.toml": _listed, "Pipfile": _pipenv, "pixi.toml": _pixi}
    return _scripted if base.endswith(".py") and base != "setup.py" else forms.get(base)


def _table_text(base: str, source: bytes) -> bytes:
    return script_blocks.block(source) if base.endswith(".py") else source


def _is_guess(path: str) -> bool:
    """Whether a file may list requirements by its name, and what it holds has to tell."""
    return any(fnmatchcase(f"/{path}", f"*/{name}") for name in LIKELY) and "requirements" not in path


def _is_list(source: bytes) -> bool:
    """Whether more lines of a text ask for something, or are options of pip, than not."""
    rows = [text.partition(" ;")[0].partition(" --")[0] for text, _ in logical_lines(source) if text]
    fits = [
        row.startswith("-") or (_requirement(row, "", 0) is not None and not (PLACE.match(row) and " " in row))
        for row in rows
    ]
    return sum(fits) * 2 > len(fits)


def _locked(top: Mapping[str, object]) -> Iterator[str]:
    """What a lock file of PEP 751 installs."""
    rows = top.get("packages")
    for row in map(table, rows if isinstance(rows, list) else ()):
        if isinstance(name := row.get("name"), str):
            yield f"{name}=={row['version']}" if isinstance(row.get("version"), str) else name


def _scripted(top: Mapping[str, object]) -> Iterator[str]:
    """What the block of a script asks for."""
    yield from strings(top.get("dependencies"))


def _setup_entries(source: bytes) -> Iterator[str]:
    words = setup_arguments(source)
    rows = [words.get(key) for key in REQUIRING]
    rows += list(table(words.get("extras_require")).values())
    yield from (one for row in rows for listed in texts(row) for one in listed.split("\n"))


def _setup_cfg_entries(source: bytes) -> Iterator[str]:
    rows = (one.strip() for row in _setup_cfg(source) for one in re.split(r"[\n;]", row))
    yield from (one for one in rows if one and not one.startswith("file:"))


def _tox(source: bytes) -> Iterator[str]:
    """What the environments of tox install, without what a line says of when."""
    tables = ini(source)
    for section in tables.sections():
        rows = (FACTOR.sub("", row.strip()) for row in tables.get(section, "deps", fallback="").splitlines())
        yield from (row for row in rows if row and not row.startswith(("{", "-c")))


def _setup_cfg(source: bytes) -> list[str]:
    """The texts of setup.cfg that list requirements."""
    tables = ini(source)
    rows = [tables.get("options", key, fallback="") for key in ("install_requires", "tests_require", "setup_requires")]
    extras = "options.extras_require"
    return rows + ([value for _, value in tables.items(extras)] if tables.has_section(extras) else [])


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
