"""What a distribution of Python offers: the packages and modules that its manifests list or have a build look for.

What a manifest says in a form that is not understood hides nothing: then everything that could be imported is offered.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from bot.languages.python.setup_program import FOUND, is_known, setup_arguments
from bot.languages.python.tables import ini, strings, table, texts, toml

DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
GLOB = re.compile(r"[*?\[]")
FIND = re.compile(r"find(?:_namespace)?:")


@dataclass(frozen=True, slots=True)
class Finder:
    """Where a build looks for packages, and by which patterns of their dotted names."""

    where: str = "."
    include: Sequence[str] = ()  # none: everything
    exclude: Sequence[str] = ()

    def takes(self, name: str, *, is_package: bool) -> bool:
        """Whether a top package is taken, or one below it may be; one without an `__init__` at the root only by a pattern that names it."""
        if any(fnmatchcase(name, one) for one in self.exclude):
            return False
        if self.include:
            return any(fnmatchcase(name, one.partition(".")[0]) for one in self.include)
        is_own = posixpath.normpath(self.where) == "."
        return is_package or not is_own


@dataclass(frozen=True, slots=True)
class Distribution:
    """What manifests say of a distribution."""

    name: str = ""
    version: str = ""
    paths: Sequence[str] = ()  # files, folders and patterns of such that are listed
    modules: Sequence[str] = ()  # modules and packages that are listed, by their dotted names
    places: Mapping[str, str] = field(
        default_factory=dict
    )  # dotted names -> folders of their modules, "" for all others
    tops: Sequence[str] = ()  # folders that hold packages
    finders: Sequence[Finder] = ()
    renames: Mapping[str, str] = field(default_factory=dict)  # a file or folder -> the path by which it is imported
    is_open: bool = False  # it lists more in a form that is not understood

    def join(self, other: "Distribution") -> "Distribution":
        """What two manifests of one folder say together."""
        return Distribution(
            self.name or other.name,
            self.version or other.version,
            [*self.paths, *other.paths],
            [*self.modules, *other.modules],
            {**self.places, **other.places},
            [*self.tops, *other.tops],
            [*self.finders, *other.finders],
            {**self.renames, **other.renames},
            self.is_open or other.is_open,
        )

    def rename_clause(self) -> str:
        """Say in a clause which folder is imported under another name than its own, the first one; "" if there is none."""
        rows = {**{folder: name.replace(".", "/") for name, folder in self.places.items() if name}, **self.renames}
        for path, name in rows.items():
            stem = posixpath.normpath(path.removesuffix(".py"))
            if name and not f"/{stem}".endswith(f"/{posixpath.normpath(name.removesuffix('.py'))}"):
                return f"offers {path} as {name.replace('/', '.')}"
        return ""


def distributions(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, Distribution]]:
    """Yield the distributions that have a name, each with its folder: what its manifests say together."""
    joined: dict[str, Distribution] = {}
    for path, source in sorted(manifests.items()):
        folder = posixpath.dirname(path)
        if posixpath.basename(path) in DECLARING:
            joined[folder] = joined.get(folder, Distribution()).join(_declaration(posixpath.basename(path), source))
    yield from ((folder, distribution) for folder, distribution in joined.items() if distribution.name)


def _declaration(base: str, source: bytes) -> Distribution:
    """Return what one of the files in DECLARING says of its distribution."""
    readers = (_of_pyproject, _of_setup_cfg, _of_setup)  # in that order
    return dict(zip(DECLARING, readers, strict=True))[base](source)


def _of_pyproject(source: bytes) -> Distribution:
    top = toml(source)
    tool = table(top.get("tool"))
    own = table(top.get("project")) or table(tool.get("poetry"))
    flit, uv, maturin = (
        table(tool.get("flit")),
        table(table(tool.get("uv")).get("build-backend")),
        table(tool.get("maturin")),
    )
    older, pdm = table(flit.get("metadata")), table(table(tool.get("pdm")).get("build"))
    core = table(table(tool.get("scikit-build")).get("wheel")).get("packages")
    told = (uv.get("module-name"), table(flit.get("module")).get("name"), older.get("module"))
    native = [
        one.partition(".")[0] for one in texts(maturin.get("module-name"))
    ]  # what is below it may be of another language
    sources = (uv.get("module-root"), maturin.get("python-source"), pdm.get("package-dir"))
    is_pdm = "pdm" in str(table(top.get("build-system")).get("build-backend"))
    result = Distribution(
        str(own.get("name") or older.get("dist-name") or older.get("module") or ""),
        str(own.get("version") or ""),
        [*texts(core), *texts(pdm.get("includes"))],
        [*(one for row in told for one in texts(row)), *native],
        tops=[one for row in sources for one in texts(row)],
        finders=[Finder()] if is_pdm and "includes" not in pdm else [],
        places={name.replace("/", "."): path for name, path in _texts_of(core).items()},
    )
    for each in (_of_setuptools(table(tool.get("setuptools"))), _of_hatch(tool), _of_poetry(table(tool.get("poetry")))):
        result = result.join(each)
    return result


def _of_setuptools(row: Mapping[str, object]) -> Distribution:
    listed, find = row.get("packages"), table(table(row.get("packages")).get("find"))
    looks = "find" in table(listed)
    finders = [
        Finder(where, texts(find.get("include")), texts(find.get("exclude")))
        for where in texts(find.get("where")) or ["."]
    ]
    return Distribution(
        modules=[*texts(listed), *texts(row.get("py-modules"))],
        places=_texts_of(row.get("package-dir")),
        finders=finders if looks else [],
    )


def _of_hatch(tool: Mapping[str, object]) -> Distribution:
    """What Hatch puts into a wheel: its own table goes before that of all builds."""
    build = table(table(tool.get("hatch")).get("build"))
    row = {**build, **table(table(build.get("targets")).get("wheel"))}
    listed = [one for key in ("packages", "only-include") for one in strings(row.get(key))] or strings(
        row.get("include")
    )
    anywhere = [one for one in listed if one.startswith("!") or (GLOB.search(one) and "/" not in one)]
    sources, renames = row.get("sources"), {**_texts_of(row.get("sources")), **_texts_of(row.get("force-include"))}
    return Distribution(
        paths=[*(one for one in listed if one not in anywhere), *renames],
        tops=strings(sources),
        renames=renames,
        is_open=bool(anywhere) or (not listed and bool(sources or renames)),
    )


def _of_poetry(row: Mapping[str, object]) -> Distribution:
    rows = row.get("packages")
    parts = [table(each) or {"include": each} for each in rows] if isinstance(rows, list) else []
    paths, renames = list[str](), dict[str, str]()
    for included, home, target in (
        tuple(str(part.get(key) or "") for key in ("include", "from", "to")) for part in parts
    ):
        paths.append(posixpath.join(home, included))
        renames |= {paths[-1]: posixpath.join(target, included)} if target else {}
    return Distribution(paths=paths, renames=renames)


def _of_setup_cfg(source: bytes) -> Distribution:
    sections = ini(source)
    name, version = (sections.get("metadata", key, fallback="") for key in ("name", "version"))
    rows = [sections.get("options", "py_modules", fallback=""), sections.get("options", "packages", fallback="")]
    rows += [sections.get("files", key, fallback="") for key in ("packages", "modules")]  # of pbr
    pairs = [
        row.partition("=")
        for row in re.split(r"[\n,]", sections.get("options", "package_dir", fallback=""))
        if "=" in row
    ]
    where, include, exclude = (
        _words(sections.get("options.packages.find", key, fallback="")) for key in ("where", "include", "exclude")
    )
    return Distribution(
        name,
        version,
        modules=[one for row in rows for one in _words(row) if not FIND.match(one)],
        places={key.strip(): value.strip() for key, _, value in pairs},
        finders=[Finder(one, include, exclude) for one in where or ["."]]
        if any(FIND.match(row.strip()) for row in rows)
        else [],
    )


def _words(text: str) -> list[str]:
    return [one for one in re.split(r"[\s,]+", text) if one]


def _of_setup(source: bytes) -> Distribution:
    words = setup_arguments(source)
    name, version = (one if isinstance(one := words.get(key), str) else "" for key in ("name", "version"))
    listed = [words[key] for key in ("py_modules", "packages") if key in words]
    finders = [_finder(one) for one in _rows(words.get(FOUND))]
    places = words.get("package_dir", {})
    return Distribution(
        name,
        version,
        modules=[one for row in listed for one in strings(row)],
        places=_texts_of(places),
        finders=[one for one in finders if one is not None],
        is_open=None in finders or not all(map(is_known, listed)) or not is_known(places),
    )


def _rows(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _finder(words: Mapping[str, object]) -> Finder | None:
    """A call of a finder; None if it is not known where it looks. Patterns that are not known leave nothing out."""
    where, include, exclude = (
        words.get(key, default) for key, default in (("where", "."), ("include", []), ("exclude", []))
    )
    if not isinstance(where, str):
        return None
    return Finder(where, texts(include) if is_known(include) else (), texts(exclude))


def _texts_of(value: object) -> dict[str, str]:
    """The texts of a table whose keys are texts."""
    return {key: one for key, one in table(value).items() if isinstance(key, str) and isinstance(one, str)}
