"""Limits on the GitHub requests that people can cause with comments, and on how long others wait."""

from pathlib import Path

import pytest
from test_whole_conversations import talk
from whole import WORSE, whole

SPARE = 4  # requests to renew a token and to check a permission again after a minute


async def test_strangers_comments_are_rate_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger is told once about the limit; later commands cost no requests. The team is answered."""
    async with talk(tmp_path, monkeypatch) as one:
        at, number = one.at, one.number
        top, before = one.thread("mean()"), len(at.gh.requests)
        for n in range(5):
            await at.repo.reply(number, top, f"hello {n}", author="stranger")
            await at.repo.comment(number, f"hi @deeprepo {n}", author="stranger")
            await at.repo.comment(number, "/deeprepo help", author="stranger")
        await at.quiet()
        texts = at.replies(number)
        assert len([text for text in texts if "Rate limit reached (3 commands per hour)" in text]) == 1
        assert len([text for text in texts if "I only answer people with write permission" in text]) == 1
        spent = len(at.gh.requests) - before
        assert 0 < spent <= 150
        for _ in range(5):
            await at.repo.comment(number, "/deeprepo help", author="stranger")
        await at.quiet()
        assert len(at.gh.requests) <= before + spent + SPARE
        known = len(at.replies(number))
        await at.repo.comment(number, "/deeprepo help")
        await at.quiet()
        assert len(at.replies(number)) == known + 1


async def test_private_team_member_is_not_rate_limited(tmp_path: Path) -> None:
    """Replies between people count toward no limit. Permission is asked of GitHub, not read from events."""
    async with whole(tmp_path) as at:
        for login in ("maintainer", "colleague"):
            at.repo.hide_membership(login)
        number = await at.reviewed(files=WORSE)
        top = await at.repo.review_comment(number, "shop/price.py", 1, "Why did the tax go?", "maintainer")
        for n in range(7):
            await at.repo.reply(number, top, f"Because it is added elsewhere ({n})", "colleague")
        await at.quiet()
        assert "total()" in await at.said(number, "/deeprepo explain 1", "colleague")
