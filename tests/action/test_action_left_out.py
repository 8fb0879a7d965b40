"""The copied workflow on a draft and on a bot's pull request: nothing is red that nobody has reviewed by the owner's own choice."""

import pytest
from opening import BASE, event, opened
from stepping import Stage, on_stage

from bot.workflow.review_run import ReviewResult

KINDS = {"draft": {"draft": True}, "bot": {"author": "dependabot[bot]"}, "plain": {}}


async def came_to(at: Stage, kind: str) -> tuple[int, ReviewResult]:
    """What the workflow's step comes to on a pull request of this kind."""
    at.gh.world.user("dependabot[bot]", "Bot")
    number, body = await opened(at, **KINDS[kind])
    return number, await at.told("pull_request", body, fail_on="high")


@pytest.mark.parametrize(
    ("kind", "strict", "ending"),
    [("draft", False, "neutral"), ("bot", False, "neutral"), ("plain", False, "failure"), ("draft", True, "failure")],
)
@on_stage(BASE)
async def test_what_the_owner_leaves_out_is_neutral_under_a_bar(
    at: Stage, kind: str, ending: str, *, strict: bool
) -> None:
    """Unless the settings are strict; what is reviewed fails for its finding."""
    if strict:
        await at.repo.commit("main", {".deeprepo.yml": "strict: true\n"})
    _, result = await came_to(at, kind)
    assert result.conclusion == ending
    assert (result.review is not None) == (kind == "plain")
    assert kind == "plain" or result.says.startswith("Not reviewed: ")


@on_stage(BASE)
async def test_an_event_that_starts_no_review_repeats_what_the_head_came_to(at: Stage) -> None:
    """Its job is a check of the pull request: another title, a draft and a closed pull request turn no failure green."""
    number, result = await came_to(at, "plain")
    assert result.conclusion == "failure"
    with at.gh.holding() as held:
        await at.repo.edit(number, title="Another title")
        await at.repo.set_draft(number, True)  # noqa: FBT003 - of the sandbox
        await at.repo.close(number)
    for one in held:
        told = await at.told("pull_request", event([one]), fail_on="high")
        assert (told.conclusion, told.review) == ("failure", None)
        assert "stands: failure" in told.says
