"""What code has proven is silenced by the owner's word for that very proof, and by nothing else."""

from dataclasses import replace

from bot.findings import rules
from bot.findings.merge import merge
from bot.values import Finding, OwnerRule, Source, Verdict

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


def test_a_rule_for_something_less_serious_means_no_grave_proof() -> None:
    """A learned rule means what it was confirmed for; the settings are the owner's own hand."""
    learned = OwnerRule("/a.py", "arity", learned=True)
    assert rules.covers(learned, replace(one(PROOF), severity="medium"))
    assert not rules.covers(learned, one(PROOF))
    assert rules.covers(replace(learned, grave=True), one(PROOF))
    assert rules.covers(OwnerRule("/a.py", "arity"), one(PROOF))
