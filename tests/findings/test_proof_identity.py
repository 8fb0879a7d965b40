"""What code has proven is silenced by the owner's word for that very proof, and by nothing else."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fakes import Repository

from bot.checkout import Checkout
from bot.findings import rules
from bot.findings.judge import JudgedFindings, judge
from bot.findings.merge import merge
from bot.findings.suppress import IgnoreList
from bot.values import Dependents, Earlier, Finding, OwnerRule, Source, Verdict

LINES = ("total(items, 0.2)", "divide(n)", "load(path)")
MODEL, RUFF, CHECK = Source("model", "a/b", "worker"), Source("analyser", "ruff"), Source("analyser", "contracts")
GUESS = Finding("a.py", LINES[0], "`total` may break", "w", "c", "medium", "broken-caller", (MODEL,), start=1, end=1)
PROOF = replace(
    GUESS, title="`total` takes no `tax`", severity="high", sources=(CHECK,), rule="arity", verdict=Verdict.PROVEN
)


def one(*findings: Finding) -> Finding:
    """The findings as the one that they are."""
    (merged,) = merge(findings)
    return merged


def silenced(findings: Sequence[Finding], ignored: IgnoreList) -> tuple[Finding, ...]:
    """What of it is silenced."""
    return ignored.split(findings)[1]


def test_a_rule_for_something_less_serious_means_no_grave_proof() -> None:
    """A learned rule means what it was confirmed for; the settings are the owner's own hand."""
    learned = OwnerRule("/a.py", "arity", learned=True)
    assert rules.covers(learned, replace(one(PROOF), severity="medium"))
    assert not rules.covers(learned, one(PROOF))
    assert rules.covers(replace(learned, grave=True), one(PROOF))
    assert rules.covers(OwnerRule("/a.py", "arity"), one(PROOF))


@pytest.mark.parametrize("seed", range(12))
def test_no_order_of_words_and_rounds_silences_a_proof(repository: Repository, seed: int) -> None:
    """Random rounds of guesses and proofs, withdrawals, rules: each proof is open unless a word or a rule names it."""
    pull = repository.change({"README.md": "x\n"}, {"a.py": "\n".join(LINES) + "\n"})
    asyncio.run(_story(Checkout(pull), random.Random(seed)))  # noqa: S311 - a made-up story


def _proof(finding: Finding) -> object:
    """What is proven, and of which line."""
    return finding.quote, finding.proofs


async def _story(checkout: Checkout, dice: random.Random) -> None:
    async with checkout as tree:
        past: Earlier | None = None
        asked: list[tuple[str, str, str]] = []
        named: set[object] = set()
        learned: list[OwnerRule] = []
        for number in range(1, 25):
            reported = [
                replace(kind, quote=LINES[at], start=at + 1, end=at + 1)
                for at in range(len(LINES))
                for kind in dice.sample(
                    (GUESS, PROOF, replace(PROOF, rule="other", severity="medium")), dice.randint(0, 2)
                )
            ]
            ignored = IgnoreList().also(asked, learned)
            done = await judge(
                reported, tree, Dependents(), None, ignore_list=ignored, earlier=past, silence=lambda *_: "fixed"
            )
            proofs = {_proof(finding) for finding in merge(reported) if finding.proven}
            reached = {_proof(finding) for finding in (*done.having("new"), *done.having("still"))}
            covered = {_proof(f) for f in merge(reported) if f.proven and f.kind in {rule.kind for rule in learned}}
            assert proofs - reached <= named | covered, (number, asked, learned)
            for finding in (*done.having("new"), *done.having("still")):
                word = dice.choice(("", "", "withdraw", "ignore", "category", "rule"))
                if word == "withdraw":
                    asked.append((finding.fingerprint, "told", "withdrawn"))
                elif word == "ignore" and (not finding.proven or dice.random() < 0.2):
                    asked.append((finding.identity, "fine", "finding"))
                    named |= {_proof(finding)} if finding.proven else set()
                elif word == "category":
                    learned.append(OwnerRule("/a.py", finding.category, learned=True))
                elif word == "rule" and finding.rule == "other":
                    learned.append(OwnerRule("/a.py", "other", learned=True))
            past = _next(done, number)


def _next(done: JudgedFindings, number: int) -> Earlier:
    """What the round leaves to the next one."""
    return Earlier(number, "b", "h", findings=(*done.having("new"), *done.having("still")), files=("a.py",))
