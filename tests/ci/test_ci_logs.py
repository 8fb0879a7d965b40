"""The first real error of logs that real tools wrote, as the runner of GitHub Actions shows them."""

import tomllib
from pathlib import Path

import pytest

from bot.review.ci.logs import first_error

HERE = Path(__file__).parent
EXPECTED: dict[str, list[str]] = tomllib.loads((HERE / "expected.toml").read_text("utf-8"))
RUN = "##[group]Run make\nmake\n##[endgroup]\n"
EXIT = "\n##[error]Process completed with exit code 2.\n"


def _names(path: str, place: tuple[str, int], line: str) -> bool:
    return place[1] == int(line) and (place[0].endswith(path) or path.endswith(place[0].removeprefix("./")))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_first_real_error_of_a_tools_log_and_its_place_are_named(name: str) -> None:
    """Of each log the first error is named, and its place is among those that the log gives for it."""
    error = first_error((HERE / "logs" / f"{name}.txt").read_text("utf-8"))
    message, place = EXPECTED[name]
    assert error is not None
    assert message in error.message
    path, _, line = place.rpartition(":")
    assert not place or any(_names(path, one, line) for one in error.places), error.places


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
def test_what_the_runner_itself_writes_is_read(log: str, message: str | None) -> None:
    """Cancellations, time-outs, escapes, progress bars, commands of workflows; the last step that failed counts."""
    error = first_error(log)
    assert (message in error.message) if error and message else (error is None) == (message is None)


def test_a_hostile_log_costs_little_time_and_its_error_is_short() -> None:
    """Huge lines, thousands of headings and escapes without an end are read in seconds, and the error stays one line."""
    for part in (
        "\x1b[" * 500,
        "--- FAIL: x\n",
        "a" * 9_000 + "\n",
        "1) x\n\n",
        "a.py:1:1 " * 300 + "\n",
        "E   " + "Error.." * 90 + "\n",
    ):
        error = first_error(f"{RUN}{part * (1_000_000 // len(part))}{EXIT}")
        assert error is None or (len(error.message) <= 300 and "\n" not in error.message and len(error.places) <= 30)
