"""The texts of the corpus as code beside a line that `/deeprepo fix` rewrites, in the answer of a server."""

import asyncio
import re
from pathlib import Path

import pytest
from families import few
from hostile_texts import CORPUS, text_of
from rendered import SEEN, harm
from test_whole_commands import said
from whole import BROKEN, whole

SHARES = 24
MOST = 250  # characters: one line of a comment, as GitHub holds it


def lines(share: int) -> list[str]:
    """The share of one pull request, each text on one line; a NUL byte would make a file of it that nobody parses."""
    return [" ".join(text_of(entry)[:MOST].replace("\0", " ").split()) or "x" for entry in CORPUS][share::SHARES]


def assert_harmless(page: str) -> None:
    """Nothing in it that GitHub would act on, nothing unseen, and one marker, which is ours."""
    assert harm(page.partition("\n")[2]) is None, harm(page.partition("\n")[2])
    assert not SEEN.search(page)
    assert len(re.findall(r"<!--\s*deeprepo", page, re.IGNORECASE)) == 1


@pytest.mark.parametrize("share", few(range(SHARES), 0))
def test_a_patch_beside_hostile_code_is_words(tmp_path: Path, share: int) -> None:
    """No line around the fix can close the fence of the answer, and the message of the commit quotes no line."""
    around = [f"    # {text}" for text in lines(share)]
    code = "\n".join(
        ["from shop.price import total", "", "", "def pay(items):", *around[:2], "    return total(items, 0.2)", ""]
    )
    path = "shop/cart ``` @team.py"

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.grant(contents="write")
            await at.repo.commit("main", {"shop/cart.py": code, path: code})
            number = await at.reviewed(files=BROKEN, fork=True)
            reply = await said(at, number, "/deeprepo fix")
            assert "+    return total(items)" in reply
            (body,) = [one.body for one in at.gh.pull(number).comments if '"kind": "reply"' in one.body]
            assert_harmless(body)

    asyncio.run(go())
