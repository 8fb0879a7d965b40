"""Proposals of rules after the App was taken off a repository and given back: their numbers begin at 1 again."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from families import few
from test_whole_rules import FAULTS, comment, proposals, said
from whole import whole


@pytest.mark.parametrize("path", few(("shop/kinds.py", "shop/rates.py"), 0))
def test_an_old_thumb_confirms_no_new_rule(tmp_path: Path, path: str) -> None:
    """Neither one on a comment that showed another rule under the same number, nor one on the same rule's comment of that time."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed(files=FAULTS)
            at.repo.react(number, comment(at, number, "shop/rates.py").id)
            await said(at, number, "/deeprepo rules")
            old = proposals(at, number)["shop/rates.py"]
            at.repo.react(number, old.id, "+1")
            await said(at, number, "/deeprepo rules")
            assert [one.state for one in await at.server.store.rules.of(at.repo.id)] == ["confirmed"]
            for each in at.repo.repository.pulls[number].review_comments:
                for reaction in each.reactions:
                    reaction.created_at -= timedelta(hours=1)
            await at.server.store.forget(at.repo.installation, (at.repo.id,))
            await at.repo.push("feature", {"NEWS.md": "x\n"})
            await at.quiet()
            at.repo.react(number, comment(at, number, path).id)
            await said(at, number, "/deeprepo help")
            await said(at, number, "/deeprepo config")
            rules = await at.server.store.rules.of(at.repo.id)
            assert rules
            assert {one.state for one in rules} == {"proposed"}
            new = max((c for c in at.gh.pull(number).review_comments if '"kind": "rule"' in c.body), key=lambda c: c.id)
            at.repo.react(number, new.id, "-1")
            await said(at, number, "/deeprepo help")
            assert len(await at.server.store.rules.of(at.repo.id)) == len(rules) - 1

    asyncio.run(go())
