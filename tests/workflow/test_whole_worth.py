"""What reviews were worth, from a pull request's findings to the operator's page."""

from urllib.parse import parse_qs, urlsplit

import httpx2
import sqlalchemy as sa
from waits import patience
from whole import Whole

from bot.app import operator
from bot.config.server import Server
from bot.storage.database import review

FAULTS = {
    "shop/rates.py": 'RATES = {"a": 1, "a": 2}\n',
    "shop/kinds.py": 'def known(kind):\n    return kind is "parcel"\n',
    "shop/names.py": "def name():\n    return unknown_name\n",
}


def comment(at: Whole, number: int, path: str) -> int:
    """Return the ID of the comment about this file's finding."""
    (found,) = [c for c in at.gh.pull(number).review_comments if c.path == path and '"kind": "finding"' in c.body]
    return found.id


async def page(at: Whole, path: str = "/worth") -> str:
    """Sign in and return a page for the operator."""
    link = operator.link(Server(at.server.options, at.server.app), at.address)
    async with httpx2.AsyncClient(base_url=at.address, trust_env=False, timeout=patience()) as http:
        await http.post("/signin", data={"token": parse_qs(urlsplit(link).query)["token"][0]})
        return (await http.get(path)).text


async def test_merged_pull_request_shows_the_outcome_of_its_findings(at: Whole) -> None:
    """One finding is fixed, one ignored, one open at the merge. Closing without merging does not count."""
    number = await at.reviewed(files=FAULTS)
    other = await at.reviewed(branch="other", files={"shop/more.py": 'MORE = {"a": 1, "a": 2}\n'})
    await at.pushed({"shop/rates.py": 'RATES = {"a": 1, "b": 2}\n'})
    await at.repo.reply(number, comment(at, number, "shop/kinds.py"), "/deeprepo ignore by design")
    await at.quiet()
    await at.repo.close(number, merge=True)
    await at.repo.close(other)
    await at.quiet()
    paid = sa.update(review).where(review.c.merged.is_not(None)).values(usd=0.3)
    await at.server.store.database.run(lambda connection: connection.execute(paid))
    shown = await page(at)
    assert '<dt>Fixed before merge</dt><dd>1</dd><dd class="soft">33% of those shown</dd>' in shown
    assert "someone commented /deeprepo ignore" in shown
    assert "F601" in shown
