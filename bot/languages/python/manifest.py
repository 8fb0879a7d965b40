"""Python packages: pyproject.toml, setup.cfg, setup.py, requirements files, Pipfile, pixi.toml, tox.ini; the paths say what is importable.

A setup.py is data: the texts of its lists count, and what a program computes is not known.
"""

import ast
import configparser
import posixpath
import re
import tomllib
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase

from bot.languages.lexical import manifest_text, unread
from bot.languages.python.pip_lines import INCLUDED, asked_lines, included_files, logical_lines
from bot.languages.python.tables import ini, strings, table, texts, toml
from bot.text.lines import line_number
from bot.text.paths import is_test
from bot.values.consumer import ManifestProblem, Origin, Package, Requirement

LANGUAGE = "python"
DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
TABLES = ("pyproject.toml", "Pipfile", "pixi.toml")
MANIFESTS = (
    *DECLARING,
    "*requirements*.txt",
    "*requirements*.in",
    "*requirements*.pip",
    "Pipfile",
    "pixi.toml",
    "tox.ini",
)
LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")
REQUIRING = ("install_requires", "tests_require", "setup_requires")
PRIVATE = re.compile(r"_(?!_)")
TOPS = ("src", "lib", "python")  # folders in which a distribution's packages lie, beside its own
SUFFIXES = (".py", ".pyi")
FINDS = re.compile(r"find(?:_namespace)?:")  # in place of a list
FINDING = ("where", "include", "exclude")
PATTERN = re.compile(r"[*?\[]")
# What no project means to offer where nothing says which packages it has.
ASIDE = frozenset({
    "setup", "conftest", "noxfile", "tasks", "manage", "doc", "docs", "test", "tests", "example", "examples", "build", "benchmark", "benchmarks",
})  # fmt: skip
# The tables of pyproject.toml that list requirements: as texts, or by the names of packages. A `*` is any key.
LISTS = (
    "project.dependencies", "project.optional-dependencies.*", "dependency-groups.*", "build-system.requires", "tool.uv.dev-dependencies",
    "tool.rye.dev-dependencies", "tool.pdm.dev-dependencies.*", "tool.hatch.envs.*.dependencies", "tool.hatch.envs.*.extra-dependencies",
    "tool.flit.metadata.requires",
)  # fmt: skip
POETRY = ("tool.poetry.dependencies", "tool.poetry.dev-dependencies", "tool.poetry.group.*.dependencies")
PIXI = tuple(
    f"{start}{key}"
    for start in ("", "feature.*.", "target.*.", "feature.*.target.*.")
    for key in ("dependencies", "pypi-dependencies")
)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
ASKED = re.compile(
    r"\s*(?:(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*)?(?P<rest>@\s*\S+|[^;#]*)", re.DOTALL
)
PLACE = re.compile(
    r"(?:git|hg|svn|bzr)\+|https?://|file:|\.{0,2}/|\.{1,2}(?:$|[\[ ])|[\w.-]+/|[\w.-]+\.(?:whl|zip|tar\.\w+)$"
)
URL_NAME = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)|/([A-Za-z0-9._-]+?)(?:\.git)?(?:@[^/@#]+)?(?:#.*)?$")
ARCHIVES = (".whl", ".zip", ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz")
NUMBER = re.compile(r"v?\d")
TAG = re.compile(r"\.git@([^#&]+)|@([^/@#&]+)(?:#.*)?$")
VERSIONED = re.compile(r"@|[(<>=!~^*\d]\s*[=(<>!~^*\d.]|[<>^*\d]")
VERSION = re.compile(r"(?<![\w.])v?\d+[\w.]{0,80}$|(?<!\w)[0-9a-f]{7,40}$")
FACTOR = re.compile(r"[\w{},.!*-]{1,200}:[ \t]+")
FILE = re.compile(r"file:\s*([^\n]+)")
LOCKED = r"(?im)^name\s*=\s*\"NAME\"\s*\nversion\s*=\s*\"([^\"\n]+)\""
PIPFILE = r"(?i)\"NAME\"\s*:\s*\{[^{}]*?\"version\"\s*:\s*\"={0,2}([^\"\n]+)\""


def normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The distributions of a tree, each with the packages and modules that it brings."""
    code = sorted(path for path in paths if path.endswith(SUFFIXES))
    rows: list[Package] = []
    for folder in sorted({posixpath.dirname(path) for path in manifests if posixpath.basename(path) in DECLARING}):
        name, version = _identity(folder, manifests)
        if name and (places := _places(folder, name, manifests, _below(folder, code))):
            rows.append(Package(LANGUAGE, normal(name), folder, places, version))
    return tuple(rows)


def _below(folder: str, code: Sequence[str]) -> Sequence[str]:
    """The files below a folder; "0" is what comes after "/"."""
    return code[bisect_left(code, f"{folder}/") : bisect_left(code, f"{folder}0")] if folder else code


def _identity(folder: str, manifests: Mapping[str, bytes]) -> tuple[str, str]:
    """The name and the version of a folder's distribution, "" where no manifest writes them."""
    top = toml(manifests.get(posixpath.join(folder, "pyproject.toml"), b""))
    config = ini(manifests.get(posixpath.join(folder, "setup.cfg"), b""))
    program = _setup_call(manifests.get(posixpath.join(folder, "setup.py"), b""))
    own = table(top.get("project")) or table(table(top.get("tool")).get("poetry"))
    flit = table(table(table(top.get("tool")).get("flit")).get("metadata"))
    found: list[str] = []
    for key, last in (("name", flit.get("dist-name") or flit.get("module")), ("version", None)):
        written = (own.get(key), config.get("metadata", key, fallback=""), *_literal(program.get(key))[0], last)
        found.append(next((one for one in written if isinstance(one, str) and one), ""))
    return found[0], found[1]


def _places(folder: str, name: str, manifests: Mapping[str, bytes], code: Sequence[str]) -> tuple[str, ...]:
    """What a distribution consists of: what its manifests list, else the package that is called like it, else everything that could be imported."""
    top = toml(manifests.get(posixpath.join(folder, "pyproject.toml"), b""))
    config = ini(manifests.get(posixpath.join(folder, "setup.cfg"), b""))
    program = _setup_call(manifests.get(posixpath.join(folder, "setup.py"), b""))
    own_places, finder = _package_dir(top, config, program), _finder(top, config, program)
    tops = ["", own_places.get("", ""), *TOPS]
    named = [one for key in ("packages", "py_modules") for one in _config_list(config, "options", key)]
    named += [one for key in ("packages", "py_modules") for one in _literal(program.get(key))[0]]
    dotted = [one for one in named if not FINDS.match(one)] + _dotted(top)
    listed = [*_listed(top), *(own_places.get(one) or one.replace(".", "/") for one in (*dotted, *own_places) if one)]
    found = {
        place
        for one in dict.fromkeys(listed)
        for home in dict.fromkeys(tops)
        for place in _matching(code, _normal(posixpath.join(folder, home)), one)
    }
    if finder is not None:
        homes = [_normal(posixpath.join(folder, home)) for home in finder.where or tops]
        found |= {place for place, one in dict(_importable(code, homes)).items() if finder.finds(one, place, code)}
    if found:
        return tuple(sorted(place for place in found if not any(place.startswith(f"{one}/") for one in found)))
    every = dict(_importable(code, [_normal(posixpath.join(folder, home)) for home in tops]))
    spelt = re.sub(r"[-_.]+", "_", name).lower()
    own = {place for place, one in every.items() if one.lower() in (spelt, spelt.replace("_", ""))}
    homes_of_own = {posixpath.dirname(place) for place in own} - {folder}
    own |= {place for place in every if posixpath.dirname(place) in homes_of_own}
    return tuple(sorted(every if listed else own or every))


def _listed(top: Mapping[str, object]) -> list[str]:
    """The paths and patterns that pyproject.toml lists."""
    tool = table(top.get("tool"))
    rows = table(tool.get("poetry")).get("packages")
    found = [
        posixpath.join(str(row.get("from") or ""), str(row["include"]))
        for row in map(table, rows if isinstance(rows, list) else ())
        if isinstance(row.get("include"), str)
    ]
    build = table(table(tool.get("hatch")).get("build"))
    for hatch in (build, table(table(build.get("targets")).get("wheel"))):
        found += [one for key in ("packages", "only-include", "include") for one in texts(hatch.get(key))]
    uv = table(table(tool.get("uv")).get("build-backend"))
    root = uv.get("module-root")
    for one in texts(uv.get("module-name")):
        found.append(posixpath.join(root if isinstance(root, str) else "src", one.replace(".", "/")))
    return found


def _dotted(top: Mapping[str, object]) -> list[str]:
    """The packages and modules that pyproject.toml lists by their names."""
    tool = table(top.get("tool"))
    setuptools, flit = table(tool.get("setuptools")), table(tool.get("flit")).get("module")
    found = [*texts(setuptools.get("packages")), *texts(setuptools.get("py-modules"))]
    return found + texts(flit) + texts(table(flit).get("name"))


def _package_dir(
    top: Mapping[str, object], config: configparser.ConfigParser, program: Mapping[str, ast.expr]
) -> Mapping[str, str]:
    """Where setuptools looks for packages, by their names; "" is the folder of all."""
    places = [table(table(table(top.get("tool")).get("setuptools")).get("package-dir"))]
    rows = (row.partition("=") for row in _config_list(config, "options", "package_dir"))
    places.append({key.strip(): value.strip() for key, _, value in rows})
    with suppress(ValueError, TypeError, RecursionError, MemoryError):
        places.append(table(ast.literal_eval(program["package_dir"]) if "package_dir" in program else None))
    return {key: value for one in places for key, value in one.items() if isinstance(value, str)}


@dataclass(frozen=True, slots=True)
class _Finder:
    """How setuptools finds packages: in which folders, of which names; `is_regular`: those with an `__init__.py` alone."""

    where: Sequence[str] = ()
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    is_regular: bool = False

    def finds(self, name: str, place: str, code: Sequence[str]) -> bool:
        """Whether it takes the folder of a package."""
        is_taken = any(fnmatchcase(name, one.partition(".")[0]) for one in self.include or ["*"])
        is_left_out = place.endswith(SUFFIXES) or any(fnmatchcase(name, one) for one in self.exclude)
        return is_taken and not is_left_out and (not self.is_regular or _has(code, f"{place}/__init__.py"))


def _finder(
    top: Mapping[str, object], config: configparser.ConfigParser, program: Mapping[str, ast.expr]
) -> _Finder | None:
    """What looks for the packages; one that finds all stands for a list that a program computes."""
    declared = table(table(table(top.get("tool")).get("setuptools")).get("packages"))
    if "find" in declared:
        find = table(declared["find"])
        return _Finder(texts(find.get("where")), texts(find.get("include")), texts(find.get("exclude")))
    if match := FINDS.match(config.get("options", "packages", fallback="").strip()):
        where, include, exclude = (_config_list(config, "options.packages.find", key) for key in FINDING)
        return _Finder(where, include, exclude, match[0] == "find:")
    packages = program.get("packages")
    if packages is None or _literal(packages)[1]:
        return None
    for call in ast.walk(packages):
        name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name in ("find_packages", "find_namespace_packages"):
            words = {word.arg: word.value for word in call.keywords}
            first = call.args[0] if call.args else words.get("where")
            given = [_literal(one) for one in (first, words.get("include"), words.get("exclude"))]
            where, include, exclude = (found if done else [] for found, done in given)
            return _Finder(where, include, exclude, name == "find_packages")
    return _Finder()


def _config_list(config: configparser.ConfigParser, section: str, key: str) -> list[str]:
    return [one for row in re.split(r"[\n,]", config.get(section, key, fallback="")) if (one := row.strip())]


def _matching(code: Sequence[str], home: str, listed: str) -> Iterator[str]:
    """The places below a folder that a path or a pattern lists."""
    steps = listed.removesuffix("/*").removesuffix(".py").strip("/").split("/")
    steps = steps[: steps.index("**")] if "**" in steps else steps
    stem = _normal(posixpath.join(home, *steps))
    if not PATTERN.search(stem):
        yield from (stem + end for end in ("", *SUFFIXES) if stem and _has(code, stem + end))
        return
    wanted = listed.strip("/").split("/")[: len(steps)]
    for path in _below(home, code):
        parts = path[len(home) + 1 if home else 0 :].split("/")[: len(wanted)]
        if len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted)):
            yield posixpath.join(home, *parts)


def _importable(code: Sequence[str], homes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The packages and modules directly in some folders: the path of each, and its name."""
    tops = set(homes)
    for path in code:
        for home in tops:
            if home and not path.startswith(f"{home}/"):
                continue
            first, deeper, _ = path[len(home) + 1 if home else 0 :].partition("/")
            name = first if deeper else first.rpartition(".")[0]
            place = posixpath.join(home, first)
            if (
                name.isidentifier()
                and name.lower() not in ASIDE
                and place not in tops
                and (deeper or not is_test(first))
            ):
                yield place, name


def _has(code: Sequence[str], place: str) -> bool:
    return any(path == place or path.startswith(f"{place}/") for path in code)


def _normal(path: str) -> str:
    result = posixpath.normpath(path)
    return "" if result == "." else result


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
    for path, source in sorted(manifests.items()):
        base, why = posixpath.basename(path), ""
        if base in (*DECLARING, *TABLES, "tox.ini"):
            why = unread(source) or ("" if _parses(base, source) else "cannot be parsed")
        elif b"\0" in source:
            why = "is no text"
        if why:
            result.append(ManifestProblem(path, why))
        elif base == "setup.py":
            if not _identity(posixpath.dirname(path), manifests)[0]:
                result.append(ManifestProblem(path, "computes the name of its distribution", is_name=True))
            call = _setup_call(source)
            if not all(_literal(call.get(key))[1] for key in ("", *REQUIRING, "extras_require")):
                result.append(ManifestProblem(path, "computes what it asks for", is_form=True))
        elif base not in (*DECLARING, *TABLES, "tox.ini") and _takes_from_address(source):
            result.append(ManifestProblem(path, "takes more from an address", is_form=True))
    return tuple(result)


def _takes_from_address(source: bytes) -> bool:
    return any(re.match(r"(?:-r|--requirement)[ =]*\w{1,20}://", text) for text, _ in logical_lines(source))


def _parses(base: str, source: bytes) -> bool:
    try:
        if base in TABLES:
            tomllib.loads(manifest_text(source))
        elif base == "setup.py":
            ast.parse(manifest_text(source))
        else:
            configparser.ConfigParser(interpolation=None, strict=False).read_string(manifest_text(source))
    except (ValueError, RecursionError, SyntaxError, MemoryError, configparser.Error):
        return False
    return True


def included_paths(path: str, source: bytes) -> Sequence[str]:
    """The requirements files that a manifest names: with `-r`, or as what setuptools takes its dependencies from."""
    base, folder = posixpath.basename(path), posixpath.dirname(path)
    named: list[str] = []
    if base == "pyproject.toml":
        dynamic = table(table(table(toml(source).get("tool")).get("setuptools")).get("dynamic"))
        rows = [dynamic.get("dependencies"), *table(dynamic.get("optional-dependencies")).values()]
        named = [one for row in rows for one in texts(table(row).get("file"))]
    elif base == "setup.cfg":
        named = [
            one.strip() for row in _setup_cfg(source) for match in FILE.finditer(row) for one in match[1].split(",")
        ]
    elif base == "tox.ini":
        named = [match[1] for row in _tox(source) if (match := INCLUDED.match(row.replace("{toxinidir}/", "")))]
        named = [one for one in named if "{" not in one and "://" not in one]
    elif base not in ("setup.py", *TABLES):
        return included_files(path, source)
    return [posixpath.normpath(posixpath.join(folder, one)) for one in named if one]


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
    written: Iterable[str]
    if base == "setup.cfg":
        rows = (one.strip() for row in _setup_cfg(source) for one in re.split(r"[\n;]", row))
        written = [one for one in rows if one and not one.startswith("file:")]
    elif base == "tox.ini":
        written = _tox(source)
    elif base == "setup.py":
        call = _setup_call(source)
        keys = (*REQUIRING, "extras_require")
        written = [row for key in keys for one in _literal(call.get(key))[0] for row in one.split("\n")]
    elif base in TABLES:
        written = _of_tables(base, toml(source))
    else:
        yield from asked_lines(source)
        return
    yield from ((one, _line(text, one)) for one in written if one.strip())


def _of_tables(base: str, top: Mapping[str, object]) -> Iterator[str]:
    if base == "Pipfile":
        own = ("source", "requires", "scripts", "pipenv")
        yield from (one for key, row in top.items() if key not in own for one in _by_table(row))
        return
    if base == "pixi.toml":
        yield from (one for path in PIXI for row in _values(top, path) for one in _by_table(row))
        return
    sources = {
        normal(key): table(value) for row in _values(top, "tool.uv.sources") for key, value in table(row).items()
    }
    for written in (one for path in LISTS for row in _values(top, path) for one in strings(row)):
        match = NAME.match(written)
        source = sources.get(normal(match[0])) if match else None
        yield _sourced(match[0], source) if match and source else written
    places = (*POETRY, *(f"tool.pixi.{path}" for path in PIXI))
    yield from (one for path in places for row in _values(top, path) for one in _by_table(row))


def _values(top: Mapping[str, object], path: str) -> list[object]:
    """The values at a dotted path of tables."""
    rows: list[object] = [top]
    for key in path.split("."):
        rows = [one for row in rows for one in (table(row).values() if key == "*" else [table(row).get(key)])]
    return [row for row in rows if row is not None]


def _by_table(row: object) -> Iterator[str]:
    """The requirements of a table whose keys are packages."""
    for name, value in table(row).items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield f"{name} {'' if one == '*' else one}"
            elif isinstance(one, dict):
                asked = one.get("version")
                yield f"{name} {asked}" if isinstance(asked, str) and asked != "*" else _sourced(name, one)


def _sourced(name: str, source: Mapping[str, object]) -> str:
    """A requirement that a table describes, as pip would have it."""
    if source.get("workspace") or source.get("path"):
        return f"{name} @ file:{source.get('path') or '.'}"
    if source.get("git"):
        at = source.get("tag") or source.get("rev") or source.get("branch") or ""
        return f"{name} @ git+{source['git']}@{at}" if at else f"{name} @ git+{source['git']}"
    return name


def _setup_call(source: bytes) -> dict[str, ast.expr]:
    """What the call of `setup` is given, by its names; "" where more is given than is written out."""
    found: dict[str, ast.expr] = {}
    with suppress(ValueError, RecursionError, SyntaxError, MemoryError):
        for call in ast.walk(ast.parse(manifest_text(source))):
            function = call.func if isinstance(call, ast.Call) else None
            name = getattr(function, "attr", getattr(function, "id", ""))
            for word in call.keywords if isinstance(call, ast.Call) and name == "setup" else ():
                found[word.arg or ""] = word.value
    return found


def _literal(value: ast.expr | None) -> tuple[list[str], bool]:
    """The texts of a value, of its lists and of what its tables hold; and whether that is all of it."""
    if value is None or isinstance(value, ast.Constant):
        text = value.value if value is not None else None
        return ([text] if isinstance(text, str) else []), True
    parts: Sequence[ast.expr] = ()
    is_plain = True
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        parts = value.elts
    elif isinstance(value, ast.Dict):
        parts, is_plain = value.values, None not in value.keys
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        parts = [one for one in (value.left, value.right) if not isinstance(one, ast.Constant)]
        is_plain = len(parts) > 1
    else:
        is_plain = False
    rows = [_literal(one) for one in parts]
    return [text for found, _ in rows for text in found], is_plain and all(done for _, done in rows)


def _tox(source: bytes) -> list[str]:
    """What the environments of tox install, without what a line says of when."""
    tables = ini(source)
    sections = tables.sections()
    rows = [
        FACTOR.sub("", row.strip()) for one in sections for row in tables.get(one, "deps", fallback="").splitlines()
    ]
    return [row for row in rows if row and not row.startswith(("{", "-c"))]


def _setup_cfg(source: bytes) -> list[str]:
    """The texts of setup.cfg that list requirements."""
    tables = ini(source)
    rows = [tables.get("options", key, fallback="") for key in REQUIRING]
    extras = "options.extras_require"
    return rows + ([value for _, value in tables.items(extras)] if tables.has_section(extras) else [])


def _archive_name(place: str) -> str:
    """The name of the distribution that a wheel or an archive holds: what is before the version; "" of another file."""
    base = re.split(r"[#?]", place)[0].replace("\\", "/").rpartition("/")[2]
    parts = base.split("-")
    version = next((at for at, part in enumerate(parts) if at and NUMBER.match(part)), 0)
    return "-".join(parts[:version]) if base.endswith(ARCHIVES) else ""


def _requirement(text: str, path: str, line: int) -> Requirement | None:
    text = re.sub(r"^(-e|--editable)[ =]*", "", text.strip())
    if PLACE.match(text):
        place = text.partition(" ;")[0].strip()
        match, archive = URL_NAME.search(text), _archive_name(place)
        base = posixpath.basename(posixpath.normpath(place.partition("[")[0].strip().rstrip("/")))
        name = archive or ((match[1] or match[2]) if match and "://" in text else base)
        name, rest = name.strip(".") or ".", f"@ {text}"
    else:
        asked = ASKED.match(text)
        name, rest = (asked["name"] or "", asked["rest"]) if asked else ("", "")
    name, rest = normal(name.partition("[")[0]), rest.strip()
    if not name or (rest and not VERSIONED.match(rest)):
        return None
    if not rest.startswith("@"):
        return Requirement(LANGUAGE, name, "".join(rest.split()), path=path, line=line)
    at = rest[1:].strip()
    source = at.partition(" ;")[0].strip()
    if at.startswith("git+") or ".git" in at:
        tag = TAG.search(at.removeprefix("git+").partition("://")[2] or at)
        asked_tag = (tag[1] or tag[2]) if tag else ""
        is_fixed = bool(VERSION.match(asked_tag))
        return Requirement(LANGUAGE, name, asked_tag, "git", path, line, fixed=is_fixed, source=source)
    origin: Origin = "registry" if at.startswith("http") else "path"
    return Requirement(LANGUAGE, name, at, origin, path, line, source=source)


def _line(text: str, entry: str) -> int:
    match = NAME.match(entry)
    at = next((place for one in (entry, match[0] if match else "") if (place := text.find(one)) >= 0), -1)
    return line_number(text, at) if at >= 0 else 0
