"""Test runners: the command of each, the usual place of a new test, and what its output means."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.review.running.values import Outcome

Result = Literal["green", "red", "fault", "limit"]
Marks = tuple[tuple[str, str], ...]
PYTHON: Marks = (("test_", ""), ("", "_test"))
WEB: Marks = (("", ".test"), ("", ".spec"), ("", "-test"), ("", "_test"), ("", "-spec"), ("test-", ""), ("test.", ""))


@dataclass(frozen=True, slots=True)
class Preset:
    """One test runner. `test` and `files` are filled in by `Recipe`: {file}, {folder}, {name}, {module}, {n}."""

    name: str
    language: str  # its name in a prompt
    test: str
    files: str  # where a new test goes in a package that has none
    green: re.Pattern[str]  # matches the output of a test that passed: an exit status alone may mean that none ran
    red: re.Pattern[str]  # of a test that failed by an assertion or an error of the code that it calls
    fault: re.Pattern[str]  # the test itself is at fault: not found, does not parse, lacks imports or fixtures
    own: str = ""  # runs a test file that is there already; "": as `test` does
    marks: Marks = ()  # before and after the name of a test file that the runner collects; none: a new one goes where `files` has it
    plain: bool = False  # whether it runs a file without such a mark, too


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE)


PRESETS: Mapping[str, Preset] = {
    one.name: one
    for one in (
        Preset(
            "pytest", "Python, pytest", "python3 -m pytest {file}", "tests/test_deeprepo_{n}.py",
            _any(r"^\d+ passed", r"^=+ .*\b\d+ passed"), _any(r"\b[1-9]\d* failed"),
            _any(r"^E +(?:fixture '|SyntaxError|IndentationError)", r"ERROR collecting", r"error during collection", r"errors? in \d", r"no tests ran",
                 r"^ERROR: ", r"No module named pytest"), marks=PYTHON,
        ),
        Preset(
            "unittest", "Python, unittest", "python3 -m unittest -v {file}", "tests/test_deeprepo_{n}.py",
            _any(r"^Ran [1-9]\d* tests? in [\d.]+s\n+OK"), _any(r"^FAILED \("),
            _any(r"unittest\.loader\._FailedTest", r"Failed to import test module", r"^Ran 0 tests", r"^NO TESTS RAN", r"^SyntaxError", r"^IndentationError"), marks=PYTHON,
        ),
        Preset(
            "django", "Python, the test runner of Django (`django.test.TestCase`)", "python3 manage.py test -v 2 {module}", "tests/test_deeprepo_{n}.py",
            _any(r"^Ran [1-9]\d* tests? in [\d.]+s\n+OK"), _any(r"^FAILED \("),
            _any(r"unittest\.loader\._FailedTest", r"Failed to import test module", r"^Ran 0 tests", r"^NO TESTS RAN", r"^SyntaxError", r"^IndentationError",
                 r"ImproperlyConfigured", r"No module named 'django'"), marks=PYTHON,
        ),
        Preset(
            "vitest", "JavaScript or TypeScript, vitest", "npx --no-install vitest run {file}", "test/deeprepo-{n}.test.js",
            _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No test files found", r"Failed Suites", r"SyntaxError", r"Transform failed", r"Failed to resolve import", r"Cannot find (?:module|package)"), marks=WEB[:2],
        ),
        Preset(
            "jest", "JavaScript or TypeScript, jest", "npx --no-install jest --ci --coverage=false {file}", "__tests__/deeprepo-{n}.test.js",
            _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* passed"), _any(r"^[ \t]{0,8}Tests:[ \t].{0,200}?\b[1-9]\d* failed"),
            _any(r"No tests found", r"Test suite failed to run", r"Cannot find module"), marks=WEB[:2],
        ),
        Preset(
            "mocha", "JavaScript or TypeScript, mocha", "npx --no-install mocha {file}", "test/deeprepo-{n}.test.js",
            _any(r"^[ \t]{0,8}[1-9]\d* passing"), _any(r"^[ \t]{0,8}[1-9]\d* failing"),
            _any(r"No test files found", r"SyntaxError", r"ERR_MODULE_NOT_FOUND", r"Cannot find module", r"ERR_UNKNOWN_FILE_EXTENSION"),
            marks=WEB, plain=True,
        ),
        Preset(
            "node", "JavaScript, node:test and node:assert", "node --test --test-reporter=tap {file}", "test/deeprepo-{n}.test.mjs",
            _any(r"^# pass [1-9]\d*$"), _any(r"^# fail [1-9]\d*$"),
            _any(r"^# tests 0$", r"SyntaxError", r"ERR_MODULE_NOT_FOUND", r"MODULE_NOT_FOUND", r"ERR_UNKNOWN_FILE_EXTENSION",
                 r"failureType: 'uncaughtException'", r"Could not find"), marks=WEB, plain=True,
        ),
        Preset(
            "go", "Go, testing", "go test -count=1 -run TestDeeprepo ./{folder}", "{beside}/deeprepo_{n}_test.go",
            _any(r"^ok\s"), _any(r"^--- FAIL", r"^panic: "),
            _any(r"\[build failed\]", r"\[setup failed\]", r"no test files", r"no tests to run", r"no required module"),
            own="go test -count=1 ./{folder}",
        ),
        Preset(
            "cargo", "Rust, an integration test of cargo", "cargo test --offline --test {name}", "tests/deeprepo_{n}.rs",
            _any(r"^test result: ok\. [1-9]"), _any(r"^test result: FAILED"),
            _any(r"^error(?:\[E\d+\])?: (?!test failed)", r"could not compile", r"\. 0 passed; 0 failed"),
        ),
        Preset(
            "dotnet", "C#, the test framework of the project", "dotnet test --no-restore --filter Deeprepo{n}", "{beside}/Deeprepo{n}Tests.cs",
            _any(r"Passed!\s{1,20}-", r"^[ \t]{0,20}Passed: {1,20}[1-9]"), _any(r"Failed!\s{1,20}-", r"^[ \t]{0,20}Failed: {1,20}[1-9]"),
            _any(r"error CS\d+", r"No test matches", r"error NU\d+", r"error MSB\d+"), own="dotnet test --no-restore --filter FullyQualifiedName~{name}", marks=(("", "Tests"), ("", "Test")),
        ),
        Preset(
            "maven", "Java, JUnit", "mvn -o -q -B -Dsurefire.failIfNoSpecifiedTests=true -Dsurefire.printSummary=true test -Dtest={name}",
            "src/test/java/Deeprepo{n}Test.java",
            re.compile(r"\A(?!.*\[ERROR\])", re.DOTALL), _any(r"Tests run: [1-9]\d*, (?:Failures: [1-9]|Failures: \d+, Errors: [1-9])"),
            _any(r"COMPILATION ERROR", r"No tests (?:were executed|matching)", r"Could not resolve", r"Cannot access"), marks=(("", "Test"), ("", "Tests")),
        ),
        Preset(
            "gradle", "Java or Kotlin, JUnit", "gradle --offline --no-daemon test --tests {name}", "src/test/java/Deeprepo{n}Test.java",
            _any(r"^BUILD SUCCESSFUL"), _any(r"^\w[^>\n]{0,300} > [^\n]{0,300}? FAILED", r"There were failing tests"),
            _any(r"Compilation failed", r"No tests found", r"Could not resolve", r"No cached version"),
            marks=(("", "Test"), ("", "Tests"), ("", "Spec")),
        ),
        Preset(
            "rspec", "Ruby, RSpec", "bundle exec rspec {file}", "spec/deeprepo_{n}_spec.rb",
            _any(r"^[1-9]\d* examples?, 0 failures$"), _any(r"^[1-9]\d* examples?, [1-9]\d* failures?"),
            _any(r"errors? occurred outside of examples", r"^0 examples", r"LoadError", r"SyntaxError"), marks=(("", "_spec"),),
        ),
        Preset(
            "phpunit", "PHP, PHPUnit", "vendor/bin/phpunit {file}", "tests/Deeprepo{n}Test.php",
            _any(r"^OK \([1-9]"), _any(r"^FAILURES!", r"^ERRORS!"),
            _any(r"No tests executed", r"PHP Parse error", r"PHP Fatal error", r"Class .{0,200} (?:not found|cannot be found)"), marks=(("", "Test"),),
        ),
    )
}  # fmt: skip
GENERIC = Preset(
    "", "the language and the runner of the tests shown", "", "", re.compile(""), re.compile(""),
    _any(r"SyntaxError", r"[Nn]o tests?\b", r"not found", r"No such file", r"cannot find"),
)  # fmt: skip


def judge(preset: Preset, outcome: Outcome) -> Result:
    """Return what a run of one test means. Only a test that ran and failed by itself is red."""
    if outcome.ending != "exit":
        return "limit"
    if preset.fault.search(outcome.output) or outcome.status in (126, 127):
        return "fault"
    if outcome.status == 0:
        return "green" if preset.green.search(outcome.output) else "fault"
    return "red" if preset.red.search(outcome.output) else "fault"
