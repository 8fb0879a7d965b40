"""The example workflow on skipped pull requests: what the owner chose not to review never fails the job."""

import subprocess

import pytest
from opening import BASE, BROKEN, event, opened
from stepping import READ, Stage, on_stage

from bot.workflow.reviewing import Outcome

KINDS = {"draft": {"draft": True}, "bot": {"author": "dependabot[bot]"}, "plain": {}}


async def came_to(at: Stage, kind: str) -> tuple[int, Outcome]:
    """Open a pull request of this kind; return its number and the step's result."""
    at.gh.world.user("dependabot[bot]", "Bot")
    number, body = await opened(at, **KINDS[kind])
    return number, await at.told("pull_request", body, fail_on="high")


@pytest.mark.parametrize(
    ("kind", "strict", "ending"),
    [("draft", False, "neutral"), ("bot", False, "neutral"), ("plain", False, "failure"), ("draft", True, "failure")],
)
@on_stage(BASE)
async def test_skipped_pull_request_fails_a_threshold_only_if_strict(
    at: Stage, kind: str, ending: str, *, strict: bool
) -> None:
    """Skipped pull requests fail only with `strict`; a reviewed one fails because of its finding."""
    if strict:
        await at.repo.commit("main", {".deeprepo.yml": "strict: true\n"})
    _, result = await came_to(at, kind)
    assert result.conclusion == ending
    assert (result.review is not None) == (kind == "plain")
    assert kind == "plain" or result.says.startswith("Not reviewed: ")


@on_stage(BASE)
async def test_event_without_a_review_repeats_the_conclusion_of_the_head(at: Stage) -> None:
    """Each job is a check, so a new title, a draft or closing must not turn a failure green."""
    number, result = await came_to(at, "plain")
    assert result.conclusion == "failure"
    with at.gh.holding() as held:
        await at.repo.edit(number, title="Another title")
        await at.repo.set_draft(number, True)  # noqa: FBT003
        await at.repo.close(number)
    for one in held:
        told = await at.told("pull_request", event([one]), fail_on="high")
        assert (told.conclusion, told.review) == ("failure", None)
        assert "still applies: failure" in told.says


@on_stage(BASE | {".deeprepo.yml": "triggers: {labels: [go]}\n"})
async def test_label_starts_a_review_of_a_commit_that_has_none(at: Stage) -> None:
    """A second label repeats the result."""
    number, result = await came_to(at, "plain")
    assert result.review is None
    for name, is_reviewed in (("go", True), ("more", False)):
        with at.gh.holding() as held:
            await at.repo.add_label(number, name)
        told = await at.told("pull_request", event(held), fail_on="high")
        assert (told.conclusion, told.review is not None) == ("failure", is_reviewed)


@on_stage(BASE | {".deeprepo.yml": "triggers: {labels: [go]}\nfail_on: high\n"})
async def test_push_without_the_label_fails_while_the_finding_is_open(at: Stage) -> None:
    """The finding holds the job until a push fixes it."""
    number, _ = await opened(at)
    came_to = []
    for change in (
        lambda: at.repo.add_label(number, "go"),
        lambda: at.repo.remove_label(number, "go"),
        lambda: at.repo.push("feature", {"NOTES.md": "more\n"}),
        lambda: at.repo.edit(number, title="Another title"),
        lambda: at.repo.push("feature", {path: text for path, text in BASE.items() if path in BROKEN}),
    ):
        with at.gh.holding() as held:
            await change()
        came_to.append((await at.run("pull_request", event(held[-1:]))).code)
    assert came_to == [1, 1, 1, 1, 0]


@on_stage(BASE)
async def test_no_event_turns_a_strangers_failed_job_green(at: Stage) -> None:
    """A fork's job cannot store a conclusion, so each event either reviews the head again or fails."""
    number, body = await opened(at, fork=True)
    how = {"permissions": READ, "fail_on": "high"}
    assert (await at.told("pull_request", body, **how)).conclusion == "failure"
    came_to = {}
    for change in (
        lambda: at.repo.edit(number, title="Another title"),
        lambda: at.repo.set_draft(number, True),  # noqa: FBT003
        lambda: at.repo.edit(number, title="A draft's title"),
        lambda: at.repo.set_draft(number, False),  # noqa: FBT003
        lambda: at.repo.close(number),
        lambda: at.repo.edit(number, title="A closed one's title"),
        lambda: at.repo.reopen(number),
    ):
        with at.gh.holding() as held:
            await change()
        told = await at.told("pull_request", event(held), **how)
        came_to[f"{held[0].payload['action']} {len(came_to)}"] = (told.conclusion, told.review is not None)
    assert set(came_to.values()) == {("failure", True), ("failure", False)}, came_to
    assert [is_reviewed for _, is_reviewed in came_to.values()] == [True, False, False, True, False, False, True]


@on_stage(BASE)
async def test_event_without_code_changes_reuses_only_a_matching_review(at: Stage) -> None:
    """If a push was never reviewed or the threshold was raised, the next edited title starts a review."""
    await at.repo.commit("feature", {"README.md": "hello\n"})
    with at.gh.holding() as held:
        number = await at.repo.open_pull("feature", title="docs", fork=True)
    assert (await at.told("pull_request_target", event(held), fail_on="high")).conclusion == "success"

    async def retitled(title: str, bar: str = "high") -> tuple[str, bool]:
        with at.gh.holding() as held:
            await at.repo.edit(number, title=title)
        told = await at.told("pull_request_target", event([held[-1]]), fail_on=bar)
        return told.conclusion, told.review is not None

    assert await retitled("One") == ("success", False)
    with at.gh.holding():
        await at.repo.push("feature", BROKEN, author="stranger")
    assert await retitled("Two", "critical") == ("neutral", True)
    assert await retitled("Three", "high") == ("failure", True)
    assert await retitled("Four", "high") == ("failure", False)


@on_stage(BASE)
async def test_second_pull_request_does_not_turn_a_strangers_commit_green(at: Stage) -> None:
    """Checks belong to commits, so a second pull request with the same head keeps the first one's failure."""
    store = at.repo.repository.git

    def branch(name: str, commit: str) -> None:
        subprocess.run(["git", "--git-dir", store, "update-ref", f"refs/heads/{name}", commit], check=True)

    await at.repo.commit("feature", BROKEN)
    branch("old", "feature")
    with at.gh.holding() as held:
        await at.repo.push("feature", {"README.md": "hello\n"})
        first = await at.repo.open_pull("feature", fork=True)
    how = {"permissions": READ, "fail_on": "high"}
    assert (await at.told("pull_request", event(held[-1:]), **how)).conclusion == "failure"
    branch("again", f"refs/pull/{first}/head")
    with at.gh.holding() as held:
        second = await at.repo.open_pull("again", base="old", author="stranger")
    told = await at.told("pull_request", event(held), **how)
    assert told.conclusion == "failure"
    assert told.says.startswith(f"#{first} has the same head commit")
    with at.gh.holding() as held:
        await at.repo.close(first)
        await at.repo.edit(second, title="Now alone")
    assert (await at.told("pull_request", event([held[-1]]), **how)).conclusion == "success"
