"""Choose a test runner, a place for the new test and the install command, and interpret the output."""

import shlex
from collections.abc import Mapping

import pytest
from boxes import missing

from bot.config.defaults import RunSection
from bot.reproduction.runners import GENERIC, RUNNERS, Layout, Recipe, judge, manifests
from bot.values.reproduction import SandboxOutcome

boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


def layout(tree: Mapping[str, str]) -> Layout:
    """Return the layout of a tree, with the contents of its manifests."""
    return Layout(tuple(tree), {path: tree[path] for path in manifests(tree)})


def recipe(tree: Mapping[str, str], near: str, **section: object) -> Recipe | None:
    """Return how to run tests for a file."""
    return layout(tree).recipe(RunSection(**section), near)


TREES = [
    ({"a.py": ""}, "a.py", "pytest"),
    ({"package.json": '{"devDependencies": {"vitest": "^3", "jest": "1"}}'}, "a.js", "vitest"),
    ({"package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"vitest": "^3", "jest": "1"}}'}, "a.js", "jest"),
    ({"package.json": '{"devDependencies": {"jest": "^29"}}'}, "a.tsx", "jest"),
    ({"package.json": '{"devDependencies": {"mocha": "^11"}}'}, "a.js", None),
    ({"package.json": "[1, {"}, "a.js", None),
    ({"package.json": '{"dependencies": ["a"], "scripts": 7}'}, "a.js", None),
    ({"go.mod": "module x", "a.go": ""}, "a.go", "go"),
    ({"Cargo.toml": "[package]"}, "src/lib.rs", "cargo"),
    ({"Cargo.toml": "[workspace]"}, "src/lib.rs", None),
    ({"pom.xml": "<project/>"}, "src/main/java/A.java", "maven"),
    ({"build.gradle.kts": ""}, "src/main/kotlin/A.kt", "gradle"),
    ({"Gemfile": "gem 'rspec'"}, "lib/a.rb", "rspec"),
    ({"pyproject.toml": ""}, "a.c", None),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "near", "name"), TREES)
def test_runner_is_detected_from_the_manifests(tree: dict[str, str], near: str, name: str | None) -> None:
    """A broken manifest is ignored, and an unknown runner must be configured by the owner."""
    how = recipe(tree, near)
    assert (how.runner.name if how else None) == name


MAVEN = "-o -q -B -Dsurefire.failIfNoSpecifiedTests=true -Dsurefire.printSummary=true test"
PLACES = [
    ("backend/app/rate.py", "backend/tests/test_deeprepo_ab12.py", "cd backend && python3 -m pytest -o addopts= tests/test_deeprepo_ab12.py"),
    ("web/src/sum.ts", "web/src/deeprepo-ab12.test.ts", "cd web && npx --no-install vitest run src/deeprepo-ab12.test.ts"),
    ("service/pkg/a.go", "service/pkg/deeprepo_ab12_test.go", "cd service && go test -count=1 -run TestDeeprepo ./pkg"),
    ("crates/one/src/lib.rs", "crates/one/tests/deeprepo_ab12.rs", "cd crates/one && cargo test --offline --test deeprepo_ab12"),
    ("jvm/src/main/java/acme/Rate.java", "jvm/src/test/java/acme/Deeprepoab12Test.java", f"cd jvm && ../mvnw {MAVEN} -Dtest=Deeprepoab12Test"),
]  # fmt: skip


def test_configured_commands_and_paths_take_precedence() -> None:
    """Configured commands and paths take precedence, and a missing path is the runner's usual one."""
    own = recipe({"a.py": "", "checks/test_a.py": ""}, "a.py", test="uv run pytest -q {file}")
    assert own is not None
    assert (own.runner.name, own.files, own.folder) == ("pytest", "checks/test_deeprepo_{n}.py", "")
    other = recipe({}, "a.c", test="make check F={file}", files="t/deeprepo_{n}.c")
    assert other is not None
    assert (other.runner, other.command("t/x y.c")) == (GENERIC, "make check F='t/x y.c'")
    assert recipe({}, "a.c", test="make check") is None


INSTALLED = [
    ({"uv.lock": "", "pyproject.toml": "", "requirements.txt": ""}, ["uv sync --frozen"], ["uv.lock", "requirements.txt"]),
    ({"requirements.txt": "", "requirements-dev.txt": ""}, ["pip install -q -r $f"], ["requirements-dev.txt", "requirements.txt"]),
    ({"package.json": "{}", "package-lock.json": ""}, ["npm ci"], ["package-lock.json"]),
    ({"package.json": "{}"}, [], []),
    ({"yarn.lock": ""}, ["yarn install --frozen-lockfile"], ["yarn.lock"]),
    ({"pnpm-lock.yaml": ""}, ["pnpm install --frozen-lockfile"], ["pnpm-lock.yaml"]),
    ({"go.mod": "", "go.sum": ""}, ["go mod download"], ["go.sum"]),
    ({"Cargo.lock": ""}, ["cargo fetch --locked"], ["Cargo.lock"]),
    ({"Gemfile.lock": ""}, ["bundle install"], ["Gemfile.lock"]),
    ({"pom.xml": "", "mvnw": "", "a/pom.xml": ""}, ["./mvnw -q"], ["pom.xml"]),
    ({"build.gradle": ""}, ["gradle --no-daemon testClasses"], ["build.gradle"]),
    ({"a/go.sum": "", "web/package-lock.json": "", "web/docs/package-lock.json": "", "node_modules/x/package-lock.json": "", "tests/fixtures/go.sum": ""},
     ["(cd web && npm ci", "(cd a && go mod"], ["web/package-lock.json", "a/go.sum"]),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "commands", "install_inputs"), INSTALLED)
def test_install_command_is_detected_from_lock_files(tree: dict[str, str], commands: list[str], install_inputs: list[str]) -> None:  # fmt: skip
    """Each outermost package of a language is installed; vendored packages and test samples are skipped."""
    install = layout(tree).install()
    assert all(command in install for command in commands)
    assert install.count("(cd ") == len(commands)
    assert sorted(layout(tree).install_inputs()) == sorted(install_inputs)


def test_folder_name_cannot_become_a_command() -> None:
    """Folder names are quoted in shell commands."""
    folder = "a$(touch x)"
    assert shlex.quote(folder) in layout({f"{folder}/package-lock.json": ""}).install()


OUTPUTS = [
    ("pytest", 0, ".\n1 passed in 0.01s", "green"),
    ("pytest", 1, "E   AssertionError: assert 1 == 2\n1 failed in 0.02s", "red"),
    ("pytest", 1, "E       fixture 'client' not found\n1 error in 0.01s", "fault"),
    ("pytest", 2, "ERROR collecting tests/test_x.py\nE   ModuleNotFoundError: No module named 'x'\n1 error in 0.1s", "fault"),
    ("pytest", 5, "no tests ran in 0.00s", "fault"),
    ("pytest", 0, "1 skipped in 0.00s", "fault"),
    ("pytest", 0, "tests/test_x.py . [100%]\n\n============ 1 passed in 0.02s ============", "green"),
    ("vitest", 1, " FAIL  test/a.test.js\n      Tests  1 failed (1)", "red"),
    ("vitest", 1, 'Error: Failed to resolve import "../nope"\n Test Files  1 failed (1)\n      Tests  no tests', "fault"),
    ("jest", 1, "Tests:       1 failed, 1 total", "red"),
    ("jest", 1, "  ● Test suite failed to run\n\n    Cannot find module '../a'\n\nTests:       0 total", "fault"),
    ("jest", 127, "sh: 1: npx: not found", "fault"),
    ("go", 0, "ok  \tx/pkg\t0.002s", "green"),
    ("go", 1, "--- FAIL: TestDeeprepo (0.00s)\n    a_test.go:5: got 1\nFAIL\nFAIL\tx/pkg\t0.002s", "red"),
    ("go", 2, "panic: runtime error: index out of range [3]\nFAIL\tx/pkg\t0.002s", "red"),
    ("go", 1, "# x/pkg\n./a_test.go:5:2: undefined: Sum\nFAIL\tx/pkg [build failed]", "fault"),
    ("go", 0, "ok  \tx/pkg\t0.002s [no tests to run]", "fault"),
    ("cargo", 0, "running 1 test\ntest it ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored", "green"),
    ("cargo", 101, "test result: FAILED. 0 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--test deeprepo_1`", "red"),
    ("cargo", 101, 'error[E0425]: cannot find function `sum`\nerror: could not compile `x` (test "deeprepo_1")', "fault"),
    ("maven", 0, "", "green"),
    ("maven", 1, "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n[ERROR] BUILD FAILURE", "red"),
    ("maven", 1, "[ERROR] COMPILATION ERROR :\n[ERROR] cannot find symbol", "fault"),
    ("gradle", 1, "Deeprepo1Test > it() FAILED\n\n1 test completed, 1 failed\n> There were failing tests.", "red"),
    ("gradle", 1, "error: cannot find symbol\n> Compilation failed; see the compiler error output", "fault"),
    ("rspec", 0, "1 example, 0 failures", "green"),
    ("rspec", 1, "1 example, 1 failure", "red"),
    ("rspec", 1, "0 examples, 0 failures, 1 error occurred outside of examples", "fault"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "status", "output", "result"), OUTPUTS)
def test_outcome_needs_more_than_an_exit_status(name: str, status: int, output: str, result: str) -> None:
    """An exit status isn't enough, because runners also fail if they find or load no test."""
    assert judge(RUNNERS[name], SandboxOutcome("exit", status, output, 0.1, ())) == result


@pytest.mark.parametrize("ending", ["seconds", "memory", "output", "setup"])
def test_run_that_hit_a_limit_has_no_result(ending: str) -> None:
    """A run that hit a limit has no result, even if it printed one."""
    assert judge(RUNNERS["pytest"], SandboxOutcome(ending, 1, "1 failed", 0.1, ())) == "limit"  # type: ignore[arg-type]


PYTHON = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, {})\n"
OWN = [
    (PYTHON.format(1), "green"),
    (PYTHON.format(2), "red"),
    ("import nowhere\n" + PYTHON.format(1), "fault"),
    ("def broken(:\n", "fault"),
    ("x = 1\n", "fault"),
]
