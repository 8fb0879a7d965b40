"""The packages of a tree: folders with a manifest, and what their manifests say."""

import configparser
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from bot.text.paths import is_sample, is_test, vendored_folder

MOST_MANIFESTS = 1_000  # that are read, the ones nearest to the top first
DEPTH = 8  # folders below the top in which a manifest counts
REQUIREMENTS = re.compile(r"(?:^|/)(?:(?=[^/]*requirements)|requirements/)[\w.-]+\.(?:txt|in)$")


@dataclass(frozen=True, slots=True)
class PackageFiles:
    """The files by which the tools of a language know a package: what makes a folder one, and what settles its dependencies."""

    manifests: frozenset[str] = frozenset()
    locks: frozenset[str] = frozenset()
    nests: bool = False  # one within another that has a lock file of its own is installed by itself


PACKAGE_FILES: Mapping[str, PackageFiles] = {
    "python": PackageFiles(
        frozenset(["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "tox.ini", "pytest.ini", "manage.py"]),
        frozenset(["uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock"]),
        nests=True,
    ),
    "web": PackageFiles(
        frozenset(["package.json"]),
        frozenset(["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"]),
        nests=True,
    ),
    "go": PackageFiles(frozenset(["go.mod"]), frozenset(["go.mod", "go.sum", "go.work.sum"]), nests=True),
    "rust": PackageFiles(frozenset(["Cargo.toml"]), frozenset(["Cargo.lock"]), nests=True),
    "jvm": PackageFiles(frozenset(["pom.xml", "build.gradle", "build.gradle.kts"]), frozenset(["gradle.lockfile"])),
    "ruby": PackageFiles(frozenset(["Gemfile", ".rspec"]), frozenset(["Gemfile.lock"])),
    "php": PackageFiles(frozenset(["composer.json"]), frozenset(["composer.lock"])),
    "csharp": PackageFiles(
        locks=frozenset(["packages.lock.json"])
    ),  # a manifest is any name that ends with .csproj or .sln
}
FURTHER = frozenset(["pnpm-workspace.yaml", "lerna.json", ".yarnrc.yml", "Pipfile.lock", "uv.lock", "poetry.lock", "pdm.lock", "pnpm-lock.yaml", "yarn.lock"])  # fmt: skip  # read, too
UNDECIDED = frozenset(["tox.ini", "pytest.ini", "manage.py", ".rspec"])  # manifests that name no dependency for anybody
PROJECTS = (".csproj", ".fsproj", ".sln", ".slnx")


def language_of(path: str) -> str:
    """Return the language whose packages a manifest or lock file is about; "" if it is neither."""
    name = path.rpartition("/")[2]
    if REQUIREMENTS.search(path):
        return "python"
    if name.endswith(PROJECTS):
        return "csharp"
    return next((language for language, files in PACKAGE_FILES.items() if name in files.manifests | files.locks), "")


def manifests(paths: Collection[str]) -> list[str]:
    """Return the files of a tree that a layout has to read."""
    rows = [path for path in paths if _counts(path) and (language_of(path) or path.rpartition("/")[2] in FURTHER)]
    return sorted(rows, key=lambda path: (path.count("/"), path))[:MOST_MANIFESTS]


def _counts(path: str) -> bool:
    """Whether a manifest at this path is the product's: a sample or a fixture has packages of its own, and nobody's tests."""
    if path.count("/") > DEPTH or vendored_folder(path) is not None:
        return False
    return REQUIREMENTS.search(path) is not None or not (is_sample(path) or is_test(path))


def decisive(paths: Collection[str]) -> list[str]:
    """Return the files that decide which dependencies there are: lock files, and the manifests that no lock file is for."""
    files: list[str] = []
    lock_folders = {
        (language, folder_of(path))
        for path in paths
        for language, files_of_language in PACKAGE_FILES.items()
        if path.rpartition("/")[2] in files_of_language.locks
    }
    for path in paths:
        name, language = path.rpartition("/")[2], language_of(path)
        if not language or name in UNDECIDED or vendored_folder(path) is not None:
            continue
        is_settled = any((language, folder) in lock_folders for folder in above(path))
        is_required = REQUIREMENTS.search(path) is not None and not is_sample(path)
        if name in PACKAGE_FILES[language].locks or is_required or not (is_settled or is_sample(path) or is_test(path)):
            files.append(path)
    return sorted(files)


def folder_of(path: str) -> str:
    """Return the folder of a path; "" for the top."""
    return path.rpartition("/")[0]


def above(path: str) -> Iterator[str]:
    """The folders that a file is in, the nearest first, up to the top."""
    folder = folder_of(path)
    while folder:
        yield folder
        folder = folder_of(folder)
    yield ""


def below(folder: str, name: str) -> str:
    """Return a path in a folder; the folder may be the top."""
    return f"{folder}/{name}" if folder else name


@dataclass(frozen=True)
class PackageLayout:
    """A tree as its manifests describe it."""

    paths: Collection[str]
    texts: Mapping[str, str] = field(default_factory=dict)  # of `manifests`

    @cached_property
    def names(self) -> Mapping[str, frozenset[str]]:
        """The names of the files in each folder."""
        rows: dict[str, set[str]] = {}
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            rows.setdefault(folder, set()).add(name)
        return {folder: frozenset(names) for folder, names in rows.items()}

    def has(self, folder: str, *names: str) -> bool:
        """Whether a folder holds one of these files."""
        return not self.names.get(folder, frozenset()).isdisjoint(names)

    def text(self, folder: str, name: str) -> str:
        """Return the text of a manifest; "" if it is not there."""
        return self.texts.get(below(folder, name), "")

    def folders(self, language: str) -> list[str]:
        """Return the folders of a language's packages, outer ones first."""
        homes = {folder_of(path) for path in self.texts if language_of(path) == language and not _is_nested(path)}
        return sorted(homes, key=lambda folder: (folder.count("/") + bool(folder), folder))

    def package(self, language: str, path: str) -> str:
        """Return the folder of the nearest package of a language that a file is in; the top if it is in none."""
        homes = set(self.folders(language))
        return next((folder for folder in above(path) if folder in homes), "")

    def table(self, folder: str, name: str) -> Mapping[str, Any]:
        """Return what a manifest in TOML or JSON holds; an empty one if it does not parse."""
        text = self.text(folder, name)
        with suppress(ValueError, RecursionError):
            value = tomllib.loads(text) if name.endswith((".toml", ".lock")) or name == "Pipfile" else json.loads(text)
            return value if isinstance(value, dict) else {}
        return {}

    def settings(self, folder: str, name: str) -> configparser.ConfigParser:
        """Return what a manifest in INI form holds; an empty one if it does not parse."""
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        with suppress(configparser.Error):
            parser.read_string(self.text(folder, name))
        return parser


def within(table: Any, *names: str) -> Mapping[str, Any]:  # noqa: ANN401 - what a stranger's file holds
    """Return a table within a table; an empty one if something else is there."""
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _is_nested(path: str) -> bool:
    """Whether a requirements file is in a folder for such files: that is no package."""
    folder = PurePosixPath(path).parent.name
    return REQUIREMENTS.search(path) is not None and (folder == "requirements" or is_test(path) or is_sample(path))
