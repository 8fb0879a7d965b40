from collections.abc import Callable
from pathlib import Path

import pytest

from bot import cli
from deeprepo_sandbox import providers as doubles

Ran = tuple[int, str, str]
SMALL = ("--count", "1", "--files", "10", "--scope", "whole")


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `deeprepo eval` in an empty folder without a key; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        status = cli.main(["eval", *arguments])
        return status, *capsys.readouterr()

    return run


def test_scripted_rollouts_run_without_a_key(ran: Callable[..., Ran]) -> None:
    """`eval train` runs scripted roots and prints a row for each."""
    status, out, err = ran("train", "-q", *SMALL, "--root", "scripted/honest,scripted/empty")
    assert (status, err) == (0, "")
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [
        ["scripted/honest", "1.000"],
        ["scripted/empty", "0.000"],
    ]


def test_failing_provider_leaves_the_rollout_open(ran: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused key doesn't count as reward 0: the rollout stays open, and the exit code is 3."""
    with doubles.in_thread(doubles.Server("", key="another")) as server:
        monkeypatch.setenv("COMPATIBLE_API_KEY", "wrong")
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        status, out, err = ran("train", "-q", *SMALL, "--root", "compatible/policy")
    assert (status, out) == (3, "")
    assert "refused the key" in err
    assert "1 not done" in err


def test_rollout_interrupted_by_the_cap_is_not_stored(ran: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    """A rollout that the cap interrupts is not stored, and no further request is sent."""
    with doubles.in_thread(doubles.Server(doubles.code("print(1)"))) as server:
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
        status, out, err = ran("train", "-q", *SMALL, "--root", "openai/gpt-5.4", "--max-usd", "0.001")
        assert server.count == 0
    assert (status, out) == (3, "")
    assert "the cap of $0.00 of this run is reached: allow more with --max-usd" in err
