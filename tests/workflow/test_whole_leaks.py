"""A secret that was committed and taken out again: its pull request is not clean until somebody who may says that it was revoked."""

from whole import Whole

LEAK = {"shop/keys.py": 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'}


async def test_a_removed_secret_is_open_until_it_is_revoked(at: Whole) -> None:
    """By the word of somebody with write permission; it stays closed in the next round."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n"})
    number = await at.reviewed(files=LEAK)
    first = at.gh.pull(number).head_sha
    assert at.ending(number) == "failure"
    await at.pushed({"shop/keys.py": None})
    text = at.summary(number)
    assert "removed, still in commit" in text
    assert "revoke it" in text
    assert first[:10] in text
    assert at.ending(number) == "failure"

    await at.said(number, "/deeprepo ignore 1 revoked", "stranger")
    assert at.ending(number) == "failure"
    assert "Not reported again" in await at.said(number, "/deeprepo ignore 1 revoked")
    assert at.ending(number) == "success"
    await at.pushed({"NEWS.md": "One more round.\n"})
    assert at.ending(number) == "success"
