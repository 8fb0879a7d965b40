"""Events that ask for no review, on a pull request whose check is required: the job comes to what holds for the head."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from families import few
from opening import BASE, BROKEN, event, opened
from stepping import READ, Stage, stage

from bot.errors import ProviderError
from deeprepo_sandbox import providers as doubles

FINE = doubles.Reply(data={"answer": "One.", "findings": []})
EVENTS = ["title", "draft", "closed"]


async def _happens(at: Stage, number: int, what: str) -> dict[str, object]:
    with at.gh.holding() as held:
        if what == "title":
            await at.repo.edit(number, title="Another title", by="stranger")
        elif what == "draft":
            await at.repo.set_draft(number, draft=True, by="stranger")
        else:
            await at.repo.close(number, by="stranger")
    return event(held)


@pytest.mark.parametrize("what", few(EVENTS, 0))
def test_an_event_that_changes_no_code_repeats_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Another title, a draft, a closed pull request (another one may have its head): the job fails as before, and asks no model."""

    async def go() -> None:
        async with doubles.openai_server(doubles.PerModel({"gpt-5-mini": FINE})) as model, stage(tmp_path, BASE) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
            asks = {"worker": "openai/gpt-5-mini", "strategy": "direct", "fail_on": "high"}
            number, body = await opened(at, author="stranger")
            assert (await at.told("pull_request", body, **asks)).conclusion == "failure"
            requests = len(model.requests)
            result = await at.told("pull_request", await _happens(at, number, what), **asks)
            assert (result.conclusion, result.review) == ("failure", None)
            assert "What the review of this commit came to stands: failure" in result.says
            assert len(model.requests) == requests

    asyncio.run(go())


@pytest.mark.parametrize(("what", "has_review"), few([("title", True), ("draft", False)]))
def test_where_nothing_is_known_a_bar_lets_nothing_pass(tmp_path: Path, what: str, has_review: bool) -> None:
    """Without a key no state can be trusted: another title has the head reviewed again, and a draft fails for want of a review."""

    async def go() -> None:
        async with stage(tmp_path, BASE) as at:
            number, body = await opened(at, author="stranger")
            assert (await at.told("pull_request", body, fail_on="high")).conclusion == "failure"
            result = await at.told("pull_request", await _happens(at, number, what), fail_on="high")
            assert result.conclusion == "failure"
            assert (result.review is not None) is has_review
            assert (await at.told("pull_request", await _happens(at, number, what))).conclusion == "skipped"

    asyncio.run(go())


@pytest.mark.parametrize("bar", few(["", "fail_on: high\nfail_also: []\n"], 1))
def test_what_cut_a_review_short_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bar: str) -> None:
    """A step that failed for its provider fails again after another title, whether there is a bar or not, and says what to do."""

    async def go() -> None:
        down = doubles.Reply(status=401, text="no")
        async with doubles.openai_server(doubles.PerModel({"gpt-5-mini": down})) as model, stage(tmp_path, BASE) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
            await at.repo.commit("main", {".deeprepo.yml": bar})
            await at.repo.commit("feature", {"new.py": "def f(a):\n    return a\n"})
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature", author="stranger")
            asks = {"worker": "openai/gpt-5-mini", "strategy": "direct"}
            first = await at.told("pull_request", event(held), **asks)
            assert first.review is not None
            assert first.review.fault == "provider"
            result = await at.told("pull_request", await _happens(at, number, "title"), **asks)
            assert (result.conclusion, type(result.fault)) == ("failure", ProviderError)
            assert "run its job again" in result.says

    asyncio.run(go())


def test_another_base_branch_is_another_review(tmp_path: Path) -> None:
    """A head that breaks nothing of the branch it was opened against fails once it is to be merged into another one, also if only its title is edited then."""

    async def go() -> None:
        async with stage(tmp_path, BASE) as at:
            unfinished = await at.repo.commit("wip", BROKEN)
            await at.repo.commit("feature", {"NEWS.md": "a line\n"}, onto=unfinished)
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature", base="wip", author="stranger")
            assert (await at.told("pull_request", event(held), fail_on="high")).conclusion != "failure"
            with at.gh.holding() as held:
                await at.repo.retarget(number, "main", by="stranger")
            edited = await _happens(at, number, "title")
            for payload in (event(held), edited):
                assert (await at.told("pull_request", payload, fail_on="high")).conclusion == "failure"

    asyncio.run(go())


LEFT_OUT = "fail_on: high\nfail_also: [unreviewed, cut, dropped]\ntriggers: {paths: ['shop/**']}\n"
UNDEFINED = {"shop/new.py": "def total(items):\n    return missing(items)\n"}
LEAK = {"shop/keys.py": 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'}


@pytest.mark.parametrize("has_key", few([True, False], 0, 1))
def test_a_push_that_is_left_out_lets_nothing_pass_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_key: bool
) -> None:
    """With a key the signed state has what the last review came to; without one nobody vouches for it, and code looks. So does the event of another title."""

    async def go() -> None:
        settings = {".deeprepo.yml": LEFT_OUT}
        async with (
            doubles.openai_server(doubles.PerModel({"gpt-5-mini": FINE})) as model,
            stage(tmp_path, {**BASE, **settings}) as at,
        ):
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            asks = {"worker": "openai/gpt-5-mini", "strategy": "direct"} if has_key else {}
            if has_key:
                monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
            await at.repo.commit("feature", UNDEFINED if has_key else LEAK)
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature", author="stranger")
            assert (await at.told("pull_request", event(held), **asks)).conclusion == "failure"
            with at.gh.holding() as held:
                if has_key:
                    await at.repo.force_push("feature", {"README.md": "# x\n"})
                else:
                    await at.repo.push("feature", {**dict.fromkeys(LEAK), "README.md": "# x\n"})
            requests = len(model.requests)
            for payload in (event(held), await _happens(at, number, "title")):
                result = await at.told("pull_request", payload, **asks)
                assert result.conclusion == "failure"
                assert (result.review is None) is has_key
                assert ("What the last review left open" in result.says) is has_key
            assert len(model.requests) == requests

    asyncio.run(go())


LATER = {
    "a push that is left out": ("README.md", LEFT_OUT),
    "another title": ("", "fail_on: high\n"),
    "another title, and a check of the team's own": (
        "",
        "checks: [{name: Notes, ask: 'Is it told?', severity: fail}]\n",
    ),
}


@pytest.mark.parametrize("case", few(LATER, 0, 2))
def test_a_bar_that_is_set_later_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """What the last review came to under another bar is repeated for nobody: it is looked at again."""
    pushed, bar = LATER[case]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")

    async def go() -> None:
        async with stage(tmp_path, BASE) as at:
            await at.repo.commit("feature", LEAK)
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature", author="stranger")
            first = await at.told("pull_request", event(held), strategy="offline")
            assert first.conclusion == "neutral"
            await at.repo.commit("main", {".deeprepo.yml": bar})
            with at.gh.holding() as held:
                if pushed:
                    await at.repo.push("feature", {**dict.fromkeys(LEAK), pushed: "# x\n"})
            payload = event(held) if pushed else await _happens(at, number, "title")
            result = await at.told("pull_request", payload, strategy="offline")
            assert result.review is not None
            assert result.conclusion == ("failure" if "fail_on" in bar else "neutral")

    asyncio.run(go())


def test_a_detour_over_another_base_branch_lets_nothing_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the last review came to there says nothing of this base: code looks."""

    async def go() -> None:
        async with (
            doubles.openai_server(doubles.PerModel({"gpt-5-mini": FINE})) as model,
            stage(tmp_path, {**BASE, ".deeprepo.yml": LEFT_OUT}) as at,
        ):
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
            asks = {"worker": "openai/gpt-5-mini", "strategy": "direct", "fail_on": "high"}
            await at.repo.commit("feature", {"lib/keys.py": LEAK["shop/keys.py"], "shop/new.py": "x = 1\n"})
            await at.repo.commit("other", {".deeprepo.yml": None}, onto="feature")
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature")
            assert (await at.told("pull_request", event(held), **asks)).conclusion == "failure"
            with at.gh.holding() as held:
                await at.repo.retarget(number, "other")
            assert (await at.told("pull_request", event(held), **asks)).conclusion != "failure"
            await at.repo.push("feature", {"shop/new.py": None})
            with at.gh.holding() as held:
                await at.repo.retarget(number, "main")
            assert (await at.told("pull_request", event(held), **asks)).conclusion == "failure"

    asyncio.run(go())


@pytest.mark.parametrize("second", [{"lib/keys.py": LEAK["shop/keys.py"]}, {"README.md": "# x\n"}])
def test_a_push_to_a_fork_that_is_left_out_is_looked_at_by_code(tmp_path: Path, second: Mapping[str, str]) -> None:
    """The token of a fork's run may only read: no summary holds what the last review came to."""

    async def go() -> None:
        async with stage(tmp_path, {**BASE, ".deeprepo.yml": LEFT_OUT}) as at:
            await at.repo.commit("feature", LEAK)
            with at.gh.holding() as held:
                await at.repo.open_pull("feature", fork=True)
            assert (await at.told("pull_request", event(held), permissions=READ)).conclusion == "failure"
            with at.gh.holding() as held:
                await at.repo.push("feature", {**dict.fromkeys(LEAK), **second})
            assert (await at.told("pull_request", event(held), permissions=READ)).conclusion == "failure"

    asyncio.run(go())


@pytest.mark.parametrize("has_key", few([True, False], 1))
def test_an_event_that_ends_the_review_of_a_push_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_key: bool
) -> None:
    """Without a bar, too: in one group of runs another title cancels the run of a push; a head that has its review is not read again."""

    async def go() -> None:
        async with (
            doubles.openai_server(doubles.PerModel({"gpt-5-mini": FINE})) as model,
            stage(tmp_path, BASE) as at,
        ):
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            asks = {"worker": "openai/gpt-5-mini", "strategy": "direct"} if has_key else {}
            if has_key:
                monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended-and-long-enough")
            number, _ = await opened(at, author="stranger")  # whose run is cancelled
            first = await at.told("pull_request", await _happens(at, number, "title"), **asks)
            assert first.review is not None
            assert first.review.findings
            again = await at.told("pull_request", await _happens(at, number, "title"), **asks)
            assert again.review is None
            await at.repo.push("feature", {"NEWS.md": "a line\n"})
            pushed = await at.told("pull_request", await _happens(at, number, "title"), **asks)
            assert pushed.review is not None
            draft = await at.told("pull_request", await _happens(at, number, "draft"), **asks)
            assert draft.review is None

    asyncio.run(go())


def test_another_base_branch_whose_run_was_cancelled_is_reviewed(tmp_path: Path) -> None:
    """The head has a review, of another change: against the branch that it was opened for."""

    async def go() -> None:
        async with stage(tmp_path, BASE) as at:
            unfinished = await at.repo.commit("wip", BROKEN)
            await at.repo.commit("feature", {"NEWS.md": "a line\n"}, onto=unfinished)
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature", base="wip", author="stranger")
            assert (await at.told("pull_request", event(held))).review is not None
            await at.repo.retarget(number, "main", by="stranger")
            result = await at.told("pull_request", await _happens(at, number, "title"))
            assert result.review is not None
            assert result.review.findings

    asyncio.run(go())
