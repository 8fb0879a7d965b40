"""A secret that was committed and taken out again: its pull request is not clean until somebody who may says that it was revoked."""

from whole import Whole

LEAK = {"shop/keys.py": 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'}


def green(at: Whole, number: int) -> bool:
    """Whether the newest check run on the head says so."""
    return max(at.gh.pull(number).checks, key=lambda check: check.id).conclusion == "success"


async def told(at: Whole, number: int, text: str, author: str) -> str:
    """Comment and wait; the new answer."""
    before = at.replies(number)
    await at.repo.comment(number, text, author=author)
    await at.quiet()
    return next((reply for reply in at.replies(number) if reply not in before), "")


async def test_a_removed_secret_is_open_until_it_is_revoked(at: Whole) -> None:
    """By the word of somebody with write permission; it stays closed in the next round."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n"})
    number = await at.reviewed(files=LEAK)
    first = at.gh.pull(number).head_sha
    assert not green(at, number)
    await at.repo.push("feature", {"shop/keys.py": None})
    await at.quiet()
    text = at.summary(number)
    assert "removed, still in commit" in text
    assert "revoke it" in text
    assert first[:10] in text
    assert not green(at, number)

    await told(at, number, "/deeprepo ignore 1 revoked", "stranger")
    assert not green(at, number)
    assert "Not reported again" in await told(at, number, "/deeprepo ignore 1 revoked", "maintainer")
    assert green(at, number)
    await at.repo.push("feature", {"NEWS.md": "One more round.\n"})
    await at.quiet()
    assert green(at, number)
