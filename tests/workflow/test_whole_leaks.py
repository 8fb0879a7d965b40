"""A secret that was committed and taken out again: its pull request is not clean until somebody who may says that it was revoked."""

import pytest
from families import few
from whole import Whole

LEAK = {"shop/keys.py": 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'}
SAFE = 'import os\n\naws_access_key_id = os.environ["AWS_KEY"]\n'
# What the second round does about it.
WAYS = {
    "a safe line": {"shop/keys.py": SAFE},
    "the file is gone": {"shop/keys.py": None},
    "moved, then gone": {"shop/keys.py": None, "shop/more.py": LEAK["shop/keys.py"]},
}


def green(at: Whole, number: int) -> bool:
    """Whether the newest check run on the head says so."""
    return max(at.gh.pull(number).checks, key=lambda check: check.id).conclusion == "success"


async def told(at: Whole, number: int, text: str, author: str) -> str:
    """Comment and wait; the new answer."""
    before = at.replies(number)
    await at.repo.comment(number, text, author=author)
    await at.quiet()
    return next((reply for reply in at.replies(number) if reply not in before), "")


@pytest.mark.parametrize("way", few(WAYS, 0))
async def test_a_removed_secret_is_open_until_it_is_revoked(at: Whole, way: str) -> None:
    """By the word of somebody with write permission; it stays closed in the next rounds."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n"})
    number = await at.reviewed(files=LEAK)
    first = at.gh.pull(number).head_sha
    assert not green(at, number)
    await at.repo.push("feature", WAYS[way])
    await at.quiet()
    if "shop/more.py" in WAYS[way]:
        await at.repo.push("feature", {"shop/more.py": None})
        await at.quiet()
    await at.repo.push("feature", {"NEWS.md": "One more round.\n"})
    await at.quiet()
    text = at.summary(number)
    assert "removed, still in commit" in text
    assert "revoke it" in text
    assert first[:10] in text or "shop/more.py" in WAYS[way]
    assert not green(at, number)

    await told(at, number, "/deeprepo ignore 1 revoked", "stranger")
    assert not green(at, number)
    assert "revoke it" in at.summary(number)
    assert "Not reported again" in await told(at, number, "/deeprepo ignore 1 revoked", "maintainer")
    assert green(at, number)
    await at.repo.push("feature", {"NEWS.md": "And another.\n"})
    await at.quiet()
    assert green(at, number)


@pytest.mark.slow
async def test_a_change_that_takes_a_secret_back_whole_is_not_green(at: Whole) -> None:
    """Nothing differs from the base any more, and everybody can fetch the commit: the check fails and the summary says so."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n"})
    number = await at.reviewed(files=LEAK)
    await at.repo.push("feature", {"shop/keys.py": None})
    await at.quiet()
    assert not green(at, number)
    assert "removed, still in commit" in at.summary(number)
    await told(at, number, "/deeprepo full review", "maintainer")
    assert not green(at, number)

    await told(at, number, "/deeprepo ignore 1 revoked", "maintainer")
    assert green(at, number)
