"""Python packages: pyproject.toml, setup.cfg, setup.py, requirements files; the paths say what is importable."""

import ast
import configparser
import posixpath
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bot.languages.lexical import manifest_text, unread
from bot.languages.python.pip_lines import asked_lines, included_files, logical_lines
from bot.text.lines import line_number, utf8
from bot.text.paths import is_sample, is_test
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "python"
DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
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
HATCH = ("dependencies", "extra-dependencies")
PLACE = re.compile(
    r"(?:git|hg|svn|bzr)\+|https?://|file:|\.{0,2}/|\.{1,2}(?:$|[\[ ])|[\w.-]+/|[\w.-]+\.(?:whl|zip|tar\.\w+)$"
)
DOT = re.compile(r"\.")
MOST, LONGEST = 2_000, 1_000  # entries of a list, characters of a text that setup.py puts together
TOPS = ("src", "lib", "python")  # folders in which a distribution's packages lie, beside its own
SUFFIXES = (".py", ".pyi")
FINDER = re.compile(r"find_(?:\w{1,20}_)?packages")
FOUND, SPREAD = "packages that are found", frozenset({"", "name"})  # beside the arguments of `setup`


def normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The distributions of a tree, each with the packages and modules that it brings."""
    rows = (
        (folder, distribution, _roots(folder, distribution, paths))
        for folder, distribution in _distributions(manifests)
    )
    return tuple(
        Package(LANGUAGE, normal(distribution.name), folder, roots, distribution.version)
        for folder, distribution, roots in rows
        if roots
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
    named = {folder for folder, _ in _distributions(manifests)}
    for path, source in sorted(manifests.items()):
        base, why = posixpath.basename(path), ""
        if base == "setup.py" and posixpath.dirname(path) not in named and SPREAD & _setup(source).keys():
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
        tool = _table(_toml(source).get("tool"))
        dynamic = _table(_table(tool.get("setuptools")).get("dynamic"))
        rows = [dynamic.get("dependencies"), *_table(dynamic.get("optional-dependencies")).values()]
        texts_told = [one for row in rows for one in _texts(_table(row).get("file"))]
        hooks = _table(_table(_table(tool.get("hatch")).get("metadata")).get("hooks"))
        texts_told += _texts(_table(hooks.get("requirements_txt")).get("files"))
    elif base == "setup.cfg":
        texts_told = [
            one.strip() for row in _setup_cfg(source) for match in FILE.finditer(row) for one in match[1].split(",")
        ]
    elif base not in ("setup.py", *TABLES) and not _is_conda(base):
        return included_files(path, source)
    return [posixpath.normpath(posixpath.join(folder, one)) for one in texts_told if one]


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else _strings(value)


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


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _toml(source: bytes) -> Mapping[str, object]:
    with suppress(ValueError, RecursionError):
        return tomllib.loads(manifest_text(source))
    return {}


def _ini(source: bytes) -> configparser.ConfigParser:
    read = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(configparser.Error):
        read.read_string(manifest_text(source))
    return read


def _setup(source: bytes) -> dict[str, object]:
    """What the arguments of `setup(...)` say; nothing is executed."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        module = ast.parse(manifest_text(source))
        for node in ast.walk(module):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and (getattr(called, "id", "") or getattr(called, "attr", "")) == "setup":
                values = _Values(_assigned(module))
                words = {word.arg: values.of(word.value) for word in node.keywords if word.arg}
                for spread in (word.value for word in node.keywords if word.arg is None):
                    words |= {str(key): value for key, value in _table(values.of(spread)).items()} or {"": None}
                return {**words, **_finders(module, values)}
    return {}


def _finders(module: ast.Module, values: "_Values") -> dict[str, object]:
    """The folders in which the functions of setuptools look for packages, if any is called."""
    folders: list[object] = []
    for node in ast.walk(module):
        called = node.func if isinstance(node, ast.Call) else None
        name = getattr(called, "id", "") or getattr(called, "attr", "")
        if isinstance(node, ast.Call) and FINDER.fullmatch(name):
            where = next((word.value for word in node.keywords if word.arg == "where"), None)
            where = where or next(iter(node.args), None)
            folders.append(values.of(where) if where is not None else ".")
    return {FOUND: folders} if folders else {}


def _assigned(module: ast.Module) -> dict[str, ast.expr]:
    """The names that statements of a module set once; of one that is set again nobody knows which value it has."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                values.setdefault(target.id, []).append(node.value)
    return {name: rows[0] for name, rows in values.items() if len(rows) == 1}


@dataclass(slots=True)
class _Values:
    """What expressions certainly hold: of a list those entries that are written out, behind whatever names."""

    names: Mapping[str, ast.expr]
    results: dict[str, object] = field(default_factory=dict)  # each name is read once, one that means itself is nothing

    def of(self, node: ast.expr) -> object:
        """The value of an expression; None of one that has to be executed."""
        value: object = None
        match node:
            case ast.Constant():
                value = node.value
            case ast.Name(id=name) if name in self.names:
                if name not in self.results:
                    self.results[name] = None
                    self.results[name] = self.of(self.names[name])
                value = self.results[name]
            case ast.BinOp(op=ast.Add()):
                left, right = self.of(node.left), self.of(node.right)
                is_text = isinstance(left, str) and isinstance(right, str)
                value = f"{left}{right}"[:LONGEST] if is_text else [*_strings(left), *_strings(right)][:MOST]
            case ast.List() | ast.Tuple() | ast.Set():
                value = self._entries(node.elts)
            case ast.Dict():
                value = self._table(node)
            case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "dict"), args=[inner], keywords=[]):
                value = self.of(inner)
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=words):
                value = {word.arg: self.of(word.value) for word in words[:MOST] if word.arg}
        return value

    def _entries(self, parts: Sequence[ast.expr]) -> list[object]:
        entries: list[object] = []
        for part in parts[:MOST]:
            value = self.of(part.value if isinstance(part, ast.Starred) else part)
            entries += _strings(value) if isinstance(part, ast.Starred) else [value]
            if len(entries) >= MOST:
                break
        return entries

    def _table(self, node: ast.Dict) -> dict[object, object]:
        rows: dict[object, object] = {}
        for key, one in list(zip(node.keys, node.values, strict=True))[:MOST]:
            value = self.of(one)
            if isinstance(key, ast.Constant):
                rows[key.value] = value
            elif key is None and len(rows) < MOST:
                rows.update(_table(value))
        return rows


@dataclass(frozen=True, slots=True)
class _Distribution:
    """What a manifest says of its distribution: the paths, or the names of modules and packages, that it lists, and the folders that hold them.

    `finds`: a build looks for its packages.
    """

    name: str = ""
    version: str = ""
    paths: Sequence[str] = ()
    modules: Sequence[str] = ()
    tops: Sequence[str] = ()
    finds: bool = False

    def join(self, other: "_Distribution") -> "_Distribution":
        """What two manifests of one folder say together."""
        return _Distribution(
            self.name or other.name,
            self.version or other.version,
            [*self.paths, *other.paths],
            [*self.modules, *other.modules],
            [*self.tops, *other.tops],
            self.finds or other.finds,
        )


def _distributions(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, _Distribution]]:
    """The distributions that have a name, each with its folder: what its manifests say together."""
    joined: dict[str, _Distribution] = {}
    for path, source in sorted(manifests.items()):
        folder = posixpath.dirname(path)
        if posixpath.basename(path) in DECLARING:
            joined[folder] = joined.get(folder, _Distribution()).join(_declared(posixpath.basename(path), source))
    yield from ((folder, distribution) for folder, distribution in joined.items() if distribution.name)


def _declared(base: str, source: bytes) -> _Distribution:
    """What one of the files in DECLARING says of its distribution."""
    readers = (_of_pyproject, _of_setup_cfg, _of_setup)  # in that order
    return dict(zip(DECLARING, readers, strict=True))[base](source)


def _of_pyproject(source: bytes) -> _Distribution:
    table = _toml(source)
    tool = _table(table.get("tool"))
    own = _table(table.get("project")) or _table(tool.get("poetry"))
    flit, setuptools = _table(tool.get("flit")), _table(tool.get("setuptools"))
    uv, maturin = _table(_table(tool.get("uv")).get("build-backend")), _table(tool.get("maturin"))
    wheel = _table(_table(_table(_table(tool.get("hatch")).get("build")).get("targets")).get("wheel"))
    paths_listed = [*_strings(wheel.get("packages")), *_strings(wheel.get("only-include"))]
    included = _table(tool.get("poetry")).get("packages")
    for each in included if isinstance(included, list) else ():
        row = _table(each)
        paths_listed.append(posixpath.join(str(row.get("from") or ""), str(row.get("include") or "")))
    older = _table(flit.get("metadata"))
    find = _table(_table(setuptools.get("packages")).get("find"))
    listed = (setuptools.get("packages"), setuptools.get("py-modules"), uv.get("module-name"))
    told = (*listed, _table(flit.get("module")).get("name"), older.get("module"), maturin.get("module-name"))
    sources = (find.get("where"), _table(setuptools.get("package-dir")).get(""), uv.get("module-root"))
    return _Distribution(
        str(own.get("name") or older.get("dist-name") or older.get("module") or ""),
        str(own.get("version") or ""),
        paths_listed,
        [one for row in told for one in _texts(row)],
        [one for row in (*sources, maturin.get("python-source")) for one in _texts(row)],
        "find" in _table(setuptools.get("packages"))
        or "pdm" in str(_table(table.get("build-system")).get("build-backend")),
    )


def _of_setup_cfg(source: bytes) -> _Distribution:
    read = _ini(source)
    name, version = (read.get("metadata", key, fallback="") for key in ("name", "version"))
    listed = [read.get("options", key, fallback="") for key in ("py_modules", "packages")]
    modules = [one for row in listed if "find" not in row for one in re.split(r"[\s,]+", row) if one]
    folders = re.findall(r"(?m)^[ \t]*+=[ \t]*+(\S+)", read.get("options", "package_dir", fallback=""))
    where = read.get("options.packages.find", "where", fallback="")
    return _Distribution(name, version, (), modules, [*folders, where], any("find" in row for row in listed))


def _of_setup(source: bytes) -> _Distribution:
    words = _setup(source)
    name, version = (one if isinstance(one := words.get(key), str) else "" for key in ("name", "version"))
    modules = [one for key in ("py_modules", "packages") for one in _strings(words.get(key))]
    folders = _texts(_table(words.get("package_dir")).get(""))
    computed = "packages" in words and not _strings(words["packages"])
    return _Distribution(
        name, version, (), modules, [*folders, *_strings(words.get(FOUND))], computed or FOUND in words
    )


def _roots(folder: str, distribution: _Distribution, paths: Collection[str]) -> tuple[str, ...]:
    """The packages and modules of a distribution: those that it lists, the one of its name, those in a folder for sources, or all that are no tests."""
    given = {posixpath.normpath(posixpath.join(folder, one)) for one in distribution.paths if one.strip("./")}
    tops = tuple(dict.fromkeys((*(posixpath.normpath(one) for one in distribution.tops if one.strip("./")), *TOPS)))
    given |= _placed(folder, distribution.modules, tops, paths)
    if given and not distribution.finds:
        return tuple(sorted(given))
    found: dict[str, set[str]] = {}
    for path in paths:
        if not path.endswith(SUFFIXES) or (folder and not path.startswith(f"{folder}/")):
            continue
        inner = path[len(folder) + 1 :] if folder else path
        top = next((top for top in tops if inner.startswith(f"{top}/")), "")
        first, deeper, _ = inner[len(top) + 1 if top else 0 :].partition("/")
        stem = first if deeper else first.rpartition(".")[0]
        if stem.isidentifier() and not is_test(f"{first}/x.py") and not is_sample(f"{first}/x.py"):
            at = posixpath.join(folder, top, first)
            if deeper or stem not in ("setup", "conftest", "noxfile", "tasks", "manage"):
                found.setdefault(stem.lower(), set()).add(at)
    name = normal(distribution.name)
    own = found.get(name.replace("-", "_")) or found.get(name.replace("-", "")) or set()
    every = {at for result in found.values() for at in result}
    built = {at for at in every if any(at.startswith(f"{posixpath.join(folder, top)}/") for top in tops)}
    packaged = {at for at in every if f"{at}/__init__.py" in paths}
    given |= packaged if distribution.finds and ("." in distribution.tops or not any(distribution.tops)) else set()
    given |= built if distribution.finds or own & built else set()
    guess = found.get(name.partition("-")[0], set())  # a namespace, or a package of another distribution's name
    return tuple(sorted(given | own or (built or packaged) | guess or every))


def _placed(folder: str, modules: Sequence[str], tops: Sequence[str], paths: Collection[str]) -> set[str]:
    """Where the listed modules and packages lie. A package that lies in a listed one is a part of it."""
    listed = set(modules[:MOST])
    outer = [one for one in listed if not any(one[: dot.start()] in listed for dot in DOT.finditer(one[:LONGEST]))]
    places = [posixpath.join(folder, top, one.replace(".", "/")) for one in outer for top in ("", *tops)]
    if not places:
        return set()
    files = {path for path in paths if path.endswith(SUFFIXES)}
    folders = {posixpath.dirname(path) for path in files}
    folders |= {posixpath.dirname(one) for one in folders}  # of a namespace that holds packages alone
    return {place + suffix for place in places for suffix in SUFFIXES} & files | {*places} & folders


def _asked(base: str, source: bytes) -> Iterator[tuple[str, int]]:
    """Each requirement as it is written, with its line."""
    text = manifest_text(source)
    if base in ("pyproject.toml", *TABLES):
        forms = {"pyproject.toml": _listed, "Pipfile": _pipenv, "pixi.toml": _pixi}
        for written in forms[base](_toml(source)):
            yield written, _line(text, written)
    elif base == "setup.cfg":
        for written in (one.strip() for row in _setup_cfg(source) for one in re.split(r"[\n;]", row)):
            if written and not written.startswith("file:"):
                yield written, _line(text, written)
    elif _is_conda(base):
        yield from _conda(source)
    elif base == "setup.py":
        words = _setup(source)
        extras = words.get("extras_require")
        texts_told: list[object] = [
            *(words.get(key) for key in ("install_requires", "tests_require", "setup_requires")),
            *(extras.values() if isinstance(extras, dict) else ()),
        ]
        for written in (one for row in texts_told for one in _texts(row) for one in one.split("\n")):
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
    read = _ini(source)
    rows = [read.get("options", key, fallback="") for key in ("install_requires", "tests_require", "setup_requires")]
    extras = "options.extras_require"
    return rows + ([value for _, value in read.items(extras)] if read.has_section(extras) else [])


def _pipenv(table: Mapping[str, object]) -> Iterator[str]:
    """What a Pipfile asks for, as pip would have it: every table but its own settings lists packages."""
    for key, row in table.items():
        if key not in ("source", "requires", "scripts", "pipenv"):
            yield from _by_table(row)


def _pixi(table: Mapping[str, object]) -> Iterator[str]:
    """What a workspace of Pixi asks for: of conda and of the index of Python, for itself, for a feature or for a platform."""
    parts = [table, *map(_table, _table(table.get("feature")).values())]
    parts += [_table(one) for part in parts for one in _table(part.get("target")).values()]
    yield from (
        one for part in parts for key in ("dependencies", "pypi-dependencies") for one in _by_table(part.get(key))
    )


def _by_table(row: object) -> Iterator[str]:
    """The requirements of a table whose keys are packages."""
    for name, value in _table(row).items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield f"{name} {'' if one == '*' else one}"
            elif isinstance(one, dict):
                asked = one.get("version")
                yield f"{name} {asked}" if isinstance(asked, str) and asked != "*" else _sourced(name, one)


def _listed(table: Mapping[str, object]) -> Iterator[str]:
    project, tool = _table(table.get("project")), _table(table.get("tool"))
    sources = _table(_table(tool.get("uv")).get("sources"))
    groups = [project.get("dependencies"), *_table(project.get("optional-dependencies")).values()]
    for written in (
        one for group in (*groups, *_table(table.get("dependency-groups")).values()) for one in _strings(group)
    ):
        match = NAME.match(written)
        source = next(
            (_table(value) for key, value in sources.items() if match and normal(key) == normal(match[0])), {}
        )
        yield _sourced(match[0], source) if match and source else written
    flit = _table(_table(tool.get("flit")).get("metadata"))
    yield from _strings(flit.get("requires"))
    yield from (one for row in _table(flit.get("requires-extra")).values() for one in _strings(row))
    poetry = _table(tool.get("poetry"))
    rows = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    rows += [_table(group).get("dependencies") for group in _table(poetry.get("group")).values()]
    yield from (one for row in rows for one in _by_table(row))
    yield from _pixi(_table(tool.get("pixi")))
    older = [_table(tool.get(name)).get("dev-dependencies") for name in ("uv", "rye")]
    pdm = _table(_table(tool.get("pdm")).get("dev-dependencies")).values()
    hatch = [_table(each).get(key) for each in _table(_table(tool.get("hatch")).get("envs")).values() for key in HATCH]
    yield from (
        one
        for row in (*older, *pdm, *hatch, _table(table.get("build-system")).get("requires"))
        for one in _strings(row)
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
