"""Which findings a rule silences: those of its kind in files of its pattern, exactly.

What code has proven and is serious, such as a leaked secret or a broken caller, is silenced only by a rule that names the check itself: a
rule about a model's "security" findings must not hide it.
"""

from collections.abc import Iterable, Sequence

from bot.text import globs
from bot.values import Finding, OwnerRule, Unit

BY_CODE = frozenset({"secret", "settings"})  # categories that no model reports: they name the check


def grave(finding: Finding) -> bool:
    """Whether code has proven the finding, and it is serious."""
    return finding.proven and finding.serious


def covers(rule: OwnerRule, finding: Finding) -> bool:
    """Whether the rule silences the finding."""
    if rule.kind not in (finding.rule, finding.category) or not rule.kind:
        return False
    if finding.proven and rule.kind != finding.kind and rule.kind not in BY_CODE:
        return False
    if grave(finding) and rule.learned and not rule.grave:
        return False
    return globs.matches([rule.path], finding.path)


def reaches(learning: OwnerRule, finding: Finding, units: Iterable[Unit]) -> bool:
    """Whether a learning's scope holds the finding, which a model alone has reported: its file, and its definition if one is named."""
    if (
        not learning.is_learning
        or not learning.text
        or finding.proven
        or finding.is_masked
        or not globs.matches([learning.path], finding.path)
    ):
        return False
    if not learning.symbol:
        return True
    around = (unit.name for unit in units if unit.path == finding.path and unit.start <= finding.start <= unit.end)
    return any(name == learning.symbol or name.endswith(f".{learning.symbol}") for name in around)


def owner_learnings(rows: Iterable[Sequence[str]]) -> tuple[OwnerRule, ...]:
    """The learnings of the settings, from their path, symbol and text."""
    return tuple(
        OwnerRule(path, "", text, number, symbol=symbol) for number, (path, symbol, text) in enumerate(rows, 1)
    )


def owner_rules(rows: Iterable[Sequence[str]]) -> tuple[OwnerRule, ...]:
    """The rules of the settings, from their path, kind and text."""
    return tuple(OwnerRule(path, kind, text, number) for number, (path, kind, text) in enumerate(rows, 1))
