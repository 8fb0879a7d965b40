"""ReviewBench's contract."""

import asyncio
import shlex
import sys
from pathlib import Path

import pytest
from reviewed import Folder, figures, folder, told

from bot.errors import ProviderError
from deeprepo_evals.reviews.contract import Command

REVIEWER = """
import json, os, sys
pr = json.load(open(os.environ["RB_PR_JSON"]))
diff = open(os.environ["RB_DIFF"]).read()
assert os.path.exists("shop/money.py") and pr["head"] == os.environ["RB_HEAD"]
at = {"file": "shop/money.py", "start_line": 3, "end_line": 3, "message": "skips a row", "producer": "me"}
found = [at] if "rows[1:]" in diff else []
told = {"pr": {k: pr[k] for k in ("repo", "pr_number", "base", "head")}, "agent": "me", "findings": found}
json.dump(told, open(os.environ["RB_OUT"], "w"))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Cases of every kind."""
    return folder(tmp_path_factory.mktemp("shop"))


@pytest.fixture
def shop(made: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """The same for one test, in a folder where results may be kept."""
    monkeypatch.chdir(tmp_path)
    return made.copy(tmp_path)


def reviewer(place: Path, source: str) -> str:
    """A reviewer that is a script of its own, as a command line."""
    script = place / "reviewer.py"
    script.write_text(source)
    return shlex.join([sys.executable, str(script)])


def test_any_command_that_keeps_the_contract_is_measured(
    shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gets a checkout, the diff and the pull request, and what it writes is scored."""
    command = reviewer(tmp_path, REVIEWER)
    found = figures(capsys, shop.command("--command", command, "--kind", "natural,clean"))
    name = f"command {Path(sys.executable).name}"
    assert found["natural", name, "recall", ""] == 1
    assert found["clean", name, "findings per PR", ""] == 0


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise SystemExit('no key')", "exited with 1 on off-1: no key"),
        ("", "wrote no findings to RB_OUT"),
        (REVIEWER.replace('"message"', '"words"'), "break the contract: findings.0.message"),
        (REVIEWER.replace("pr[k] for k", '7 if k == "pr_number" else pr[k] for k'), "of another pull request"),
    ],
)
def test_a_command_that_breaks_the_contract_is_not_scored(
    shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, said: str
) -> None:
    """The case stays open and the sentence says why."""
    command = shop.command("--command", reviewer(tmp_path, source), "--kind", "natural")
    code, _, err = told(capsys, command)
    assert code == 3
    assert said in err


async def test_a_command_that_takes_too_long_is_ended_with_what_it_has_started(tmp_path: Path) -> None:
    """Also where a program that it has started holds its output open."""
    command = Command(("sh", "-c", "sleep 1000 & wait"), seconds=0.5)

    with pytest.raises(ProviderError, match=r"longer than 0\.5 seconds"):
        async with asyncio.timeout(20):
            await command._run([], tmp_path, "slow")  # noqa: SLF001 - as of a case
