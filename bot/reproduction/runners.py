"""The test runners: how to run a test, where to add a new one, what the output means, and what to install.

The files in the tree determine the runner: pytest, Vitest, Jest, `go test`, `cargo test`, Maven, Gradle or
RSpec. For any other runner, the owner must set `run.test`.
"""

import posixpath
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.values.reproduction import SandboxOutcome, TestResult
from deeprepo.impact.filetypes import family, filetype
from deeprepo.impact.text.paths import is_sample, is_test, vendored_folder

if TYPE_CHECKING:
    from bot.config.defaults import RunSection

MAX_PACKAGES = 12  # packages for which dependencies are installed
MOST_MANIFESTS = 1_000  # manifests that are read, those nearest to the root first
MANIFEST_NAMES = frozenset(["package.json", "Cargo.toml", "Gemfile"])
_IN_BROWSER = re.compile(r"(?:^|/)(?:e2e|cypress|playwright|__snapshots__|__mocks__)/|\.d\.[cm]?ts$", re.IGNORECASE)
_WEB_RUNNER = re.compile(r"(?<![\w@/-])(vitest|jest)(?![\w/-])")


@dataclass(frozen=True, slots=True)
class Runner:
    """A test runner. `Recipe` fills in `test` and `files`: {file}, {folder}, {name}, {module}, {n}."""

    name: str
    language: str  # its name in prompts
    test: str
    files: str  # where a new test goes if the package has none
    # Matches the output of a passed test; exit status 0 can also mean that no test ran.
    green: re.Pattern[str]
    # Matches the output of a failed test: a failed assertion or an error in the called code.
    red: re.Pattern[str]
    # Matches the output of a faulty test: not found, does not parse, or lacks imports or fixtures.
    fault: re.Pattern[str]
    own: str = ""  # command for an existing test file; "" to use `test`


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE)


RUNNERS: Mapping[str, Runner] = {
    one.name: one
    for one in (
        Runner(  # without addopts, because options such as a coverage threshold would fail a single test
            "pytest", "Python, pytest", "python3 -m pytest -o addopts= {file}", "tests/test_deeprepo_{n}.py",
            _any(r"^\d+ passed", r"^=+ .*\b\d+ passed"), _any(r"\b[1-9]\d* failed"),
            _any(r"^E +(?:fixture '|SyntaxError|IndentationError)", r"ERROR collecting", r"error during collection", r"errors? in \d", r"no tests ran",
                 r"^ERROR: ", r"No module named pytest"),
        ),
        Runner(
            "vitest", "JavaScript or TypeScript, vitest", "npx --no-install vitest run {file}", "test/deeprepo-{n}.test.js",
            _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No test files found", r"Failed Suites", r"SyntaxError", r"Transform failed", r"Failed to resolve import", r"Cannot find (?:module|package)"),
        ),
        Runner(
            "jest", "JavaScript or TypeScript, jest", "npx --no-install jest --ci --coverage=false {file}", "__tests__/deeprepo-{n}.test.js",
            _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No tests found", r"Test suite failed to run", r"Cannot find module"),
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
            _any(r"COMPILATION ERROR", r"No tests (?:were executed|matching)", r"Could not resolve", r"Cannot access"),
        ),
        Runner(
            "gradle", "Java or Kotlin, JUnit", "gradle --offline --no-daemon test --tests {name}", "src/test/java/Deeprepo{n}Test.java",
            _any(r"^BUILD SUCCESSFUL"), _any(r"^\w[^>\n]{0,300} > [^\n]{0,300}? FAILED", r"There were failing tests"),
            _any(r"Compilation failed", r"No tests found", r"Could not resolve", r"No cached version"),
        ),
        Runner(
            "rspec", "Ruby, RSpec", "bundle exec rspec {file}", "spec/deeprepo_{n}_spec.rb",
            _any(r"^[1-9]\d* examples?, 0 failures$"), _any(r"^[1-9]\d* examples?, [1-9]\d* failures?"),
            _any(r"errors? occurred outside of examples", r"^0 examples", r"LoadError", r"SyntaxError"),
        ),
    )
}  # fmt: skip
GENERIC = Runner(
    "", "the language and the runner of the tests shown", "", "", re.compile(""), re.compile(""),
    _any(r"SyntaxError", r"IndentationError", r"Failed to import test module", r"_FailedTest", r"Cannot find module", r"^Ran 0 tests", r"[Nn]o tests?\b",
         r"NO TESTS RAN", r"not found", r"No such file", r"cannot find"),
)  # fmt: skip
PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt")
GRADLE = ("build.gradle", "build.gradle.kts")
# By language, the commands that install a folder's dependencies. The first of these files that exists
# decides.
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


def judge(runner: Runner, outcome: SandboxOutcome) -> TestResult:
    """Return the result of a test run. It is only "red" if the test ran and failed."""
    if outcome.ending != "exit":
        return "limit"
    if runner.fault.search(outcome.output) or outcome.status in (126, 127):
        return "fault"
    if outcome.status == 0:
        return "green" if runner.green.search(outcome.output) else "fault"
    return "red" if runner.red.search(outcome.output) else "fault"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to run tests for one file: the runner, with the owner's settings applied."""

    runner: Runner
    test: str
    files: str
    folder: str = ""  # where commands run

    def path(self, number: str, near: str) -> str:
        """Return the path of a new test file. `number` makes it unique, and `near` is the file under test."""
        folder = str(PurePosixPath(near).parent)
        return str(PurePosixPath(self.files.replace("{n}", number).replace("{beside}", folder)))

    def command(self, path: str, number: str = "") -> str:
        """Return the command that runs one test file from the repository's root.

        `number` is set for a new test file.
        """
        test = self.test if number or self.test != self.runner.test else self.runner.own or self.test
        at = PurePosixPath(posixpath.relpath(path, self.folder or "."))
        module = ".".join(at.with_suffix("").parts)
        values = {"file": str(at), "folder": str(at.parent), "name": at.stem, "module": module, "n": number}
        command = re.sub(r"\{(file|folder|name|module|n)\}", lambda match: shlex.quote(values[match[1]]), test)
        return f"cd {shlex.quote(self.folder)} && {command}" if self.folder else command


@dataclass(frozen=True)
class Layout:
    """The paths in a tree, and the texts of the files that `manifests` returns."""

    paths: Collection[str]
    texts: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)  # file names by folder

    def __post_init__(self) -> None:
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            self.names.setdefault(folder, set()).add(name)

    def has(self, folder: str, *names: str) -> bool:
        """Return whether a folder contains one of these files."""
        return not self.names.get(folder, set()).isdisjoint(names)

    def runner(self, near: str) -> tuple[Runner, str] | None:
        """Return the test runner for a file and the folder that determines it, or None if it is unknown."""
        kind = filetype(near)
        for folder in above(near):
            if name := self._runner_of(folder, kind.family) or self._runner_of(folder, kind.lexer):
                return RUNNERS[name], folder
        return (RUNNERS["pytest"], "") if "python" in (kind.family, kind.lexer) else None

    def _runner_of(self, folder: str, language: str) -> str:
        named = _WEB_RUNNER.search(self._text(folder, "package.json")) if language == "web" else None
        is_used = {
            "python": {"pytest": self.has(folder, *PYTHON)},
            "web": {named[1]: True} if named else {},
            "go": {"go": self.has(folder, "go.mod")},
            "rust": {"cargo": "[package]" in self._text(folder, "Cargo.toml")},
            "jvm": {"maven": self.has(folder, "pom.xml"), "gradle": self.has(folder, *GRADLE)},
            "ruby": {"rspec": self.has(folder, ".rspec") or "rspec" in self._text(folder, "Gemfile")},
        }
        return next((name for name, used in is_used.get(language, {}).items() if used), "")

    def _text(self, folder: str, name: str) -> str:
        return self.texts.get(posixpath.join(folder, name), "")

    def recipe(self, section: "RunSection", near: str) -> Recipe | None:
        """Return how to run a file's tests, from the settings or the tree, or None if it is unknown."""
        found, folder = self.runner(near) or (GENERIC, "")
        if not section.test:
            files = section.files or self._new_file(found, folder, near)
            return Recipe(found, self._wrapped(folder, found.test), files, folder) if found.test else None
        words = set(re.findall(r"\w+", section.test.replace("mvn", "maven")))
        meant = next((RUNNERS[name] for name in RUNNERS if name in words), GENERIC)
        files = section.files or self._new_file(meant if meant.files else found, folder, near)
        return Recipe(meant, section.test, files) if files else None

    def _new_file(self, runner: Runner, package: str, near: str) -> str:
        """Return a new test's path: next to the package's nearest test, or in the runner's usual folder."""
        if not runner.files or runner.files.startswith("{beside}"):
            return runner.files
        within = f"{package}/" if package else ""
        kind = family(runner.files)
        tests = nearest(near, (path for path in self.paths if path.startswith(within) and family(path) == kind))
        folder, name = posixpath.split(runner.files)
        if filetype(near).lexer in ("typescript", "tsx"):
            name = f"{name.removesuffix('.js')}.ts"
        return posixpath.join(posixpath.dirname(tests[0]) if tests else posixpath.join(package, folder), name)

    def _wrapped(self, folder: str, command: str) -> str:
        """Return the command with the repository's own wrapper, such as `mvnw`, if there is one."""
        program, _, rest = command.partition(" ")
        wrapper = {"mvn": "mvnw", "gradle": "gradlew"}.get(program, "")
        place = next((one for one in above(posixpath.join(folder, ".")) if wrapper and self.has(one, wrapper)), None)
        if place is None:
            return command
        return f"{posixpath.join(posixpath.relpath(place or '.', folder or '.'), wrapper)} {rest}"

    def packages(self) -> list[tuple[str, str, str]]:
        """Return the packages to install: folder, the file that determines the command, and the command.

        A package inside another one of the same language is skipped.
        """
        rows: list[tuple[str, str, str]] = []
        for installs in INSTALLS.values():
            taken: set[str] = set()
            for folder in sorted(self.names, key=lambda folder: (folder.count("/") + bool(folder), folder)):
                name = next((name for name in installs if name in self.names[folder]), "")
                path = posixpath.join(folder, name)
                if name and taken.isdisjoint(above(path)) and not (is_test(path) or _is_unsuitable(path)):
                    taken.add(folder)
                    rows.append((folder, name, self._wrapped(folder, installs[name])))
        return rows[:MAX_PACKAGES]

    def install(self) -> str:
        """Return the command that installs all packages, for the repository's root; "" if there are none."""
        rows = self.packages()
        return " && ".join(f"(cd {shlex.quote(folder or '.')} && {command})" for folder, _, command in rows)

    def install_inputs(self) -> list[str]:
        """Return the paths of the files that determine what is installed."""
        return [
            posixpath.join(folder, name)
            for folder, first, _ in self.packages()
            for name in sorted(self.names[folder])
            if name == first or (name.startswith("requirements") and name.endswith(".txt"))
        ]


def manifests(paths: Iterable[str]) -> list[str]:
    """Return the paths of the files whose text determines a package's test runner."""
    rows = [path for path in paths if path.rpartition("/")[2] in MANIFEST_NAMES and vendored_folder(path) is None]
    return sorted(rows, key=lambda path: (path.count("/"), path))[:MOST_MANIFESTS]


def above(path: str) -> Iterator[str]:
    """Yield the folders that contain a file, nearest first, up to the root, which is ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def nearest(path: str, candidates: Iterable[str]) -> list[str]:
    """Return the tests among the candidates, nearest to a file first: by shared folders, then by name."""
    at = PurePosixPath(path)
    stem, folders = at.stem.lower(), set(at.parent.parts)

    def distance(one: str) -> tuple[int, bool, int, str]:
        folder = PurePosixPath(one)
        return -len(folders & set(folder.parent.parts)), stem not in folder.stem.lower(), len(folder.parts), one

    return sorted(
        (candidate for candidate in candidates if is_test(candidate) and not _is_unsuitable(candidate)), key=distance
    )


def _is_unsuitable(path: str) -> bool:
    """Return whether a test file is a sample, vendored, or needs a browser."""
    return is_sample(path) or vendored_folder(path) is not None or bool(_IN_BROWSER.search(path))
