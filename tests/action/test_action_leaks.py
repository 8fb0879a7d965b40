"""A secret that was committed and taken out again, in a workflow: it stays open until the owner's list says that it was revoked."""

from opening import BASE, event, summary
from stepping import Stage, on_stage

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
