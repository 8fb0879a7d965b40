"""Limit what a stranger with a fork can spend: real server, sandbox GitHub, and a slow model provider."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from families import few
from waits import Changes
from whole import BROKEN, Whole, whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers.server import Server

CAP = 2
RULES = f"strategy: direct\nverify: false\ntriggers: {{fork_reviews_per_day: {CAP}}}\n"
SLOW = 0.4  # seconds until a model answers: long enough for a push in between


@dataclass(frozen=True, slots=True)
class Purse:
    """A server and the model that it calls."""

    at: Whole
    model: Server

    async def paying(self, more: int = 1) -> None:
        """Wait until `more` further model calls were sent, or until no job is left."""
        wanted = self.model.count + more

        async def is_over() -> bool:
            await self.at.gh.settle()
            return self.model.count >= wanted or await self.at.is_idle()

        await self.at.changes.until(is_over)

    async def used_up(self) -> None:
        """Assert that the cap is used up but not exceeded.

        A call that a push cancels before its request is sent also counts, because it may be billed.
        """
        jobs, dollars = await self.at.server.store.spending.journals_and_dollars(time.time())
        assert (jobs, self.model.count) in {(CAP, CAP), (CAP, CAP - 1)}
        assert 0 < dollars < CAP

    async def push(self, mark: object, branch: str = "feature") -> None:
        """Push a commit that changes the same file again."""
        await self.at.repo.push(branch, {"shop/price.py": BROKEN["shop/price.py"] + f"# {mark}\n"})

    def fork(self, number: int) -> str:
        """Return a pull request's comments and check runs as one text."""
        stands = self.at.gh.pull(number)
        return "\n".join([*(c.body for c in stands.comments), *(repr(c) for c in stands.checks)])


@asynccontextmanager
async def purse(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    rules: str = RULES,
    delay: float = SLOW,
    **place: object,
) -> AsyncIterator[Purse]:
    changes = Changes()

    def answer(_: object) -> doubles.Reply:
        changes.note()
        return doubles.Reply(data={"answer": "One.", "findings": []}, delay=delay)

    async with doubles.openai_server(doubles.PerModel({"gpt-5.4-mini": answer})) as model:
        monkeypatch.setenv("DEEPREPO_WORKER", "openai/gpt-5.4-mini")
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
        async with whole(folder, changes=changes, **place) as at:
            await at.repo.commit("main", {".deeprepo.yml": rules})
            yield Purse(at, model)


async def impatient(p: Purse) -> None:
    """Push six times, each time while the previous review is being paid for."""
    await p.at.opened(fork=True)
    await p.paying()
    for mark in range(6):
        await p.push(mark)
        await p.paying()


async def drafting(p: Purse) -> None:
    """Three times: convert to a draft while the review is being paid for, push, and mark it ready."""
    number = await p.at.opened(fork=True)
    for mark in range(3):
        await p.paying()
        await p.at.repo.set_draft(number, draft=True)
        await p.push(mark)
        await p.at.repo.set_draft(number, draft=False)


STORIES = (impatient, drafting)  # each waits for several reviews


@pytest.mark.parametrize("story", few(STORIES))
async def test_cap_for_forks_applies_in_any_order_of_pushes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, story: Callable[[Purse], Awaitable[None]]
) -> None:
    """A review counts from its first paid call, finished or not; later ones run offline and say why."""
    async with purse(tmp_path, monkeypatch) as p:
        await story(p)
        await p.at.quiet()
        await p.used_up()
        assert "`triggers.fork_reviews_per_day` (2)" in p.fork(1)
        assert "someone with write permission" in p.fork(1)


@pytest.mark.slow
async def test_command_pays_only_for_the_commit_it_was_given_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stranger's later commits are not paid for, during the review or after it. One reply says so."""
    async with purse(tmp_path, monkeypatch) as p:
        number = await p.at.reviewed(fork=True)
        for mark in range(2):
            await p.push(mark)
            await p.at.quiet()
        assert p.model.count == CAP
        await p.at.repo.comment(number, "/deeprepo full review", author="maintainer")
        await p.paying()
        for mark in range(10, 15):
            await p.push(mark)
            await p.paying()
        await p.at.quiet()
        assert p.model.count == CAP + 1
        (reply,) = p.at.replies(number)
        assert "New commits were pushed after this command" in reply
        await p.at.repo.comment(number, "/deeprepo review", author="maintainer")
        await p.at.quiet()
        assert p.model.count == CAP + 2


@pytest.mark.slow
async def test_button_pays_only_for_the_commit_of_its_check_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Re-run on the head pays for one review. Pushes during it and a re-run on an old commit pay for none."""
    async with purse(tmp_path, monkeypatch, RULES.replace("day: 2", "day: 0")) as p:
        number = await p.at.reviewed(fork=True)
        assert p.model.count == 0
        check = p.at.gh.pull(number).checks[-1].id
        await p.at.repo.rerequest(check)
        await p.paying()
        for mark in range(4):
            await p.push(mark)
            await p.paying()
        await p.at.quiet()
        assert p.model.count == 1
        await p.at.repo.rerequest(check)
        await p.at.quiet()
        assert p.model.count == 1


@pytest.mark.parametrize("which", few(["", "_INSTALLATION", "_REPOSITORY"], 0))
async def test_simultaneous_reviews_never_exceed_the_daily_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    """Each review reserves its budget, so at most two of six simultaneous reviews are paid for at a time."""
    monkeypatch.setenv(f"DEEPREPO_CAP_USD_PER_DAY{which}", "2.05")
    async with purse(tmp_path, monkeypatch) as p:
        numbers = [await p.at.opened(f"feature-{n}") for n in range(6)]
        await p.at.quiet()
        assert p.model.peak <= 2
        offline = sum("ask the operator of this server to raise" in p.at.summary(number) for number in numbers)
        assert p.model.count + offline == 6


@pytest.mark.slow
@pytest.mark.parametrize("which", few(["", "_INSTALLATION", "_REPOSITORY"], 0))
async def test_reached_daily_cap_also_applies_to_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    """Reviews run offline and name the variable that raises the cap; a question gets the same sentence."""
    monkeypatch.setenv(f"DEEPREPO_CAP_USD_PER_DAY{which}", "0")
    async with purse(tmp_path, monkeypatch) as p:
        number = await p.at.reviewed()
        sentence = f"to raise DEEPREPO_CAP_USD_PER_DAY{which}."
        assert sentence in p.at.summary(number)
        await p.at.repo.comment(number, "/deeprepo full review", author="maintainer")
        await p.at.repo.comment(number, "/deeprepo ask who calls total?", author="maintainer")
        await p.at.quiet()
        assert p.model.count == 0
        (reply,) = p.at.replies(number)
        assert sentence in reply.replace("\\", "")
