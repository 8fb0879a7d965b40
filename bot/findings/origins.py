"""Why a later review reports a finding for the first time: the fix for an earlier one, the last push, or an earlier review that missed it."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.findings.places import Since, is_rewritten
from bot.findings.rounds import is_new_code
from bot.values import Evidence, Finding

NEAR = 3  # lines between the place of a finding and a line that its fix added


def with_origins(
    findings: Sequence[Finding], since: Since, changed: Collection[str], *, is_pushed: bool
) -> list[Finding]:
    """Return the findings, each new one with its origin.

    `changed`: paths of the change. `is_pushed`: whether the head has changed since the last review.
    """
    fixed = [finding for finding in findings if finding.status == "fixed" and finding.number]
    return [
        _with_origin(each, fixed, since, changed, is_pushed=is_pushed) if each.is_new else each for each in findings
    ]


def _with_origin(
    finding: Finding, fixed: Sequence[Finding], since: Since, changed: Collection[str], *, is_pushed: bool
) -> Finding:
    here = [*finding.places, *(item for item in finding.evidence if item.side == "head")]
    fixes = (past.number for past in fixed for old in past.places for new in here if _has_replaced(old, new, since))
    fix_of = next(fixes, 0)
    if not fix_of and finding.path not in changed and not any(item.path in changed for item in here):
        return finding  # nothing was compared, so nobody knows whether the push or an earlier change broke it
    is_of_push = bool(fix_of) or is_new_code(finding, since, changed)
    if is_of_push and not (fix_of or is_pushed):
        return finding  # it became part of the change when the base changed
    return replace(
        finding, tracking=replace(finding.tracking, origin="push" if is_of_push else "missed", fix_of=fix_of)
    )


def _has_replaced(old: Evidence, new: Evidence, since: Since) -> bool:
    if is_rewritten(old, new, since):
        return True
    if old.path != new.path or old.path not in since.before:
        return False
    kept = since.moves(old.path)
    return new.line not in kept.values() and abs(kept.get(old.line, -NEAR) - new.line) <= NEAR
