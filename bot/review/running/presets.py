"""How the tests of a repository are run, as its files tell, and what the output of each runner means."""

import re
import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from bot.review.running.values import Outcome
from bot.text.filetypes import filetype

if TYPE_CHECKING:
    from bot.config import RunSection

Result = Literal["green", "red", "fault", "limit"]
MANIFESTS = (
    "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "conftest.py", "requirements.txt", "requirements-dev.txt", "package.json", "go.mod",
    "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json", ".rspec",
)  # fmt: skip
LOCKS = frozenset(
    ["uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
     "go.sum", "go.mod", "Cargo.lock", "Gemfile.lock", "composer.lock", "packages.lock.json", "gradle.lockfile"]
)  # fmt: skip  # by base name: what decides which dependencies there are
UNLOCKED = frozenset(
    ["pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "requirements-dev.txt", "package.json", "Cargo.toml", "pom.xml",
     "build.gradle", "build.gradle.kts", "Gemfile", "composer.json"]
)  # fmt: skip  # the same in a repository that has no lock file


@dataclass(frozen=True, slots=True)
class Preset:
    """One test runner. `test` and `files` are filled in by `Recipe`: {file}, {folder}, {name}, {n}."""

    name: str
    language: str  # as a model is told
    test: str
    files: str
    prepare: str
    green: re.Pattern[str]  # matches the output of a test that passed: an exit status alone may mean that none ran
    red: re.Pattern[
        str
    ]  # matches the output of a test that failed by an assertion or an error of the code that it calls
    fault: re.Pattern[
        str
    ]  # the test itself is at fault: it was not found, does not parse, or its imports or fixtures are missing
    own: str = ""  # runs a test file that is there already; "": as `test` does


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE)


PRESETS: Mapping[str, Preset] = {
    one.name: one
    for one in (
        Preset(
            "pytest", "Python, pytest", "python3 -m pytest -q -x -p no:cacheprovider {file}", "tests/test_deeprepo_{n}.py",
            "python3 -m venv .venv && .venv/bin/pip install -e . pytest",
            _any(r"^\d+ passed", r"^=+ .*\b\d+ passed"), _any(r"\b[1-9]\d* failed"),
            _any(r"^E +(?:fixture '|SyntaxError|IndentationError)", r"ERROR collecting", r"error during collection", r"errors? in \d", r"no tests ran",
                 r"^ERROR: ", r"No module named pytest"),
        ),
        Preset(
            "unittest", "Python, unittest", "python3 -m unittest -v {file}", "tests/test_deeprepo_{n}.py", "",
            _any(r"^Ran [1-9]\d* tests? in [\d.]+s\n+OK"), _any(r"^FAILED \("),
            _any(r"unittest\.loader\._FailedTest", r"Failed to import test module", r"^Ran 0 tests", r"^NO TESTS RAN", r"^SyntaxError", r"^IndentationError"),
        ),
        Preset(
            "vitest", "JavaScript or TypeScript, vitest", "npx --no-install vitest run {file}", "test/deeprepo-{n}.test.js", "npm ci",
            _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No test files found", r"Failed Suites", r"SyntaxError", r"Transform failed", r"Failed to resolve import", r"Cannot find (?:module|package)"),
        ),
        Preset(
            "jest", "JavaScript or TypeScript, jest", "npx --no-install jest --ci {file}", "__tests__/deeprepo-{n}.test.js", "npm ci",
            _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No tests found", r"Test suite failed to run", r"Cannot find module"),
        ),
        Preset(
            "node", "JavaScript, node:test and node:assert", "node --test --test-reporter=tap {file}", "test/deeprepo-{n}.test.mjs", "npm ci",
            _any(r"^# pass [1-9]\d*$"), _any(r"^# fail [1-9]\d*$"),
            _any(r"^# tests 0$", r"SyntaxError", r"ERR_MODULE_NOT_FOUND", r"MODULE_NOT_FOUND", r"ERR_UNKNOWN_FILE_EXTENSION",
                 r"failureType: 'uncaughtException'", r"Could not find"),
        ),
        Preset(
            "go", "Go, testing", "go test -count=1 -run TestDeeprepo ./{folder}", "{beside}/deeprepo_{n}_test.go", "go mod download",
            _any(r"^ok\s"), _any(r"^--- FAIL", r"^panic: "),
            _any(r"\[build failed\]", r"\[setup failed\]", r"no test files", r"no tests to run", r"no required module"),
            own="go test -count=1 ./{folder}",
        ),
        Preset(
            "cargo", "Rust, an integration test of cargo", "cargo test --offline --test {name}", "tests/deeprepo_{n}.rs", "cargo fetch",
            _any(r"^test result: ok\. [1-9]"), _any(r"^test result: FAILED"),
            _any(r"^error(?:\[E\d+\])?: (?!test failed)", r"could not compile", r"\. 0 passed; 0 failed"),
        ),
        Preset(
            "dotnet", "C#, the test framework of the project", "dotnet test --no-restore --filter Deeprepo{n}", "{beside}/Deeprepo{n}Tests.cs",
            "dotnet restore", _any(r"Passed!\s{1,20}-", r"^[ \t]{0,20}Passed: {1,20}[1-9]"), _any(r"Failed!\s{1,20}-", r"^[ \t]{0,20}Failed: {1,20}[1-9]"),
            _any(r"error CS\d+", r"No test matches", r"error NU\d+", r"error MSB\d+"), own="dotnet test --no-restore --filter FullyQualifiedName~{name}",
        ),
        Preset(
            "maven", "Java, JUnit", "mvn -o -q -B -Dsurefire.failIfNoSpecifiedTests=true -Dsurefire.printSummary=true test -Dtest={name}",
            "src/test/java/Deeprepo{n}Test.java", "mvn -q -B dependency:go-offline test-compile",
            re.compile(r"\A(?!.*\[ERROR\])", re.DOTALL), _any(r"Tests run: [1-9]\d*, (?:Failures: [1-9]|Failures: \d+, Errors: [1-9])"),
            _any(r"COMPILATION ERROR", r"No tests (?:were executed|matching)", r"Could not resolve", r"Cannot access"),
        ),
        Preset(
            "gradle", "Java or Kotlin, JUnit", "gradle --offline --no-daemon test --tests {name}", "src/test/java/Deeprepo{n}Test.java",
            "gradle --no-daemon testClasses", _any(r"^BUILD SUCCESSFUL"), _any(r"^\w[^>\n]{0,300} > [^\n]{0,300}? FAILED", r"There were failing tests"),
            _any(r"Compilation failed", r"No tests found", r"Could not resolve", r"No cached version"),
        ),
        Preset(
            "rspec", "Ruby, RSpec", "bundle exec rspec {file}", "spec/deeprepo_{n}_spec.rb", "bundle config set --local path vendor/bundle && bundle install",
            _any(r"^[1-9]\d* examples?, 0 failures$"), _any(r"^[1-9]\d* examples?, [1-9]\d* failures?"),
            _any(r"errors? occurred outside of examples", r"^0 examples", r"LoadError", r"SyntaxError"),
        ),
        Preset(
            "phpunit", "PHP, PHPUnit", "vendor/bin/phpunit {file}", "tests/Deeprepo{n}Test.php", "composer install --no-interaction",
            _any(r"^OK \([1-9]"), _any(r"^FAILURES!", r"^ERRORS!"),
            _any(r"No tests executed", r"PHP Parse error", r"PHP Fatal error", r"Class .{0,200} (?:not found|cannot be found)"),
        ),
    )
}  # fmt: skip
GENERIC = Preset(
    "", "the language and the runner of the tests shown", "", "", "", re.compile(""), re.compile(""),
    _any(r"SyntaxError", r"[Nn]o tests?\b", r"not found", r"No such file", r"cannot find"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one repository's tests are run: a preset with what its owner says otherwise."""

    preset: Preset
    test: str
    files: str
    prepare: str = ""
    own: str = ""  # for a test file that is there already

    def path(self, number: str, near: str) -> str:
        """The path of a new test file. `near`: the file that it is about."""
        folder = str(PurePosixPath(near).parent)
        return str(PurePosixPath(self.files.replace("{n}", number).replace("{beside}", folder)))

    def command(self, path: str, number: str = "") -> str:
        """The command that runs one new test file."""
        return self._filled_in(self.test, path, number)

    def own_command(self, path: str) -> str:
        """The command that runs a test file of the repository."""
        return self._filled_in(self.own or self.test, path, "")

    def _filled_in(self, test: str, path: str, number: str) -> str:
        at = PurePosixPath(path)
        known = {"file": path, "folder": str(at.parent), "name": at.stem, "n": number}
        return re.sub(r"\{(file|folder|name|n)\}", lambda match: shlex.quote(known[match[1]]), test)


def detect(paths: Collection[str], text: Callable[[str], str]) -> Preset | None:
    """Return the runner that the files at the top of a tree tell of. `text`: of such a file."""
    has = {path for path in paths if "/" not in path}
    package = text("package.json") if "package.json" in has else ""
    python = any(filetype(path).parser == "python" for path in paths)
    told = [
        ("pytest", python and ({"pytest.ini", "conftest.py"} & has or any(
            "pytest" in text(name) for name in MANIFESTS if name in has and name.endswith((".toml", ".cfg", ".ini", ".txt"))
        ) or any(path.endswith("/conftest.py") for path in paths))),
        ("vitest", '"vitest"' in package),
        ("jest", '"jest"' in package),
        ("go", "go.mod" in has),
        ("cargo", "Cargo.toml" in has),
        ("dotnet", any(path.endswith((".csproj", ".sln")) for path in paths)),
        ("maven", "pom.xml" in has),
        ("gradle", bool({"build.gradle", "build.gradle.kts"} & has)),
        ("rspec", ".rspec" in has or ("Gemfile" in has and "rspec" in text("Gemfile"))),
        ("phpunit", "composer.json" in has and "phpunit" in text("composer.json")),
        ("node", bool(package) or any(path.endswith((".test.js", ".test.mjs")) for path in paths)),
        ("unittest", python),
    ]  # fmt: skip
    return next((PRESETS[name] for name, found in told if found), None)


def judge(preset: Preset, outcome: Outcome) -> Result:
    """Return what a run of one test means. Only a test that ran and failed by itself is red."""
    if outcome.ending != "exit":
        return "limit"
    if preset.fault.search(outcome.output) or outcome.status in (126, 127):
        return "fault"
    if outcome.status == 0:
        return "green" if preset.green.search(outcome.output) else "fault"
    return "red" if preset.red.search(outcome.output) else "fault"


def locks(paths: Collection[str]) -> list[str]:
    """Return the files that decide which dependencies there are."""
    exact = sorted(path for path in paths if path.rpartition("/")[2] in LOCKS)
    return exact or sorted(path for path in paths if path.rpartition("/")[2] in UNLOCKED)


def recipe(section: "RunSection", preset_found: Preset | None) -> Recipe | None:
    """Return how tests are run: by the owner's section, and by the runner that was preset_found where it says nothing. None: nobody knows."""
    test, files = section.test, section.files
    preset = _meant(test) if test else preset_found
    own = "" if test or preset is None else preset.own
    test, files = test or (preset.test if preset else ""), files or (preset or preset_found or GENERIC).files
    return (
        Recipe(preset=preset or GENERIC, test=test, files=files, prepare=section.prepare or "", own=own)
        if test and files
        else None
    )


def _meant(test: str) -> Preset | None:
    """The runner whose name an owner's command has; the longest first: `vitest` is no `jest`."""
    words = set(re.findall(r"[\w-]+", test))
    named = {"mvn": "maven", "mvnw": "maven", "gradlew": "gradle", "manage": "unittest"}  # Django's `manage.py test`
    known = [*({named[word] for word in words & named.keys()}), *(name for name in PRESETS if name in words)]
    return PRESETS[known[0]] if known else None
