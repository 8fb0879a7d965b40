"""Test runners: how a test about a file is run, where a new one goes, what its output means, and what installs the packages it needs.

Found by the names of files: pytest, Vitest and Jest, `go test`, `cargo test`, Maven and Gradle, RSpec. Whatever else tests a repository is
its owner's to say, as `run.test`.
"""

import json
import posixpath
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from bot.run.values import Outcome
from bot.text.filetypes import family, filetype
from bot.text.paths import is_sample, is_test, vendored_folder

if TYPE_CHECKING:
    from bot.config import RunSection

Result = Literal["green", "red", "fault", "limit"]
MOST = 12  # packages that are prepared
MOST_MANIFESTS = 1_000  # that are read, the ones nearest to the top first
READ = frozenset(["package.json", "Cargo.toml", "Gemfile"])
MARK = re.compile(r"^(?:test|spec)[_.-]|^Test(?=[A-Z])|(?:[_.-](?:test|spec|tests|unit|it)|Tests?|Spec|IT)$")
CORE = re.compile(r"[Dd]eeprepo[-_]?\{n\}")


@dataclass(frozen=True, slots=True)
class Runner:
    """One test runner. `test` and `files` are filled in by `Recipe`: {file}, {folder}, {name}, {module}, {n}."""

    name: str
    language: str  # its name in a prompt
    test: str
    files: str  # where a new test goes in a package that has none
    green: re.Pattern[str]  # matches the output of a test that passed: exit status 0 alone may mean that none ran
    red: re.Pattern[str]  # of a test that failed: an assertion, or an error in the code that it calls
    fault: re.Pattern[
        str
    ]  # of a test that is itself at fault: it was not found, does not parse, lacks imports or fixtures
    own: str = ""  # runs a test file that is there already; "": as `test` does
    marks: tuple[tuple[str, str], ...] = ()  # before and after the name of a test file that the runner collects


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE)


RUNNERS: Mapping[str, Runner] = {
    one.name: one
    for one in (
        Runner(  # the options of every run, such as a bar for the coverage of the whole suite, would fail a single test
            "pytest", "Python, pytest", "python3 -m pytest -o addopts= {file}", "tests/test_deeprepo_{n}.py",
            _any(r"^\d+ passed", r"^=+ .*\b\d+ passed"), _any(r"\b[1-9]\d* failed"),
            _any(r"^E +(?:fixture '|SyntaxError|IndentationError)", r"ERROR collecting", r"error during collection", r"errors? in \d", r"no tests ran",
                 r"^ERROR: ", r"No module named pytest"), marks=(("test_", ""), ("", "_test")),
        ),
        Runner(
            "vitest", "JavaScript or TypeScript, vitest", "npx --no-install vitest run {file}", "test/deeprepo-{n}.test.js",
            _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No test files found", r"Failed Suites", r"SyntaxError", r"Transform failed", r"Failed to resolve import", r"Cannot find (?:module|package)"),
            marks=(("", ".test"), ("", ".spec")),
        ),
        Runner(
            "jest", "JavaScript or TypeScript, jest", "npx --no-install jest --ci --coverage=false {file}", "__tests__/deeprepo-{n}.test.js",
            _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No tests found", r"Test suite failed to run", r"Cannot find module"), marks=(("", ".test"), ("", ".spec")),
        ),
        Runner(
            "go", "Go, testing", "go test -count=1 -run TestDeeprepo ./{folder}", "{beside}/deeprepo_{n}_test.go",
            _any(r"^ok\s"), _any(r"^--- FAIL", r"^panic: "),
            _any(r"\[build failed\]", r"\[setup failed\]", r"no test files", r"no tests to run", r"no required module"),
            own="go test -count=1 ./{folder}",
        ),
        Runner(
            "cargo", "Rust, an integration test of cargo", "cargo test --offline --test {name}", "tests/deeprepo_{n}.rs",
            _any(r"^test result: ok\. [1-9]"), _any(r"^test result: FAILED"),
            _any(r"^error(?:\[E\d+\])?: (?!test failed)", r"could not compile", r"\. 0 passed; 0 failed"),
        ),
        Runner(
            "maven", "Java, JUnit", "mvn -o -q -B -Dsurefire.failIfNoSpecifiedTests=true -Dsurefire.printSummary=true test -Dtest={name}",
            "src/test/java/Deeprepo{n}Test.java",
            re.compile(r"\A(?!.*\[ERROR\])", re.DOTALL), _any(r"Tests run: [1-9]\d*, (?:Failures: [1-9]|Failures: \d+, Errors: [1-9])"),
            _any(r"COMPILATION ERROR", r"No tests (?:were executed|matching)", r"Could not resolve", r"Cannot access"), marks=(("", "Test"), ("", "Tests")),
        ),
        Runner(
            "gradle", "Java or Kotlin, JUnit", "gradle --offline --no-daemon test --tests {name}", "src/test/java/Deeprepo{n}Test.java",
            _any(r"^BUILD SUCCESSFUL"), _any(r"^\w[^>\n]{0,300} > [^\n]{0,300}? FAILED", r"There were failing tests"),
            _any(r"Compilation failed", r"No tests found", r"Could not resolve", r"No cached version"),
            marks=(("", "Test"), ("", "Tests"), ("", "Spec")),
        ),
        Runner(
            "rspec", "Ruby, RSpec", "bundle exec rspec {file}", "spec/deeprepo_{n}_spec.rb",
            _any(r"^[1-9]\d* examples?, 0 failures$"), _any(r"^[1-9]\d* examples?, [1-9]\d* failures?"),
            _any(r"errors? occurred outside of examples", r"^0 examples", r"LoadError", r"SyntaxError"), marks=(("", "_spec"),),
        ),
    )
}  # fmt: skip
GENERIC = Runner(
    "", "the language and the runner of the tests shown", "", "", re.compile(""), re.compile(""),
    _any(r"SyntaxError", r"IndentationError", r"Failed to import test module", r"_FailedTest", r"Cannot find module", r"^Ran 0 tests", r"[Nn]o tests?\b",
         r"NO TESTS RAN", r"not found", r"No such file", r"cannot find"),
)  # fmt: skip
PROGRAMS = {"mvn": "maven", "mvnw": "maven", "gradlew": "gradle"}  # as an owner's command names them
PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt")
GRADLE = ("build.gradle", "build.gradle.kts")
# What installs the packages of a folder, by the first of these files that it has: a lock file, or a manifest that settles them alone.
PIP = (
    "python3 -m venv .venv && for f in requirements*.txt; do test ! -f $f || .venv/bin/pip install -q -r $f || exit 1; done && "
    "if test -f pyproject.toml || test -f setup.py; then SETUPTOOLS_SCM_PRETEND_VERSION=99.0 .venv/bin/pip install -q -e '.[dev,test,tests]'; fi && "
    ".venv/bin/pip install -q pytest"
)
INSTALLS: Mapping[str, Mapping[str, str]] = {
    "python": {
        "uv.lock": "SETUPTOOLS_SCM_PRETEND_VERSION=99.0 uv sync --frozen --all-packages --all-extras --all-groups",
        "poetry.lock": "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --all-extras",
        **dict.fromkeys(("requirements.txt", "pyproject.toml", "setup.py"), PIP),
    },
    "web": {
        "package-lock.json": "npm ci --no-audit --no-fund",
        "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
        "yarn.lock": "YARN_NODE_LINKER=node-modules yarn install --frozen-lockfile",
    },
    "go": {"go.sum": "go mod download"},
    "rust": {"Cargo.lock": "cargo fetch --locked"},
    "jvm": {
        "pom.xml": "mvn -q -B -DskipTests install dependency:go-offline",
        **dict.fromkeys(GRADLE, "gradle --no-daemon testClasses"),
    },
    "ruby": {"Gemfile.lock": "bundle config set --local path vendor/bundle && bundle install"},
}


def judge(runner: Runner, outcome: Outcome) -> Result:
    """Return what a run of one test means. Only a test that ran and failed by itself is red."""
    if outcome.ending != "exit":
        return "limit"
    if runner.fault.search(outcome.output) or outcome.status in (126, 127):
        return "fault"
    if outcome.status == 0:
        return "green" if runner.green.search(outcome.output) else "fault"
    return "red" if runner.red.search(outcome.output) else "fault"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a test about one file is run: a runner with what its owner says otherwise."""

    runner: Runner
    test: str
    files: str
    folder: str = ""  # in which commands run

    def path(self, number: str, near: str) -> str:
        """The path of a new test file. `near`: the file that it is about."""
        folder = str(PurePosixPath(near).parent)
        return str(PurePosixPath(self.files.replace("{n}", number).replace("{beside}", folder)))

    def command(self, path: str, number: str = "") -> str:
        """The command that runs one test file, from the top folder of the repository. `number`: that of a new one."""
        test = self.test if number or self.test != self.runner.test else self.runner.own or self.test
        at = PurePosixPath(posixpath.relpath(path, self.folder or "."))
        module = ".".join(at.with_suffix("").parts)
        values = {"file": str(at), "folder": str(at.parent), "name": at.stem, "module": module, "n": number}
        command = re.sub(r"\{(file|folder|name|module|n)\}", lambda match: shlex.quote(values[match[1]]), test)
        return f"cd {shlex.quote(self.folder)} && {command}" if self.folder else command


@dataclass(frozen=True)
class Layout:
    """A tree as the names of its files tell, and the texts of those that `manifests` lists."""

    paths: Collection[str]
    texts: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)  # of the files in each folder

    def __post_init__(self) -> None:
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            self.names.setdefault(folder, set()).add(name)

    def has(self, folder: str, *names: str) -> bool:
        """Whether a folder holds one of these files."""
        return not self.names.get(folder, set()).isdisjoint(names)

    def text(self, folder: str, name: str) -> str:
        """The text of a manifest; "" if it is not there."""
        return self.texts.get(posixpath.join(folder, name), "")

    def runner(self, near: str) -> tuple[Runner, str] | None:
        """Return the runner of the tests about a file, and the folder in which it runs: the nearest that has one. None: nobody knows."""
        kind = filetype(near)
        tests = TESTS.get(kind.family) or TESTS.get(kind.lexer)
        found = ((tests(self, folder), folder) for folder in above(near)) if tests else ()
        name, folder = next(((name, folder) for name, folder in found if name), ("", ""))
        if not name and tests is _python:
            name = "pytest"
        return (RUNNERS[name], folder) if name else None

    def recipe(self, section: "RunSection", near: str) -> Recipe | None:
        """Return how tests about a file are run: by the owner's section, and by what is found where it says nothing. None: nobody knows."""
        found = self.runner(near)
        if section.test:
            words = {PROGRAMS.get(word, word) for word in re.findall(r"[\w-]+", section.test)}
            meant = next((RUNNERS[name] for name in RUNNERS if name in words), GENERIC)
            files = section.files or self.new_file(
                meant if meant.files else found[0] if found else GENERIC, found, near
            )
            return Recipe(meant, section.test, files) if files else None
        if found is None:
            return None
        runner, folder = found
        return Recipe(
            runner, self._wrapped(folder, runner.test), section.files or self.new_file(runner, found, near), folder
        )

    def new_file(self, runner: Runner, found: tuple[Runner, str] | None, near: str) -> str:
        """Return the path of a new test about a file, with `{n}` in its name, and `{beside}` for the folder of the file.

        It goes beside the nearest test of the package, and is named as that one is: a runner collects what is named its way.
        """
        files, package = runner.files, found[1] if found else ""
        if not files or files.startswith("{beside}"):
            return files
        kind, core = family(files), CORE.search(files)
        tests = [path for path in self.paths if is_test(path) and family(path) == kind and path.startswith(f"{package}/" if package else "") and not _is_foreign(path)]  # fmt: skip
        for path in nearest(near, tests):
            stem, ending = posixpath.splitext(posixpath.basename(path))
            for before, after in runner.marks:
                if core and stem.startswith(before) and stem.endswith(after) and stem not in (before, after):
                    return posixpath.join(posixpath.dirname(path), f"{before}{core[0]}{after}{ending}")
        if kind == "web" and filetype(near).lexer in ("typescript", "tsx"):
            files = f"{files.removesuffix('.js')}.ts"
        return posixpath.join(package, files)

    def _wrapped(self, folder: str, command: str) -> str:
        """The command with the wrapper that a repository brings, if it does."""
        program, _, rest = command.partition(" ")
        wrapper = {"mvn": "mvnw", "gradle": "gradlew"}.get(program, "")
        place = next((one for one in above(posixpath.join(folder, ".")) if wrapper and self.has(one, wrapper)), None)
        if place is None:
            return command
        return f"{posixpath.join(posixpath.relpath(place or '.', folder or '.'), wrapper)} {rest}"

    def packages(self) -> list[tuple[str, str, str]]:
        """Return what is installed: folder, name of the file that decides it, command. A package within one of its language is part of it."""
        rows: list[tuple[str, str, str]] = []
        for installs in INSTALLS.values():
            taken: set[str] = set()
            for folder in sorted(self.names, key=lambda folder: (folder.count("/") + bool(folder), folder)):
                name = next((name for name in installs if name in self.names[folder]), "")
                path = posixpath.join(folder, name)
                if name and taken.isdisjoint(above(path)) and not (is_test(path) or _is_foreign(path)):
                    taken.add(folder)
                    rows.append((folder, name, self._wrapped(folder, installs[name])))
        return rows[:MOST]

    def install(self) -> str:
        """Return the command that installs what tests need, from the top folder; "" if nothing declares anything."""
        rows = self.packages()
        return " && ".join(f"(cd {shlex.quote(folder or '.')} && {command})" for folder, _, command in rows)

    def decisive(self) -> list[str]:
        """Return the files that decide which packages there are."""
        requirements = re.compile(r"requirements[\w.-]*\.txt")
        return [posixpath.join(folder, name) for folder, first, _ in self.packages() for name in sorted(self.names[folder]) if name == first or requirements.fullmatch(name)]  # fmt: skip


def manifests(paths: Iterable[str]) -> list[str]:
    """Return the files of a tree whose text says which runner it has."""
    rows = [path for path in paths if path.rpartition("/")[2] in READ and vendored_folder(path) is None]
    return sorted(rows, key=lambda path: (path.count("/"), path))[:MOST_MANIFESTS]


def above(path: str) -> Iterator[str]:
    """The folders that a file is in, the nearest first, up to the top, which is ""."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def nearest(path: str, candidates: Iterable[str]) -> list[str]:
    """Return test files, those that are nearest to a file first: by the folders that they share, then by name."""
    at = PurePosixPath(path)
    stem, folders = at.stem.lower(), set(at.parent.parts)

    def near(one: str) -> tuple[int, int, int, str]:
        here = PurePosixPath(one)
        likeness = 0 if MARK.sub("", here.stem).lower() == stem else 1 if stem in here.stem.lower() else 2
        return -len(folders & set(here.parent.parts)), likeness, len(here.parts), one

    return sorted(candidates, key=near)


def _is_foreign(path: str) -> bool:
    """Whether a file is a sample, somebody else's, or one that another program runs (a browser)."""
    browsed = re.search(
        r"(?:^|/)(?:e2e|cypress|playwright|__snapshots__|__mocks__)/|\.d\.[cm]?ts$", path, re.IGNORECASE
    )
    return is_sample(path) or vendored_folder(path) is not None or browsed is not None


def _python(layout: Layout, folder: str) -> str:
    return "pytest" if layout.has(folder, *PYTHON) else ""


def _web(layout: Layout, folder: str) -> str:
    """The runner that a package.json names: first the one of its scripts, then what it depends upon."""
    with suppress(ValueError, RecursionError, AttributeError):
        package = json.loads(layout.text(folder, "package.json"))
        scripts = [
            str(script) for name, script in package.get("scripts", {}).items() if "test" in name or "unit" in name
        ]
        words = [*" ".join(scripts).split(), *package.get("dependencies", {}), *package.get("devDependencies", {})]
        return next((word for word in words if word in ("vitest", "jest")), "")
    return ""


def _jvm(layout: Layout, folder: str) -> str:
    return "maven" if layout.has(folder, "pom.xml") else "gradle" if layout.has(folder, *GRADLE) else ""


TESTS: Mapping[str, Callable[[Layout, str], str]] = {
    "python": _python,
    "web": _web,
    "go": lambda layout, folder: "go" if layout.has(folder, "go.mod") else "",
    "rust": lambda layout, folder: "cargo" if "[package]" in layout.text(folder, "Cargo.toml") else "",
    "jvm": _jvm,
    "ruby": lambda layout, folder: "rspec" if layout.has(folder, ".rspec") or "rspec" in layout.text(folder, "Gemfile") else "",
}  # fmt: skip
