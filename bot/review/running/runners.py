"""How the tests about a file are run: the runner of the nearest package that has one, and what the owner says otherwise."""

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.review.running.layout import REQUIREMENTS, PackageLayout, above, below, folder_of, within
from bot.review.running.placing import new_file
from bot.review.running.presets import GENERIC, PRESETS, Preset
from bot.text.filetypes import filetype

if TYPE_CHECKING:
    from bot.config import RunSection

TABLES = ("dependencies", "devDependencies", "peerDependencies")
# A word of a script that runs tests -> the runner.
SCRIPTS = {
    "vitest": "vitest",
    "jest": "jest",
    "mocha": "mocha",
    "borp": "node",
    "--test": "node",
}
# Files that name pytest if a project uses it.
PYTEST = ("pyproject.toml", "setup.cfg", "tox.ini", "Pipfile", "setup.py")
COVERAGE = re.compile(r"--cov\b")
WRAPPERS = {"maven": ("mvnw", "mvn"), "gradle": ("gradlew", "gradle")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a test about one file is run: a preset with what its package and its owner say otherwise."""

    preset: Preset
    test: str
    files: str
    folder: str = ""  # in which commands run
    own: str = ""  # for a test file that is there already
    note: str = ""  # on the language, for a model

    @property
    def language(self) -> str:
        """The language and the runner, for a model."""
        return f"{self.preset.language}{self.note}"

    def path(self, number: str, near: str) -> str:
        """The path of a new test file. `near`: the file that it is about."""
        folder = str(PurePosixPath(near).parent)
        return str(PurePosixPath(self.files.replace("{n}", number).replace("{beside}", folder)))

    def command(self, path: str, number: str = "") -> str:
        """The command that runs one new test file, from the top folder of the repository."""
        return self._filled_in(self.test, path, number)

    def own_command(self, path: str) -> str:
        """The command that runs a test file of the repository."""
        return self._filled_in(self.own or self.test, path, "")

    def _filled_in(self, test: str, path: str, number: str) -> str:
        at = PurePosixPath(posixpath.relpath(path, self.folder or "."))
        module = ".".join(at.with_suffix("").parts)
        values = {"file": str(at), "folder": str(at.parent), "name": at.stem, "module": module, "n": number}
        command = re.sub(r"\{(file|folder|name|module|n)\}", lambda match: shlex.quote(values[match[1]]), test)
        return f"cd {shlex.quote(self.folder)} && {command}" if self.folder else command


def recipe(section: "RunSection", layout: PackageLayout, near: str) -> Recipe | None:
    """Return how tests about a file are run: by the owner's section, and by what is found where it says nothing. None: nobody knows."""
    default = detect(layout, near)
    if not section.test:
        if default is None or not section.files:
            return default
        return replace(default, files=section.files)
    preset = _meant(section.test)
    files = section.files
    if not files and preset is not None:
        files = new_file(layout.paths, preset, _package(layout, near), near, typescript=False)
    elif not files:
        files = default.files if default is not None else ""
    return Recipe(preset=preset or GENERIC, test=section.test, files=files) if files else None


def language_of(path: str) -> str:
    """The language whose packages a file can be in; "" if no runner is known for it."""
    kind = filetype(path)
    return next((name for name in (kind.family, kind.lexer) if name in RUNNERS), "")


def detect(layout: PackageLayout, near: str) -> Recipe | None:
    """Return how the tests about a file are run, as the files around it tell."""
    language = language_of(near)
    runner = RUNNERS[language](layout, near) if language else None
    if runner is None:
        return None
    name, folder, package = runner
    preset = PRESETS[name]
    test, note = preset.test, ""
    if name == "pytest" and any(COVERAGE.search(_options(layout, one)) for one in above(near)):
        test = test.replace("pytest ", "pytest --no-cov ", 1)  # a bar for the whole suite fails a single test
    if language == "web":
        if name == "node" and _declares(layout, package, "tsx"):
            test = test.replace("node ", "node --import tsx ", 1)
        modules = layout.table(package, "package.json").get("type") == "module"
        note = (
            "" if name == "vitest" else f"; its JavaScript files are {'ES modules' if modules else 'CommonJS modules'}"
        )
    if name in WRAPPERS:
        test = _wrapped(layout, folder, test, *WRAPPERS[name])
    typescript = name == "vitest" or any(
        _declares(layout, package, word) for word in ("tsx", "ts-jest", "@swc/jest", "@babel/preset-typescript")
    )
    files = new_file(layout.paths, preset, package, near, typescript=typescript)
    if name == "dotnet":
        folder = layout.package("csharp", files)
    return Recipe(preset=preset, test=test, files=files, folder=folder, own=preset.own, note=note)


Runner = tuple[str, str, str]  # its name, the folder in which it runs, the folder of the nearest package


def _python(layout: PackageLayout, near: str) -> Runner:
    package = layout.package("python", near)
    inside, around = f"{package}/" if package else "", list(above(below(package, ".")))
    texts = [layout.text(folder, name) for folder in around for name in PYTEST]
    required = [path for path in layout.texts if REQUIREMENTS.search(path)]
    texts += [layout.texts[path] for path in required if path.startswith(inside) or folder_of(path) in around]
    has_settings = any(layout.has(folder, "pytest.ini", "conftest.py") for folder in around)
    if has_settings or any("pytest" in text for text in texts):
        return "pytest", package, package
    if any(path.startswith(inside) and path.endswith("/conftest.py") for path in layout.paths):
        return "pytest", package, package
    django = next((folder for folder in above(near) if layout.has(folder, "manage.py")), None)
    return ("django", django, django) if django is not None else ("unittest", package, package)


def _options(layout: PackageLayout, folder: str) -> str:
    """The options that a folder's settings give to every run of pytest."""
    table = within(layout.table(folder, "pyproject.toml"), "tool", "pytest")
    rows = [table.get("addopts"), within(table, "ini_options").get("addopts")]
    for name, section in (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        rows.append(layout.settings(folder, name).get(section, "addopts", fallback=""))
    return " ".join(map(str, rows))


def _web(layout: PackageLayout, near: str) -> Runner:
    """The runner that the nearest package.json with one names: a workspace may declare it once, at its top."""
    package = layout.package("web", near)
    for folder in above(near):
        table = layout.table(folder, "package.json")
        if name := next(_named(table), ""):
            return name, folder, package
    return "node", package, package


def _named(table: Mapping[str, object]) -> Iterator[str]:
    """The runners that a package.json names: first the one of its scripts of tests, then what it depends upon."""
    scripts = {key: str(script).split() for key, script in within(table, "scripts").items()}
    for key in sorted(scripts, key=len):
        if "test" in key or "unit" in key:
            yield from (runner for word, runner in SCRIPTS.items() if word in scripts[key])
    dependencies = {name for one in TABLES for name in within(table, one)}
    yield from (name for name in ("vitest", "jest", "mocha") if name in dependencies)


def _declares(layout: PackageLayout, package: str, name: str) -> bool:
    """Whether a package, or one above it, depends upon another."""
    tables = [layout.table(folder, "package.json") for folder in above(below(package, "."))]
    return any(name in within(table, one) for table in tables for one in TABLES)


def _go(layout: PackageLayout, near: str) -> Runner | None:
    package = layout.package("go", near)
    return ("go", package, package) if layout.has(package, "go.mod") else None


def _nearest(runner: str, near: str, is_package: Callable[[str], bool]) -> Runner | None:
    """A runner in the nearest folder that is a package of it."""
    folder = next(filter(is_package, above(near)), None)
    return None if folder is None else (runner, folder, folder)


def _rust(layout: PackageLayout, near: str) -> Runner | None:
    """The nearest crate: a workspace alone has no tests."""
    return _nearest("cargo", near, lambda folder: "package" in layout.table(folder, "Cargo.toml"))


def _jvm(layout: PackageLayout, near: str) -> Runner | None:
    for folder in above(near):
        if layout.has(folder, "pom.xml"):
            return "maven", folder, folder
        if layout.has(folder, "build.gradle", "build.gradle.kts"):
            return "gradle", folder, folder
    return None


def _ruby(layout: PackageLayout, near: str) -> Runner | None:
    return _nearest(
        "rspec", near, lambda folder: layout.has(folder, ".rspec") or "rspec" in layout.text(folder, "Gemfile")
    )


def _php(layout: PackageLayout, near: str) -> Runner | None:
    return _nearest("phpunit", near, lambda folder: "phpunit" in layout.text(folder, "composer.json"))


def _csharp(layout: PackageLayout, near: str) -> Runner | None:
    """Tests are a project of their own: the nearest one with tests is chosen by its files."""
    return ("dotnet", layout.package("csharp", near), "") if layout.folders("csharp") else None


RUNNERS = {
    "python": _python, "web": _web, "go": _go, "rust": _rust, "jvm": _jvm, "ruby": _ruby, "php": _php, "csharp": _csharp,
}  # fmt: skip


def _package(layout: PackageLayout, near: str) -> str:
    """The folder of the package that a file is in."""
    language = language_of(near)
    return layout.package(language, near) if language else ""


def _wrapped(layout: PackageLayout, folder: str, test: str, wrapper: str, program: str) -> str:
    """The command with the wrapper that a repository brings, if it does."""
    at = next((one for one in above(below(folder, ".")) if layout.has(one, wrapper)), None)
    if at is None:
        return test
    path = posixpath.join(posixpath.relpath(at or ".", folder or "."), wrapper)
    return test.replace(program, path if path.startswith("..") else f"./{path.removeprefix('./')}", 1)


def _meant(test: str) -> Preset | None:
    """The preset of the runner that an owner's command names, as a whole word: `vitest` is not `jest`."""
    words = set(re.findall(r"[\w-]+", test))
    programs = {"mvn": "maven", "mvnw": "maven", "gradlew": "gradle", "manage": "django"}  # Django's `manage.py test`
    names = [*({programs[word] for word in words & programs.keys()}), *(name for name in PRESETS if name in words)]
    return PRESETS[names[0]] if names else None
