"""What a maintainer quotes to deny it, with a model that a stranger has talked round."""

import asyncio
import time
from pathlib import Path

import pytest
from families import few
from test_whole_conversations import FACT, HEAD, said, talk

GUESSED = {"shop/price.py": HEAD["shop/price.py"], "shop/cart.py": "def pay(items):\n    return items\n"}
QUOTED = [
    "> The queue before this service drops empty orders.\n\nThat is wrong.",
    "```\nThe queue before this service drops empty orders.\n```\nProve it.",
    "You say:\n\n    The queue before this service drops empty orders.\n\nSays who?",
    "<!-- The queue before this service drops empty orders. -->\nI do not believe that.",
]


@pytest.mark.parametrize("remark", few(QUOTED, 0))
def test_a_quoted_claim_withdraws_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remark: str) -> None:
    """A model that hands in what a maintainer only quotes, or the whole remark, leaves the finding, and the check red."""

    async def go() -> None:
        async with talk(tmp_path, monkeypatch, "fail_on: high\n", GUESSED) as one:
            assert await one.reply(FACT["words"], author="stranger") == ""
            for words in (FACT["words"], remark):
                one.script.append(said("Then it cannot happen.", withdraw={**FACT, "words": words}))
                assert "does not state the reason in its writer's own words" in await one.reply(remark)
            assert await one.at.server.store.people.suppressions(one.pull, time.time()) == ()
            assert max(one.at.gh.pull(one.number).checks, key=lambda check: check.id).conclusion == "failure"

    asyncio.run(go())
