"""What is known of a commit or of a branch stays known: over pull requests, detours and the retention, at a real server."""

import asyncio
import random
import string
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from test_whole_conversations import FOUND, HEAD, talk
from test_whole_words import BROKEN, GUESS, ROUNDED
from whole import Whole, whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply

STRICT = "fail_on: high\nrequest_changes: high\n"
DICE = random.Random(5)  # noqa: S311 - no secret of anybody
TOKEN = "ghp_" + "".join(DICE.choice(string.ascii_letters + string.digits) for _ in range(36))
GUESSED = {"shop/price.py": HEAD["shop/price.py"], "shop/cart.py": "def pay(items):\n    return items\n"}
HARMLESS = {"shop/price.py": "def mean(items):\n    return 0\n"}


def shown(at: Whole, number: int) -> tuple[str | None, bool]:
    """What the newest check on the head came to, and whether changes are requested."""
    stands = at.gh.pull(number)
    newest = max(stands.checks, key=lambda one: one.id)
    return newest.conclusion, any(review.state == "CHANGES_REQUESTED" for review in stands.reviews)


def pointed(at: Whole, commit: str, folder: Path) -> Path:
    """A copy of the repository in which the branch is at a commit that it had."""
    scratch, refs = Path(tempfile.mkdtemp(dir=folder)), "refs/heads/feature"
    subprocess.run(["git", "clone", "-q", "--bare", at.repo.repository.git, scratch], check=True)
    subprocess.run(["git", "-C", scratch, "update-ref", refs, commit], check=True)
    return scratch


async def again(at: Whole, commit: str, folder: Path) -> None:
    """Push the branch back to that commit."""
    await at.repo.push("feature", await asyncio.to_thread(pointed, at, commit, folder))


@asynccontextmanager
async def guessing(folder: Path, patch: pytest.MonkeyPatch, settings: str) -> AsyncIterator[tuple[Whole, list[str]]]:
    """The whole product with a model that finds the problem while the list is empty, and whatever it reads afterwards nothing."""
    persuaded: list[str] = []

    def reader(body: Mapping[str, Any]) -> Reply:
        if body["response_format"]["json_schema"]["name"] == "verdict":
            told = {
                "verdict": "refuted" if persuaded else "confirmed",
                "trigger": "mean([])",
                "author_would_change": True,
            }
            return Reply(
                data={
                    **told,
                    "reason": "Read.",
                    "limit": "none",
                    "ground": "len() of a list that is never empty",
                    "look_ups": [],
                }
            )
        text = "\n".join(str(message["content"]) for message in body["messages"])
        there = FOUND["quote"].strip() in text and not persuaded
        return Reply(data={"answer": "Read.", "findings": [FOUND] if there else [], "look_ups": [], "unsettled": []})

    async with doubles.openai_server(PerModel({"reader": reader})) as model:
        patch.setenv("DEEPREPO_WORKER", "openai/reader")
        patch.setenv("DEEPREPO_BASE_URL", model.base_url)
        patch.setenv("OPENAI_API_KEY", "sk-pretended")
        async with whole(folder) as at:
            await at.repo.commit("main", {".deeprepo.yml": f"strategy: fanout\n{settings}{STRICT}"})
            yield at, persuaded


async def pushed_over(at: Whole) -> int:
    """A pull request whose secret a force push has removed; its number."""
    await at.repo.commit("main", {".deeprepo.yml": STRICT})
    number = await at.reviewed(files={"conf/app.yml": f"token: {TOKEN}\n"})
    await at.repo.force_push("feature", {"conf/app.yml": "token: none\n"})
    await at.quiet()
    return number


def test_a_second_pull_request_of_a_branch_knows_its_secrets(tmp_path: Path) -> None:
    """A secret that was pushed over is open in the next pull request of the branch too, until the first was merged by who may."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            one = await pushed_over(at)
            await at.repo.close(one, by="colleague")
            two = await at.repo.open_pull("feature", title="Settings")
            await at.quiet()
            assert shown(at, two) == ("failure", True)
            assert "removed, still in commit" in at.summary(two)
            await at.repo.close(two, merge=True)
            await at.quiet()
            await at.repo.commit("feature", {"NEWS.md": "one\n"})
            three = await at.repo.open_pull("feature", title="News")
            await at.quiet()
            assert shown(at, three) == ("success", False)

    asyncio.run(story())


def test_a_second_pull_request_with_the_same_head_knows_its_secrets(tmp_path: Path) -> None:
    """However late it was reviewed at another commit: what its own reviews of other commits have seen says nothing of this one."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            one = await pushed_over(at)
            head = at.gh.pull(one).head_sha
            await at.repo.commit("other", {"NEWS.md": "one\n"})
            two = await at.repo.open_pull("other", title="News")
            await at.quiet()
            assert shown(at, two) == ("success", False)
            await at.repo.close(one, by="colleague")
            await at.repo.point("other", head, at.gh.world.user("colleague"))
            await at.quiet()
            assert shown(at, two) == ("failure", True)

    asyncio.run(story())


@pytest.mark.slow
def test_a_secret_stands_until_its_pull_request_is_closed(tmp_path: Path) -> None:
    """The retention deletes nothing that an open pull request is judged by."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": STRICT})
            number = await at.reviewed(files={"conf/app.yml": f"token: {TOKEN}\n"}, fork=True, author="stranger")
            await at.repo.force_push("feature", {"conf/app.yml": "token: none\n"}, author="stranger")
            await at.quiet()
            await at.repo.close(number, by="stranger")
            await at.quiet()
            await at.repo.reopen(number, by="stranger")
            await at.quiet()
            await at.server.store.prune(time.time() + 31 * 86_400, 30)
            await at.repo.push("feature", {"NEWS.md": "x\n"}, author="stranger")
            await at.quiet()
            assert shown(at, number) == ("failure", True)

    asyncio.run(story())


@pytest.mark.slow
def test_what_a_model_found_stands_wherever_its_code_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the same commit after a detour, after a rewrite, and in another pull request, however the model is persuaded meanwhile."""

    async def story() -> None:
        async with guessing(tmp_path, monkeypatch, "verify: false\n") as (at, persuaded):
            number = await at.reviewed(files=GUESSED)
            first = at.gh.pull(number).head_sha
            assert shown(at, number) == ("failure", True)
            persuaded.append("by luck")
            await at.repo.push("feature", HARMLESS)
            await at.quiet()
            assert shown(at, number) == ("success", False)
            await at.repo.edit(number, title="Audited by the security team")
            await again(at, first, tmp_path)
            await at.quiet()
            assert shown(at, number) == ("failure", True)
            await at.repo.force_push("feature", GUESSED, "The same, told otherwise")
            await at.quiet()
            assert shown(at, number) == ("failure", True)
            await at.repo.close(number, by="colleague")
            two = await at.repo.open_pull("feature", title="Means")
            await at.quiet()
            assert shown(at, two) == ("failure", True)

    asyncio.run(story())


@pytest.mark.slow
def test_only_a_full_review_asks_again_about_the_same_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gives second opinions is persuaded too: the author's detour brings nothing, and what a maintainer asks for counts."""

    async def story() -> None:
        async with guessing(tmp_path, monkeypatch, "") as (at, persuaded):
            number = await at.reviewed(files=GUESSED)
            first = at.gh.pull(number).head_sha
            assert shown(at, number) == ("failure", True)
            persuaded.append("by the title")
            await at.repo.push("feature", HARMLESS)
            await at.quiet()
            await again(at, first, tmp_path)
            await at.quiet()
            assert shown(at, number) == ("failure", True)
            await at.repo.comment(number, "/deeprepo full review")
            await at.quiet()
            assert shown(at, number) == ("success", False)

    asyncio.run(story())


@pytest.mark.slow
def test_a_number_means_what_it_meant_when_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A late command about a guess does not silence the proof that has its number by then; written again it does."""

    async def story() -> None:
        async with talk(tmp_path, monkeypatch, STRICT, ROUNDED, GUESS) as one:
            at, number = one.at, one.number
            with at.gh.holding() as late:
                await at.repo.comment(number, "/deeprepo ignore 1 the tax is fine")
            await asyncio.sleep(1.1)  # GitHub tells times to the second
            await at.repo.push("feature", BROKEN)
            await at.quiet()
            for delivery in late:
                await at.gh.deliver(delivery)
            await at.quiet()
            assert shown(at, number) == ("failure", True)
            assert "means another finding, `total() has a new signature" in at.replies(number)[-1]
            assert await at.server.store.people.suppressions(one.pull, time.time()) == ()
            await at.repo.comment(number, "/deeprepo ignore 1 the caller goes next week")
            await at.quiet()
            assert shown(at, number) == ("success", False)

    asyncio.run(story())


@pytest.mark.slow
@pytest.mark.parametrize("game", range(6))
def test_no_order_of_events_loses_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: int) -> None:
    """After each event the check of every open pull request fails while its head holds the code that was found wrong."""

    async def story() -> None:
        dice = random.Random(game)  # noqa: S311 - a game
        async with guessing(tmp_path, monkeypatch, "verify: false\n") as (at, persuaded):
            number, wrong = await at.reviewed(files=GUESSED), True
            first = at.gh.pull(number).head_sha
            persuaded.append("by luck")
            for _ in range(6):
                match dice.choice(("harmless", "again", "rewritten", "revert", "reopen", "another", "title")):
                    case "harmless":
                        await at.repo.push("feature", {**HARMLESS, "NEWS.md": f"{dice.random()}\n"})
                        wrong = False
                    case "again":
                        await again(at, first, tmp_path)
                        wrong = True
                    case "rewritten":
                        await at.repo.force_push("feature", {**GUESSED, "NEWS.md": f"{dice.random()}\n"})
                        wrong = True
                    case "revert":
                        await at.repo.push("feature", {**GUESSED, "NEWS.md": f"{dice.random()}\n"})
                        wrong = True
                    case "reopen":
                        await at.repo.close(number)
                        await at.quiet()
                        await at.repo.reopen(number)
                    case "another":
                        await at.repo.close(number)
                        await at.quiet()
                        number = await at.repo.open_pull("feature", title=f"Again {dice.random()}")
                    case _:
                        await at.repo.edit(number, title=f"Audited {dice.random()}")
                await at.quiet()
                assert shown(at, number)[0] == ("failure" if wrong else "success")

    asyncio.run(story())
