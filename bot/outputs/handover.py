"""Write findings as a plain-text prompt for a coding agent."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from bot import render
from bot.sections import finding_sections
from bot.values import PlacedFinding

PARSED, UNTRIED = "which still parses", "not tested"  # remarks about a proposed fix
MAX_PROMPT_BYTES = 24_000  # bytes of a prompt in a comment; the rest of the comment is for the findings


def prompt(findings: Sequence[PlacedFinding], commit: str, room: int = MAX_PROMPT_BYTES) -> str:
    """Return a prompt with as many of the first findings as fit into `room` bytes, or "" if none fits.

    The prompt also says how many findings it omits.
    """
    rows = [_row(item) for item in findings]

    def text(row_count: int) -> str:
        more = len(findings) - row_count
        about = {
            "secrets": any(entry["secret"] for entry in rows[:row_count]),
            "defects": not all(entry["secret"] for entry in rows[:row_count]),
        }
        return render.text(
            "prompts/handover.md.j2", findings=rows[:row_count], commit=commit, more=more, **about
        ).strip("\n")

    whole = text(len(rows)) if rows else ""
    if len(whole.encode()) <= room:
        return whole
    row_count = bisect_right(range(1, len(rows)), room, key=lambda row_count: len(text(row_count).encode()))
    return text(row_count) if row_count else ""


def _row(placed_finding: PlacedFinding) -> dict[str, Any]:
    finding = placed_finding.finding
    last = finding.end if finding.end > finding.start else 0
    shown = [section.for_agent(part) for section in finding_sections() if (part := section.of(finding)) is not None]
    fixes = [of_fix for of_fix, _ in shown if of_fix] or [UNTRIED if placed_finding.replacement is None else PARSED]
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
            for item in finding.evidence
        ],
        "fix": finding.suggestion if placed_finding.replacement is None else placed_finding.replacement,
        "of_fix": fixes[0],
        "shown": [text for _, text in shown],
    }
