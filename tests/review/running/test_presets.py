"""Which runner a repository has, and what the output of each means: only a test that ran and failed by itself is red."""

import asyncio
import shutil
import sysconfig
import tempfile
from pathlib import Path

import pytest
from boxes import LIMITS, box, missing, run

from bot.review.running.execute import execute
from bot.review.running.presets import PRESETS, judge
from bot.review.running.runners import Recipe
from bot.review.running.values import Outcome, Run, Sandbox

boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

OUTPUTS = [
    ("pytest", 0, ".\n1 passed in 0.01s", "green"),
    ("pytest", 1, "E   AssertionError: assert 1 == 2\n1 failed in 0.02s", "red"),
    ("pytest", 1, "E       fixture 'client' not found\n1 error in 0.01s", "fault"),
    ("pytest", 2, "ERROR collecting tests/test_x.py\nE   ModuleNotFoundError: No module named 'x'\n1 error in 0.1s", "fault"),
    ("pytest", 5, "no tests ran in 0.00s", "fault"),
    ("pytest", 0, "1 skipped in 0.00s", "fault"),
    ("unittest", 0, "Ran 0 tests in 0.000s\n\nOK", "fault"),
    ("vitest", 1, " FAIL  test/a.test.js\n      Tests  1 failed (1)", "red"),
    ("vitest", 1, 'Error: Failed to resolve import "../nope"\n Test Files  1 failed (1)\n      Tests  no tests', "fault"),
    ("jest", 1, "Tests:       1 failed, 1 total", "red"),
    ("jest", 1, "  ● Test suite failed to run\n\n    Cannot find module '../a'\n\nTests:       0 total", "fault"),
    ("go", 0, "ok  \tx/pkg\t0.002s", "green"),
    ("go", 1, "--- FAIL: TestDeeprepo (0.00s)\n    a_test.go:5: got 1\nFAIL\nFAIL\tx/pkg\t0.002s", "red"),
    ("go", 2, "panic: runtime error: index out of range [3]\nFAIL\tx/pkg\t0.002s", "red"),
    ("go", 1, "# x/pkg\n./a_test.go:5:2: undefined: Sum\nFAIL\tx/pkg [build failed]", "fault"),
    ("go", 0, "ok  \tx/pkg\t0.002s [no tests to run]", "fault"),
    ("cargo", 0, "running 1 test\ntest it ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored", "green"),
    ("cargo", 101, "test result: FAILED. 0 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--test deeprepo_1`", "red"),
    ("cargo", 101, 'error[E0425]: cannot find function `sum`\nerror: could not compile `x` (test "deeprepo_1")', "fault"),
    ("dotnet", 0, "Passed!  - Failed:     0, Passed:     1, Skipped:     0, Total:     1", "green"),
    ("dotnet", 1, "Failed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1", "red"),
    ("dotnet", 1, "Deeprepo1Tests.cs(3,7): error CS0246: The type or namespace name 'X' could not be found", "fault"),
    ("maven", 0, "", "green"),
    ("maven", 1, "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n[ERROR] BUILD FAILURE", "red"),
    ("maven", 1, "[ERROR] COMPILATION ERROR :\n[ERROR] cannot find symbol", "fault"),
    ("gradle", 1, "Deeprepo1Test > it() FAILED\n\n1 test completed, 1 failed\n> There were failing tests.", "red"),
    ("gradle", 1, "error: cannot find symbol\n> Compilation failed; see the compiler error output", "fault"),
    ("rspec", 0, "1 example, 0 failures", "green"),
    ("rspec", 1, "1 example, 1 failure", "red"),
    ("rspec", 1, "0 examples, 0 failures, 1 error occurred outside of examples", "fault"),
    ("phpunit", 0, "OK (1 test, 1 assertion)", "green"),
    ("phpunit", 1, "FAILURES!\nTests: 1, Assertions: 1, Failures: 1.", "red"),
    ("phpunit", 255, 'PHP Fatal error:  Uncaught Error: Class "X" not found', "fault"),
    ("node", 127, "sh: 1: node: not found", "fault"),
    ("pytest", 0, "tests/test_x.py . [100%]\n\n============ 1 passed in 0.02s ============", "green"),
    ("django", 0, "Found 1 test(s).\n\nRan 1 test in 0.003s\n\nOK", "green"),
    ("django", 1, "Ran 1 test in 0.003s\n\nFAILED (failures=1)", "red"),
    ("django", 1, "django.core.exceptions.ImproperlyConfigured: Requested setting DATABASES", "fault"),
    ("mocha", 0, "  it\n    \u2714 works\n\n\n  1 passing (3ms)", "green"),
    ("mocha", 1, "  0 passing (4ms)\n  1 failing\n\n  1) it works:\n     AssertionError", "red"),
    ("mocha", 1, "Error: Cannot find module '../nope'\nRequire stack:", "fault"),
    ("mocha", 0, "  0 passing (1ms)", "fault"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "status", "output", "result"), OUTPUTS)
def test_an_output_is_judged(name: str, status: int, output: str, result: str) -> None:
    """An exit status alone proves nothing: a runner that found no test, or could not load one, fails too."""
    assert judge(PRESETS[name], Outcome("exit", status, output, 0.1, ())) == result


@pytest.mark.parametrize("ending", ["seconds", "memory", "output", "setup"])
def test_a_limit_is_no_result(ending: str) -> None:
    """Whatever it printed before."""
    assert judge(PRESETS["pytest"], Outcome(ending, 1, "1 failed", 0.1, ())) == "limit"  # type: ignore[arg-type]


PYTHON = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, {})\n"
NODE = "import test from 'node:test';\nimport assert from 'node:assert';\ntest('it', () => assert.equal(1, {}));\n"
REAL = [
    ("unittest", "tests/test_x.py", PYTHON.format(1), "green"),
    ("unittest", "tests/test_x.py", PYTHON.format(2), "red"),
    ("unittest", "tests/test_x.py", "import nowhere\n" + PYTHON.format(1), "fault"),
    ("unittest", "tests/test_x.py", "def broken(:\n", "fault"),
    ("unittest", "tests/test_x.py", "x = 1\n", "fault"),
    ("node", "test/x.test.mjs", NODE.format(1), "green"),
    ("node", "test/x.test.mjs", NODE.format(2), "red"),
    ("node", "test/x.test.mjs", "import './nowhere.mjs';\n" + NODE.format(1), "fault"),
    ("node", "test/x.test.mjs", "const = 1;\n", "fault"),
]


@boxed
@pytest.mark.parametrize(("name", "path", "text", "result"), REAL)
def test_real_runners_in_the_sandbox(name: str, path: str, text: str, result: str) -> None:
    """What they print today."""
    if name == "node" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    preset = PRESETS[name]
    outcome = run(Recipe(preset=preset, test=preset.test, files=preset.files).command(path), {path: text})
    assert judge(preset, outcome) == result, outcome.output


@boxed
@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("def test_it():\n    assert 1 == 1\n", "green"),
        ("def test_it():\n    assert 1 == 2\n", "red"),
        ("def test_it(nothing):\n    assert 1\n", "fault"),
        ("import nowhere\ndef test_it():\n    assert 1\n", "fault"),
    ],
)
def test_pytest_of_another_folder(text: str, result: str) -> None:
    """A folder of tools is shown read-only beside /usr."""
    where = sysconfig.get_path("purelib")
    sandbox = Sandbox("bubblewrap", box().program, tools=(where,))
    alone = f"PYTHONPATH={where} PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"  # the plugins of this project take longer to load than the test
    command = Recipe(preset=PRESETS["pytest"], test=f"{alone} {PRESETS['pytest'].test}", files="").command(
        "tests/test_x.py"
    )
    outcome = asyncio.run(execute(sandbox, Run(b"", command, {"tests/test_x.py": text}, LIMITS)))
    if "No module named pytest" in outcome.output:
        pytest.skip("the interpreter of the sandbox is another one")
    assert judge(PRESETS["pytest"], outcome) == result, outcome.output


@boxed
def test_tools_may_lie_where_the_box_has_its_own_folder() -> None:
    """A tool below /tmp is found under its path, and nothing beside it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        kit = Path(folder, "kit")
        kit.mkdir()
        (kit / "hello").write_text("#!/bin/sh\necho hello; ls ..\n")
        (kit / "hello").chmod(0o755)
        Path(folder, "beside").write_text("x")
        sandbox = Sandbox("bubblewrap", box().program, tools=(str(kit),))
        outcome = asyncio.run(execute(sandbox, Run(b"", f"cd {kit} && ./hello", {}, LIMITS)))
    assert outcome.output.split() == ["hello", "kit"]
