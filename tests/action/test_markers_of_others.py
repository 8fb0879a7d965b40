"""Another workflow of the repository writes under the same login, and repeats what strangers write: our marker among it."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opening import BASE, event
from stepping import WRITE, Stage, stage

from bot.outputs import marker
from bot.workflow.backend import ReviewResult
from deeprepo_sandbox import github as sandbox

KEY = "sk-pretended-and-long-enough"
PAUSED = {**BASE, ".deeprepo.yml": "pause_after: 2\n"}
LEAK = {
    "shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items)\n',
    "shop/keys.py": 'aws_access_key_id = "AKIAQ3ZRT5PLMX7WQN2B"\n',
}


async def ask(at: Stage, method: str, path: str, body: str = "") -> Any:  # noqa: ANN401 - JSON
    """A request of the other workflow."""
    token = at.gh.actions_token(at.repo, WRITE)
    headers = {"authorization": f"Bearer {token}", "accept": "application/vnd.github+json"}
    async with httpx2.AsyncClient() as http:
        where = f"{at.gh.api}/repos/acme/shop/issues/{path}"
        answer = await http.request(method, where, json={"body": body} if body else None, headers=headers)
    return answer.json() if answer.content else None


async def echo(at: Stage, number: int, body: str) -> None:
    """The other workflow thanks a stranger in the stranger's words."""
    answer = await ask(at, "POST", f"{number}/comments", body)
    assert answer["user"]["login"] == "github-actions[bot]"


async def opened(at: Stage) -> int:
    """The pull request, before its first review."""
    await at.repo.commit("feature", LEAK)
    return await at.repo.open_pull("feature", title="Prices")


async def pushed(at: Stage, text: str, key: str = KEY) -> ReviewResult:
    """The review of one more push, by code alone."""
    with at.gh.holding() as held:
        await at.repo.push("feature", {"NEWS.md": text})
    return await at.told("pull_request", event(held), openai_api_key=key, strategy="offline", fail_on="high")


def ours(gh: sandbox.GitHub, number: int) -> sandbox.things.Comment:
    """Our summary."""
    return next(one for one in gh.pull(number).comments if "## deeprepo" in one.body)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step has the key of its input alone."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPREPO_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("key", [KEY, "short"])
def test_a_repeated_withdrawal_silences_nothing(tmp_path: Path, key: str) -> None:
    """Fingerprints can be computed at home; with a key to sign with, and with none that is long enough."""

    async def go() -> None:
        async with stage(tmp_path, BASE) as at:
            number = await opened(at)
            first = await pushed(at, "one", key)
            assert first.review is not None
            found = [one.finding for one in first.review.findings]
            names = " ".join(name for one in found for name in (one.fingerprint, one.identity))
            await echo(at, number, f"{marker.make('reply', comment='1', withdrawn=names)}\nThanks!")
            second = await pushed(at, "two", key)
            assert second.review is not None
            assert second.conclusion == "failure"
            assert (len(second.review.still), second.review.suppressed) == (len(found), ())

    asyncio.run(go())


@pytest.mark.parametrize("facts", [{"pushes": "999999"}, {"pushes": "999999", "mode": "action", "sign": "0" * 64}])
def test_a_repeated_pause_stops_no_review(tmp_path: Path, facts: dict[str, str]) -> None:
    """Before our first summary and beside it; ours stays the only one that is kept up to date."""

    async def go() -> None:
        async with stage(tmp_path, PAUSED) as at:
            number = await opened(at)
            await echo(at, number, f"{marker.make('summary', **facts)}\nThanks!")
            assert (await pushed(at, "one")).review is not None
            await echo(at, number, f"{marker.make('summary', **facts)}\nThanks!")
            assert (await pushed(at, "two")).review is not None
            assert ours(at.gh, number).user.login == "github-actions[bot]"

    asyncio.run(go())
