"""Findings as a prompt for somebody's coding agent: file, lines, defect, evidence, and what must not change. Plain text."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from bot import render
from bot.values import Placed

EVIDENCE = 8  # places of one finding
MOST = 20  # findings of one prompt
MOST_BYTES = 24_000  # of a prompt in a comment: the rest of the comment belongs to the findings themselves


def prompt(findings: Sequence[Placed], commit: str, room: int = MOST_BYTES) -> str:
    """The first findings that fit, worst first as they are given, and how many do not; empty if not even one fits."""
    rows = [_row(placed) for placed in findings[:MOST]]

    def text(shown: int) -> str:
        more = len(findings) - shown
        about = {
            "secrets": any(row["secret"] for row in rows[:shown]),
            "defects": not all(row["secret"] for row in rows[:shown]),
        }
        return render.text("prompts/handover.md.j2", findings=rows[:shown], commit=commit, more=more, **about).strip(
            "\n"
        )

    whole = text(len(rows)) if rows else ""
    if len(whole.encode()) <= room:
        return whole
    shown = bisect_right(range(1, len(rows)), room, key=lambda shown: len(text(shown).encode()))
    return text(shown) if shown else ""


def _row(placed: Placed) -> dict[str, Any]:
    finding = placed.finding
    last = finding.end if finding.end > finding.start else 0
    return {
        "number": finding.number,
        "severity": finding.severity,
        "path": finding.path,
        "secret": finding.category == "secret",
        "lines": f"{finding.start}-{last}" if last else str(finding.start or ""),
        "before": finding.side == "base",
        "title": finding.title,
        "why": finding.why,
        "consequence": finding.consequence,
        "trigger": finding.trigger,
        "quote": finding.quote,
        "evidence": [
            f"{item.path}{f':{item.line}' if item.line else ''}{f' {item.note}' if item.note else ''}: {item.quote.strip()}"
            for item in finding.evidence[:EVIDENCE]
        ],
        "fix": finding.suggestion if placed.replacement is None else placed.replacement,
        "test": finding.reproduction,
        "tried": placed.replacement is not None,
    }
