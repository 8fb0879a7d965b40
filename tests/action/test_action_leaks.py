"""A secret that was committed and taken out again, in a workflow: it stays open until the owner's list says that it was revoked."""

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from opening import BASE, event, summary
from stepping import Stage, on_stage, stage

from bot.findings import suppress
from bot.workflow.backend import ReviewResult

LEAK = {"shop/keys.py": 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'}


@on_stage(BASE)
async def test_a_removed_secret_is_open_until_the_list_says_revoked(at: Stage) -> None:
    """A stranger's comment changes nothing, an entry on the base branch does."""
    await at.repo.commit("feature", LEAK)
    number = await at.repo.open_pull("feature", title="Keys")
    given = {"strategy": "offline", "fail_on": "critical"}

    async def pushed(files: dict[str, str | None]) -> ReviewResult:
        with at.gh.holding() as held:
            await at.repo.push("feature", files)
        return await at.told("pull_request", event(held), **given)

    first = (await pushed({"NEWS.md": "one\n"})).review
    assert first is not None
    (leak,) = [one.finding for one in first.reported]
    head = at.gh.pull(number).head_sha
    assert (await pushed({"shop/keys.py": None})).conclusion == "failure"
    with at.gh.holding() as held:
        await at.repo.comment(number, "/deeprepo ignore 1 revoked", author="stranger")
    commented = [one for one in held if one.event == "issue_comment"]
    await at.told("issue_comment", event(commented), **given)
    third = await pushed({"NEWS.md": "three\n"})
    assert third.conclusion == "failure"
    text = summary(at.gh, number)
    assert "removed, still in commit" in text
    assert "revoke it" in text
    assert head[:10] in text

    entry = suppress.write(None, suppress.entry_for(leak, "finding", "revoked"))
    await at.repo.commit("main", {suppress.FILE: entry})
    last = await pushed({"NEWS.md": "four\n"})
    assert last.review is not None
    assert (last.conclusion, last.review.still) == ("success", ())
    assert [one.silencing and one.silencing.reason for one in last.review.having("silenced")] == ["revoked"]


async def _pushed_over(at: Stage, number: int, files: Mapping[str, str | None], **inputs: str) -> ReviewResult:
    with at.gh.holding() as held:
        await at.repo.force_push("feature", dict(files))
    return await at.told("pull_request", event(held), strategy="offline", fail_on="critical", **inputs)


def test_a_state_of_any_change_holds_the_removed_secret(tmp_path: Path) -> None:
    """Paths that would fill the comment are left out of the state, and the push that takes them away again knows the secret."""
    dice = random.Random(1)  # noqa: S311 - no secret of anybody
    wide = {f"n/{dice.randbytes(100).hex()}.txt": "x\n" for _ in range(330)}

    async def go() -> None:
        async with stage(tmp_path, BASE) as at:
            await at.repo.commit("feature", LEAK)
            number = await at.repo.open_pull("feature", title="Keys")
            assert (await _pushed_over(at, number, LEAK)).conclusion == "failure"
            gone: dict[str, str | None] = {"shop/keys.py": None, "NEWS.md": "two\n"}
            assert (await _pushed_over(at, number, {**gone, **wide})).conclusion == "failure"
            assert "deeprepo-state:" in summary(at.gh, number)
            third = await _pushed_over(at, number, {"NEWS.md": "three\n", **dict.fromkeys(wide)})
            assert (third.conclusion, "removed, still in commit" in summary(at.gh, number)) == ("failure", True)

    asyncio.run(go())


@pytest.mark.slow
@on_stage(BASE)
async def test_of_two_states_the_newer_one_counts(at: Stage) -> None:
    """A workflow that keeps its file only after success hands over an older one, or none: the summary's state counts."""
    await at.repo.commit("feature", {"NEWS.md": "zero\n"})
    number = await at.repo.open_pull("feature", title="Keys")
    await _pushed_over(at, number, {"NEWS.md": "one\n"}, json_file="last.json")
    await _pushed_over(at, number, LEAK)
    for previous in ("last.json", "gone.json"):
        told = await _pushed_over(at, number, {"shop/keys.py": None}, previous=previous)
        assert (told.conclusion, "removed, still in commit" in summary(at.gh, number)) == ("failure", True)
