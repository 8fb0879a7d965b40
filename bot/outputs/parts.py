"""Prepare the values for comment templates. They are plain data. Only text of type `Safe` is Markdown.

Repositories' own templates get the same values, so the names must not change (see docs/templates.md).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from bot.outputs import facts, handover
from bot.render import Phrases, Safe, link, plain, sentences
from bot.render.places import evidence, permalink
from bot.sections import finding_sections, sections
from bot.values import (
    Finding,
    PlacedFinding,
    PullRequest,
    Review,
)

SENTENCES = 3  # sentences of the summary that are not collapsed
SUMMARY_CHARS = 4_000


def summary_values(review: Review, words: Phrases) -> dict[str, Any]:
    """Return the values for summary.md.j2 that don't depend on the available room."""
    pull, coverage, groups, summary = review.pull, review.coverage, facts.listing(review), facts.summary(review, words)
    first, more = sentences(review.summary[:SUMMARY_CHARS], SENTENCES)
    relying, relying_more = facts.relying(coverage)
    return {
        "title": pull.title,
        "result": plain(summary.result),
        "headline": Safe(summary.headline),
        "failure": review.cut.failure.rstrip("."),
        "rest": Safe(summary.below),
        "change": facts.change(pull),
        "size": Safe(facts.size(review, words)),
        "round": review.round.number,
        "strategy": review.strategy.name,
        "reason": review.strategy.reason,
        "summary": first,
        "more": more,
        "full": [_row(item, review, words) for item in groups.full],
        "folded": [_row(item, review, words) for item in groups.collapsed_findings],
        "still": [_row(item, review, words) for item in groups.still],
        "fixed": [_short(finding, review, words) for finding in review.findings_with_status("fixed")],
        "unproven": [_short(finding, review, words) for finding in review.unproven],
        "counts": [{"name": name, **counts} for name, counts in facts.coverage_table(coverage, words)],
        "all_covered": _all_covered(review, words),
        "open_lead": Safe(facts.next_step(coverage, words)),
        "open": _open(facts.open_places(coverage)[: facts.LISTED_OPEN], review),
        "relying": _relying(relying, review),
        "relying_more": relying_more,
        "relying_count": facts.relying_count(coverage),
        "open_more": len(facts.open_places(coverage)[facts.LISTED_OPEN :]),
        "lists": _lists(review, words),
        "dropped": review.dropped,
        "issues": [
            {
                "number": Safe(f"#{issue.number}"),
                "asks": issue.asks,
                "done": Safe(words.say(f"issue_{issue.done}")),
                "missing": issue.missing,
                "round": issue.round,
            }
            for issue in review.issues
        ],
        "kept_back": len(review.findings_with_status("below")),
        "minimum": Safe(words.say(review.settings.minimum)),
        "silenced": [
            {"title": finding.title, "where": _where(finding, review, words), "reason": reason}
            for finding, reason in facts.silenced(review, words)
        ],
        "cost": facts.cost(review.cost, review.seconds, words),
        "version": review.version,
    }


def finding_values(
    placed_finding: PlacedFinding, review: Review, words: Phrases, *, heading: bool = True, with_handover: bool = True
) -> dict[str, Any]:
    """Return the values for finding.md.j2 and inline.md.j2.

    `heading` says whether to show the finding's title, and `with_handover` whether there is room for the
    prompt for a coding agent.
    """
    finding, spot = placed_finding.finding, placed_finding.spot
    short = review.settings.tone == "short"
    first, more = sentences(finding.why, 1 if short or finding.consequence else 2)
    elsewhere = spot is None or (spot.start, spot.end) != (finding.start, max(finding.start, finding.end))
    return {
        "heading": heading,
        "number": finding.number,
        "mark": Safe(facts.MARKS[finding.severity]),
        "severity": words.say(finding.severity),
        "title": finding.title,
        "where": _where(finding, review, words),
        "place": placed_finding.place,
        "elsewhere": elsewhere or finding.path != (spot.path if spot else ""),
        "origin": facts.origin(finding, words),
        "certainty": words.say(finding.basis.certainty),
        "unsettled": finding.basis.unsettled,
        "quote": finding.quote,
        "language": PurePosixPath(finding.path).suffix.lstrip("."),
        "why": finding.why,
        "first": first,
        "more": more,
        "short": short,
        "consequence": finding.consequence,
        "trigger": finding.trigger,
        "evidence": _evidence_rows(finding, review.pull, words),
        "suggestion": finding.suggestion,
        "replacement": placed_finding.replacement,
        "refused": words.say(f"refused_{placed_finding.refused}") if placed_finding.refused else "",
        "parts": [section.template for section in finding_sections() if section.of(finding) is not None],
        **{each.key: part and each.values(part) for each in finding_sections() for part in [each.of(finding)]},
        "handover": handover.prompt([placed_finding], review.pull.head) if with_handover else "",
        "handover_title": Safe(words.say("handover")),
    }


def _row(placed_finding: PlacedFinding, review: Review, words: Phrases) -> dict[str, Any]:
    return {
        **_short(placed_finding.finding, review, words),
        "place": placed_finding.place,
        "urgent": placed_finding.finding.serious,
    }


def _short(finding: Finding, review: Review, words: Phrases) -> dict[str, Any]:
    return {
        "number": finding.number,
        "mark": Safe(facts.MARKS[finding.severity]),
        "severity": words.say(finding.severity),
        "title": finding.title,
        "place_name": facts.where(finding, words)[:160],
        "where": _where(finding, review, words),
        "origin": facts.origin(finding, words),
    }


def _where(finding: Finding, review: Review, words: Phrases) -> Safe:
    address = permalink(review.pull, finding.path, finding.side, finding.start, finding.end)
    return link(facts.where(finding, words)[:160], address)


def _evidence_rows(finding: Finding, pull: PullRequest, words: Phrases) -> list[dict[str, Any]]:
    """New locations are marked."""
    new = f", {words.say('place_new')}"
    others = [
        replace(item, note=f"{item.note}{new}") if item.location in finding.tracking.added else item
        for item in finding.evidence
    ]
    return [evidence(item, pull, finding.rewritten(item.path, item.line, item.side)) for item in others]


def _open(rows: Sequence[facts.OpenItem], review: Review) -> list[dict[str, Any]]:
    links_by_reason: dict[str, list[Safe]] = {}
    for open_place in rows:
        links_by_reason.setdefault(open_place.reason, []).extend(
            [link(open_place.place()[:200], _head(open_place, review))] if open_place.path else []
        )
    return [{"where": Safe(", ".join(places)), "reason": reason} for reason, places in links_by_reason.items()]


def _all_covered(review: Review, words: Phrases) -> str:
    """Return the phrase that everything was checked, or "" if anything was not."""
    coverage = review.coverage
    if review.cut.cause or not coverage.complete or coverage.cut or coverage.not_installed:
        return ""
    return words.say("all_covered" if any(reading.read for reading in coverage.readings) else "all_covered_code")


def _relying(groups: Sequence[tuple[str, Sequence[facts.OpenItem]]], review: Review) -> list[dict[str, Any]]:
    return [
        {
            "what": what,
            "where": Safe(", ".join(link(open_place.place()[:200], _head(open_place, review)) for open_place in rows)),
        }
        for what, rows in groups
    ]


def _head(open_place: facts.OpenItem, review: Review) -> str:
    return permalink(review.pull, open_place.path, "head", open_place.lines[0] if open_place.lines else 0)


def _lists(review: Review, words: Phrases) -> list[dict[str, Any]]:
    coverage = review.coverage
    lists = (
        ("list_not_installed", [(name, "") for name in coverage.not_installed]),
        ("list_not_run", list(coverage.not_run)),
        ("list_files", facts.skipped_files(coverage)),
        ("list_cut", [("", sentence) for sentence in coverage.cut]),
        *((section.title, list(section.rows(section.of(review)))) for section in sections() if section.place == "list"),
    )
    return [{"title": words.say(name), "rows": rows} for name, rows in lists]
