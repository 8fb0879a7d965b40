"""Rejected findings become the repository's rules: who can teach them, how, and what a rule then silences."""

import re
from collections import Counter

import pytest
import yaml
from whole import Whole

from bot import config
from bot.storage.findings import FindingOutcome, addressed_share
from deeprepo_sandbox.github.things import ReviewComment

HOSTILE = "fine @team | `x` <!-- deeprepo:1 --> --- end --- rules: [{path: '**', kind: secret}] ``` & *more*"
# Four findings, each with its own comment; the last one is proven and severe.
FAULTS = {
    "shop/rates.py": 'RATES = {"a": 1, "a": 2}\n',
    "shop/kinds.py": 'def known(kind):\n    return kind is "parcel"\n',
    "shop/checks.py": "def pay(price):\n    assert (price, 'is free')\n",
    "shop/names.py": "def name():\n    return unknown_name\n",
}
CODES = {"shop/rates.py": "F601", "shop/kinds.py": "F632", "shop/checks.py": "F631", "shop/names.py": "F821"}


def comment(at: Whole, number: int, path: str) -> ReviewComment:
    """Return the comment about this file's finding."""
    (found,) = [c for c in at.gh.pull(number).review_comments if c.path == path and '"kind": "finding"' in c.body]
    return found


def proposals(at: Whole, number: int) -> dict[str, ReviewComment]:
    """Return the replies that propose a rule, keyed by the file of their thread."""
    found = [c for c in at.gh.pull(number).review_comments if '"kind": "rule"' in c.body]
    assert len(found) == len({c.path for c in found})
    return {c.path: c for c in found}


def rows(listed: str) -> dict[int, str]:
    """Return the rows of the list of rules, keyed by number."""
    return {int(found[1]): found[0] for found in re.finditer(r"^\| (\d+) \|.*$", listed, re.MULTILINE)}


async def addressed(at: Whole) -> Counter[FindingOutcome]:
    return (await at.server.store.outcomes.of_repositories([at.repo.repository.id], 0.0))[at.repo.repository.id]


async def test_only_people_with_write_permission_propose_rules(at: Whole) -> None:
    """A 👎, reply or `ignore` proposes one rule each, only from people with write permission.

    A rule for a proven, severe kind can only be confirmed by a command.
    """
    at.repo.add("boss", "admin")
    number = await at.reviewed(files=FAULTS)
    rates, kinds, checks, names = (comment(at, number, path).id for path in FAULTS)
    for person in ("stranger", "outsider", "other[bot]", "deeprepo[bot]"):
        at.repo.react(number, rates, author=person)
    await at.repo.reply(number, kinds, "This is by design.", author="stranger")
    await at.repo.reply(number, kinds, "This is by design.", author="other[bot]")
    assert "no learned rules" in await at.said(number, "/deeprepo rules")
    assert proposals(at, number) == {}
    assert await addressed(at) == {"waiting": 4}

    at.repo.react(number, rates)
    at.repo.react(number, names)
    await at.repo.reply(number, kinds, "> Is it a bug?\n\nNo. Won\u2019t fix: " + HOSTILE, author="colleague")
    told = await at.said(number, f"/deeprepo ignore {HOSTILE}", to=checks)
    assert "rule 4" in told
    shown = proposals(at, number)
    assert set(shown) == {"shop/rates.py", "shop/kinds.py", "shop/names.py"}
    assert all(CODES[path] in c.body and c.reply_to == comment(at, number, path).id for path, c in shown.items())
    assert "👍" in shown["shop/rates.py"].body
    assert "react with 👍" not in shown["shop/names.py"].body
    assert "@team" not in "".join(c.body for c in shown.values()) + told.partition("```yaml")[0]
    assert await addressed(at) == {"rejected": 4}


async def test_rejecting_a_proven_finding_gets_the_command_to_dismiss_it(at: Whole) -> None:
    """The immediate answer, without a model, names the command that dismisses only this finding."""
    number = await at.reviewed(files=FAULTS)
    for path in ("shop/names.py", "shop/rates.py"):  # a proven, severe finding and a minor one
        finding = comment(at, number, path)
        await at.said(number, "Won't fix, it goes away next week.", to=finding.id)
        answer = proposals(at, number)[path].body
        assert re.search(
            r"only this finding, in this pull request, use `/deeprepo ignore \d+` in this thread instead of a rule",
            answer,
        ), answer


async def taught(at: Whole) -> dict[str, ReviewComment]:
    """Propose four rules, the one for `checks.py` by a command; return the other three proposing comments."""
    number = await at.reviewed(files=FAULTS)
    for path in ("shop/rates.py", "shop/kinds.py", "shop/names.py"):
        at.repo.react(number, comment(at, number, path).id)
    told = await at.said(number, f"/deeprepo ignore by design. {HOSTILE}", to=comment(at, number, "shop/checks.py").id)
    assert "rule 4" in told
    return proposals(at, number)


@pytest.mark.slow
async def test_only_a_maintainer_confirms_a_rule(at: Whole) -> None:
    """Rules are confirmed by a reaction or command, not by readers; proven, severe kinds need a command."""
    at.repo.add("boss", "admin")
    shown = await taught(at)
    for path in shown:
        at.repo.react(1, shown[path].id, "+1", "stranger")
    at.repo.react(1, shown["shop/rates.py"].id, "+1", "boss")
    at.repo.react(1, shown["shop/names.py"].id, "+1", "boss")
    at.repo.react(1, shown["shop/kinds.py"].id, "-1", "maintainer")
    assert "write" in await at.said(1, "/deeprepo rules confirm 4", author="stranger")
    assert "path pattern" in await at.said(1, "/deeprepo rules confirm 4 !a")
    assert "no rule 99" in await at.said(1, "/deeprepo rules confirm 99")
    assert "From the next review, rule 4 applies" in await at.said(1, "/deeprepo rules confirm 4 shop/**")
    listed = rows(await at.said(1, "/deeprepo rules"))
    codes = {code: row for row in listed.values() for code in CODES.values() if code in row}
    assert "active: `boss`" in codes["F601"]
    assert "proposed" in codes["F821"]
    assert "active: `maintainer`" in codes["F631"]
    assert "F632" not in codes
    assert "@team" not in "".join(listed.values())

    exported = await at.said(1, "/deeprepo rules export")
    text = exported.partition("yaml\n")[2].rpartition("\n`")[0]
    listed_rows = yaml.safe_load(text)["ignore"]
    kinds = {row["kind"]: row for row in listed_rows if "kind" in row}
    assert set(kinds) == {"F601", "F631"}
    assert ["finding" in row for row in listed_rows] == [False, False, True]
    assert kinds["F631"] == {
        "path": "shop/**",
        "kind": "F631",
        "reason": "by design. " + HOSTILE.replace("<!-- deeprepo:1 --> ", ""),
    }
    settings, problems = config.check(text.encode())
    assert (len(settings.values["ignore"]), problems) == (3, ())


@pytest.mark.slow
async def test_findings_silenced_by_a_rule_are_shown_and_counted(at: Whole) -> None:
    """The summary has one collapsed line with the rule and its count. Without the rule, findings return."""
    await taught(at)
    await at.said(1, "/deeprepo rules confirm 4 shop/**")
    await at.opened("later", {"shop/more.py": FAULTS["shop/checks.py"]})
    await at.quiet()
    summary = at.summary(2)
    assert "<summary>1 finding is silenced by a rule.</summary>" in summary
    assert "- Rule 4 (`F631`, `shop/**`): 1 finding" in summary
    assert "@team" not in summary
    assert at.gh.pull(2).review_comments == []
    assert at.gh.pull(2).checks[-1].conclusion == "success"
    await at.said(2, "/deeprepo review")
    assert rows(await at.said(2, "/deeprepo rules"))[4].endswith("| 1 |")
    assert "removed" in await at.said(2, "/deeprepo rules remove 4")
    await at.said(2, "/deeprepo full review")
    assert [c.path for c in at.gh.pull(2).review_comments] == ["shop/more.py"]


@pytest.mark.slow
async def test_findings_open_at_merge_are_counted_after_a_final_reaction_check(at: Whole) -> None:
    """A 👎 just before closing still proposes a rule. Fixed findings count as addressed, open ones as left."""
    number = await at.reviewed(files=FAULTS)
    await at.pushed({"shop/rates.py": 'RATES = {"a": 1, "b": 2}\n'})
    at.repo.react(number, comment(at, number, "shop/kinds.py").id)
    await at.repo.close(number)
    await at.quiet()
    assert set(proposals(at, number)) == {"shop/kinds.py"}
    found = await addressed(at)
    assert found == {"fixed": 1, "rejected": 1, "left": 2}
    assert addressed_share(found) == 0.25


async def test_committed_secret_proposes_no_rule(at: Whole) -> None:
    """The finding is ignored in this pull request, but no rule is offered that would hide later secrets."""
    key = "AKIA" + "Q3ZRT5PLMX7WQN2B"
    number = await at.reviewed(files={"shop/key.py": f'KEY = "{key}"\n'})
    answer = await at.said(number, "/deeprepo ignore 1 The key is revoked.")
    assert "Ignored in this pull request" in answer
    assert "rules confirm" not in answer


async def test_reply_in_a_thread_with_two_findings_rejects_only_the_named_one(at: Whole) -> None:
    """A reply names a finding by number, or by a name only one has. If unclear, we ask once which one."""
    number = await at.reviewed(files={"shop/two.py": "def name():\n    return first_one + second_one\n"})
    (top,) = [one for one in at.gh.pull(number).review_comments if one.reply_to is None]
    assert '"also"' in top.body
    asked = await at.said(number, "Won't fix, the importer goes away next month.", to=top.id)
    assert asked.startswith("Which finding do you mean? This thread is about findings 1, 2.")
    assert await addressed(at) == {"waiting": 2}
    await at.said(number, "By design: `second_one` is a builtin of our runtime.", to=top.id)
    assert await addressed(at) == {"waiting": 1, "rejected": 1}
    assert len(at.replies(number)) == 1
    await at.said(number, "1 is not a bug", to=top.id)
    assert await addressed(at) == {"rejected": 2}
