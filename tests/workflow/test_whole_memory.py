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
import sqlalchemy as sa
from families import few
from test_whole_conversations import FOUND, HEAD, talk
from test_whole_words import BROKEN, GUESS, ROUNDED
from whole import Whole, whole

from bot.findings.earlier import MAX_BYTES
from bot.storage.tables import review
from bot.values import PullRef
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


async def _move(at: Whole, branch: str, number: int) -> None:
    """A stranger points their branch at the head of another pull request, waits for the review and closes their own."""
    stranger = at.gh.world.user("stranger")
    await at.repo.point(branch, at.gh.pull(number).head_sha, stranger)
    await at.quiet()


@pytest.mark.parametrize("way", few(["a secret", "a loss"], 0))
def test_what_another_person_pushed_over_stays_theirs(tmp_path: Path, way: str) -> None:
    """Their branch had a secret, or a review that nobody can read, and is moved to somebody else's head: that one never had it."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": STRICT})
            one = await at.reviewed(files={"NEWS.md": "one\n"}, author="colleague")
            await at.repo.commit("evil", {"conf/app.yml": f"token: {TOKEN}\n" if way == "a secret" else "a: 1\n"})
            two = await at.repo.open_pull("evil", title="News", author="stranger")
            await at.quiet()
            if way == "a loss":
                await _outgrow(at, two, is_older=True)
            await _move(at, "evil", one)
            assert shown(at, two)[0] == "failure"
            await at.repo.close(two, by="stranger")
            await at.quiet()
            await at.repo.set_draft(one, draft=True)
            await at.repo.set_draft(one, draft=False)
            await at.quiet()
            assert shown(at, one) == ("success", False)
            await at.repo.push("feature", {"NEWS.md": "two\n"}, author="colleague")
            await at.quiet()
            assert shown(at, one) == ("success", False)

    asyncio.run(story())


@pytest.mark.parametrize("is_removed", few([True, False], 0))
def test_a_stranger_makes_no_old_secret_one_of_the_change(tmp_path: Path, is_removed: bool) -> None:
    """They open a pull request from somebody else's branch onto an old one: what the base branch has had since is nothing of this change."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("v1", {"README.md": "# old\n"})
            await at.repo.commit("main", {".deeprepo.yml": STRICT, "conf/app.yml": f"token: {TOKEN}\n"})
            await at.repo.commit("main", {"conf/app.yml": "token: none\n"} if is_removed else {"README.md": "# new\n"})
            one = await at.reviewed(files={"NEWS.md": "one\n"}, author="colleague")
            assert shown(at, one) == ("success", False)
            two = await at.repo.open_pull("feature", "v1", title="News", author="stranger")
            await at.quiet()
            await at.repo.close(two, by="stranger")
            await at.quiet()
            for text in ("two\n", "three\n"):
                await at.repo.push("feature", {"NEWS.md": text}, author="colleague")
                await at.quiet()
                assert shown(at, one) == ("success", False)

    asyncio.run(story())


def test_a_second_branch_of_its_author_knows_what_was_pushed_over(tmp_path: Path) -> None:
    """Of a secret that a commit took back before the branch was rewritten, too: another branch with this head begins with it."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": STRICT})
            one = await at.reviewed(files={"conf/app.yml": f"token: {TOKEN}\n"})
            await at.repo.push("feature", {"conf/app.yml": "token: none\n"})
            await at.quiet()
            head, colleague = await at.repo.commit("fresh", {"NEWS.md": "one\n"}), at.gh.world.user("colleague")
            await at.repo.point("feature", head, colleague)
            await at.quiet()
            assert shown(at, one) == ("failure", True)
            await at.repo.close(one, by="colleague")
            await at.repo.commit("other", {"NEWS.md": "one\n"})
            await at.repo.point("other", head, colleague)
            two = await at.repo.open_pull("other", title="News")
            await at.quiet()
            assert shown(at, two) == ("failure", True)

    asyncio.run(story())


@pytest.mark.parametrize("author", few(["colleague", "stranger"], 0))
def test_a_branch_on_top_of_a_reviewed_head_knows_what_its_author_pushed_over(tmp_path: Path, author: str) -> None:
    """One more commit on that head is the same author's too; somebody else's branch never had what was pushed over."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            one = await pushed_over(at)
            await at.repo.close(one, by="colleague")
            await at.repo.commit("other", {"NEWS.md": "one\n"}, onto=at.gh.pull(one).head_sha)
            two = await at.repo.open_pull("other", title="Settings", author=author)
            for text in ("", "two\n"):
                if text:
                    await at.repo.push("other", {"NEWS.md": text}, author="colleague")
                await at.quiet()
                assert shown(at, two) == (("failure", True) if author == "colleague" else ("success", False))
            if author == "colleague":
                assert "1 finding (1 high)" in at.summary(two)

    asyncio.run(story())


async def _outgrow(at: Whole, number: int, *, is_older: bool) -> None:
    """The output of the last review is larger than anybody reads; `is_older`: of a version that stored nothing beside it."""
    pull = PullRef(at.repo.installation, at.repo.id, "acme", "shop", number)
    job, output, _ = await at.server.store.reviews.newest(pull) or ("", b"", None)
    await at.server.store.reviews.rewrite(job, output + b" " * MAX_BYTES)
    if is_older:
        now = sa.update(review).where(review.c.id == job).values(memory=None)
        await at.server.store.database.run(lambda connection: connection.execute(now))


def test_an_output_of_any_size_takes_no_secret_along(tmp_path: Path) -> None:
    """What outlives a review is stored apart from it: the next push, and another pull request of the branch, know the secret."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            one = await pushed_over(at)
            await _outgrow(at, one, is_older=False)
            await at.repo.push("feature", {"NEWS.md": "more\n"})
            await at.quiet()
            assert shown(at, one) == ("failure", True)
            await _outgrow(at, one, is_older=False)
            await at.repo.close(one, by="colleague")
            two = await at.repo.open_pull("feature", title="Settings")
            await at.quiet()
            assert shown(at, two) == ("failure", True)
            assert "removed, still in commit" in at.summary(two)

    asyncio.run(story())


@pytest.mark.slow
def test_an_older_review_that_nobody_can_read_is_open(tmp_path: Path) -> None:
    """It fails where a bar is set, after the next push and in another pull request of the branch, until a full review begins anew."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": STRICT})
            one = await at.reviewed(files={"NEWS.md": "one\n"})
            assert shown(at, one) == ("success", False)
            await _outgrow(at, one, is_older=True)
            for text in ("two\n", "three\n"):
                await at.repo.push("feature", {"NEWS.md": text})
                await at.quiet()
                assert shown(at, one)[0] == "failure"
                assert "is too large: what was reported there" in at.summary(one)
            await _outgrow(at, one, is_older=True)
            await at.repo.close(one, by="colleague")
            two = await at.repo.open_pull("feature", title="News")
            await at.quiet()
            assert shown(at, two)[0] == "failure"
            await at.repo.comment(two, "/deeprepo full review")
            await at.quiet()
            assert shown(at, two) == ("success", False)

    asyncio.run(story())


def test_a_check_that_failed_is_not_asked_until_it_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same text: another title and a detour over another base, the commit told otherwise, a day without a model, another pull request."""
    lucky: list[str] = []

    def reader(_: Mapping[str, Any]) -> Reply:
        quotes = [{"path": "shop/api.py", "quote": "def open_door(request):"}]
        row = {"check": 1, "verdict": "passed" if lucky else "failed", "reason": "No decorator.", "quotes": quotes}
        return Reply(data={"answer": "Read.", "findings": [], "look_ups": [], "unsettled": [], "checks": [row]})

    check = "{name: guards, ask: 'Each new endpoint has @guarded.', severity: fail}"
    door = {"shop/api.py": "def open_door(request):\n    return request.door.open()\n"}

    async def story() -> None:
        async with doubles.openai_server(PerModel({"reader": reader})) as model:
            monkeypatch.setenv("DEEPREPO_WORKER", "openai/reader")
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.base_url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
            async with whole(tmp_path) as at:
                await at.repo.commit("v1", {"README.md": "# old\n"})
                await at.repo.commit("main", {".deeprepo.yml": f"strategy: fanout\n{STRICT}checks: [{check}]\n"})
                one = await at.reviewed(files=door)
                assert shown(at, one)[0] == "failure"
                lucky.append("from now on")
                await at.repo.edit(one, title="Audited by the security team")
                for base in ("v1", "main"):
                    await at.repo.retarget(one, base)
                    await at.quiet()
                assert shown(at, one)[0] == "failure"
                await at.repo.force_push("feature", {**door, "NEWS.md": "one\n"}, "The same, told otherwise")
                await at.quiet()
                assert shown(at, one)[0] == "failure"
                await at.repo.push("feature", {f"n/{n}.md": "n\n" for n in range(1_001)})  # `offline_files`
                await at.quiet()
                assert shown(at, one)[0] == "failure"
                await at.repo.close(one, by="colleague")
                await at.repo.force_push("feature", door, "Once more")
                two = await at.repo.open_pull("feature", title="Doors")
                await at.quiet()
                assert shown(at, two)[0] == "failure"
                guard = "def guarded(view):\n    return view\n\n\n@guarded\n"
                await at.repo.push("feature", {"shop/api.py": guard + door["shop/api.py"]})
                await at.quiet()
                assert shown(at, two) == ("success", False)

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
