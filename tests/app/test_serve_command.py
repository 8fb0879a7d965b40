import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import NOBODY, SECRET, settings

from bot.app.checks import CheckedItem, checks
from bot.cli import main
from bot.config.server import Server
from deeprepo_sandbox import github as sandbox

Set = Callable[..., None]


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Set:
    """Return a function that sets DEEPREPO_ variables, after removing all others."""
    for name in os.environ:
        if name.startswith("DEEPREPO_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DEEPREPO_DATA", str(tmp_path / "data"))

    def given(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(f"DEEPREPO_{name}", value)

    return given


def looked(given: Server) -> dict[str, CheckedItem]:
    """Run the checks, and return their results by name."""
    return {line.what: line for line in asyncio.run(checks(given, lambda: (None, "openai/small")))}


def test_invalid_settings_end_the_command_with_a_message_each(
    variables: Set, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, before anything is opened."""
    variables(APP_ID="x", WEBHOOK_SECRET="short", PORT="high")
    assert main(["serve"]) == 2
    said = capsys.readouterr().err
    assert [
        name
        for name in ("APP_ID", "PRIVATE_KEY", "WEBHOOK_SECRET", "PORT")
        if f"DEEPREPO_{name}{' is not set' if name == 'PRIVATE_KEY' else ':'}" not in said
    ] == []


def test_check_lists_missing_settings(variables: Set, capsys: pytest.CaptureFixture[str]) -> None:
    """Without any settings, working items are listed too, and the exit code is 2."""
    variables(GITHUB_API=NOBODY, CAP_USD="2.5", CAP_USD_PER_DAY_INSTALLATION="7")
    assert main(["serve", "--check"]) == 2
    said = capsys.readouterr().out
    assert "!! GitHub App     no credentials" in said
    assert "ok review limit   $2.50 per review" in said
    assert "ok daily limits   $25.00 per repository, $7.00 per installation, $100.00 in total" in said


def test_check_reports_the_app_and_its_missing_permissions(tmp_path: Path, variables: Set) -> None:
    """`serve --check` names the App and missing permissions; missing optional ones are no error."""
    variables()

    async def go() -> list[CheckedItem]:
        async with sandbox.github(tmp_path / "gh", webhook=None, secret=SECRET) as gh:
            names = {"app_id": gh.app_id, "private_key": gh.private_key, "webhook_secret": gh.secret}
            given = settings(tmp_path / "data", github_api=gh.api, **names)
            app = gh.world.apps[int(gh.app_id)]
            del app.permissions["merge_queues"]
            app.permissions["contents"] = "read"
            found = await checks(given, lambda: (None, None))
            del app.permissions["checks"]
            return [*found, *await checks(given, lambda: (None, None))]

    found = asyncio.run(go())
    first, second = (next(line for line in rows if line.what == "permissions") for rows in (found[:9], found[9:]))
    assert "contents: write, merge_queues: read" in first.sentence
    assert first.works
    assert ("checks: write" in second.sentence, second.works) == (True, False)
    assert [line.sentence.split()[0] for line in found if line.what == "GitHub App"] == ["deeprepo", "deeprepo"]
