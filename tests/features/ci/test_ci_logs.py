"""Find the first real error in CI logs of real tools, in the format of the GitHub Actions runner."""

import tomllib
from pathlib import Path

import pytest

from bot.features.ci import explain as ci
from bot.features.ci.values import CIFailure, CIJobLog
from deeprepo.impact.patches import of_patch

HERE = Path(__file__).parent
EXPECTED: dict[str, list[str]] = tomllib.loads((HERE / "expected.toml").read_text("utf-8"))
RUN = "##[group]Run make\nmake\n##[endgroup]\n"
EXIT = "\n##[error]Process completed with exit code 2.\n"


def explained(log: str) -> CIFailure:
    """Explain a job's failure from its log only."""
    return ci.explain(CIJobLog(1, "test", "failure", on_base=False, text=log), ())


@pytest.mark.parametrize("name", EXPECTED)
def test_first_real_error_and_its_line_are_found(name: str) -> None:
    """The log's first real error is found, and its line is the location if the change touched it."""
    log = (HERE / "logs" / f"{name}.txt").read_text("utf-8")
    message, place = EXPECTED[name]
    path, _, line = place.rpartition(":")
    patch = f"@@ -{line},0 +{line},1 @@\n+changed" if place else ""
    failure = ci.explain(
        CIJobLog(1, name, "failure", on_base=False, text=log), (of_patch(path, path, patch),) if place else ()
    )
    assert message in failure.error
    assert not place or (failure.path, failure.line) == (path, int(line))


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("##[error]The operation was canceled.\n", "The operation was canceled."),
        (
            f"{RUN}working\n##[error]The action 'Tests' has timed out after 5 minutes.\n",
            "has timed out after 5 minutes",
        ),
        (f"{RUN}\x1b[31merror: \x1b[0mno rule for \x1b[1mall\x1b[0m{EXIT}", "error: no rule for all"),
        (f"{RUN}10%\r50%\rerror: disk is full{EXIT}", "error: disk is full"),
        (f"{RUN}::error file=a.py,line=3,col=1::price is negative{EXIT}", "price is negative"),
        (f"##[group]Run lint\n##[endgroup]\na.c:1:1: error: old\n{RUN}b.c:2:2: error: new{EXIT}", "error: new"),
        (f"{RUN}{EXIT}", None),
        ("", None),
    ],
)
def test_runner_output_is_parsed(log: str, message: str | None) -> None:
    """Cancellations, timeouts, escapes and workflow commands are read, in the last step that failed."""
    error = explained(log).error
    assert (message in error) if message else not error


BELOW: list[tuple[str, str]] = [
    ("PASS a.test.js\n  ● Console\n\n    console.error\n      odd\n\nFAIL b.test.js\n  ● sums adds\n\n    TypeError: add is not a function\n", "add is not a function"),
    ("    1) reads a rate\n    ✓ reads a tax\nerror in passing\n    at f (a.js:1:1)\n  1 passing\n  1 failing\n\n  1) Rates\n       reads a rate:\n\n      AssertionError: expected 1 to equal 2\n", "expected 1 to equal 2"),
    ("_ test_rates[a-name-that-is-so-long-that-nothing-is-left-for-a-ruler-around-it] _\n\n    def test_rates():\n>       assert 1 == 2\nE               assert 1 == 2\n", "assert 1 == 2"),
    ("____ test_deep ____\n" + "    still in the same function\n" * 200 + "E   ValueError: too deep\n", "too deep"),
    ("web-1  | FAIL ./a.test.js\nweb-1  |   ● Test suite failed to run\nweb-1  |\nweb-1  |     Cannot find module 'b' from 'a.js'\n", "Cannot find module 'b'"),
    ("@shop/web:lint: /work/a.ts\n@shop/web:lint:   12:7  error  'x' is never used  no-unused-vars\n@shop/web:lint:  ELIFECYCLE  Command failed with exit code 1.\n ERROR  run failed: command  exited (1)", "'x' is never used"),
    ("failures:\n\n---- rates::reads stdout ----\n\nerror: test failed, to rerun pass `--lib`\nthread 'rates::reads' (4) panicked at src/rates.rs:6:4:\ncalled `unwrap()` on a `None` value\n", "`None` value"),
    ("  1) test reads (Shop.RatesTest)\n     test/rates_test.exs:12\n     ** (MatchError) no match of right hand side value: :error\n", "no match of right hand side"),
    ('##[error]Exception in thread "T-4" java.lang.ClassCastException: a.B\n##[error]The operation was canceled.\n', "was canceled"),
    ("checking for exp... a.c:6: undefined reference to `exp'\nno\nFAIL: shop.test_rate.T.test_2d\n------\nTraceback (most recent call last):\n  File \"a.py\", line 1, in t\nAssertionError: 1 != 2\n", "1 != 2"),
]  # fmt: skip


@pytest.mark.parametrize(("log", "message"), BELOW, ids=[message for _, message in BELOW])
def test_summaries_and_output_of_passing_tests_are_not_errors(log: str, message: str) -> None:
    """Task runners' summaries, output of passing tests, and code lines in a trace don't count as errors."""
    error = explained(f"{RUN}{log}{EXIT}").error
    assert message in error, error
    assert len(error) <= 300


def test_long_test_name_leaves_room_for_the_reason() -> None:
    """A long test name is truncated before the reason is."""
    error = explained(f"{RUN}FAIL: {'reads_' * 60}name (shop.T)\nAssertionError: 1 != 2{EXIT}").error
    assert error.endswith("AssertionError: 1 != 2")


def test_hostile_log_is_parsed_quickly_into_a_short_error() -> None:
    """Huge lines, many headings and unfinished escapes are handled quickly, and the error stays one line."""
    for part in (
        "\x1b[" * 500,
        "--- FAIL: x\n",
        "a" * 9_000 + "\n",
        "1) x\n\n",
        "a.py:1:1 " * 300 + "\n",
        "E   " + "Error.." * 90 + "\n",
    ):
        error = explained(f"{RUN}{part * (400_000 // len(part))}{EXIT}").error
        assert len(error) <= 300
        assert "\n" not in error


def test_secret_labeled_elsewhere_in_the_log_is_masked() -> None:
    """A value printed next to a secret's name far above the error is masked in the error too."""
    value = "Vq3xT9mZ7rK2wB5y"
    log = f"{RUN}API_KEY={value}\n" + "working\n" * 40_000 + f"ValueError: rejected {value}{EXIT}"
    error = explained(log).error
    assert error.startswith("ValueError: rejected")
    assert value not in error
