"""Write the review as SARIF 2.1.0, the format that code scanning services read."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from bot import verdict
from bot.outputs import facts
from bot.render import encodable, line
from bot.sections import finding_sections
from bot.values import Evidence, Finding, PlacedFinding, RequiredCheck, RequiredCheckSeverity, Review, Severity

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "SRCROOT"  # the name that SARIF viewers resolve to the root of the checkout
SARIF_LEVELS: dict[Severity, str] = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
CHECK_LEVELS: dict[RequiredCheckSeverity, str] = {"fail": "error", "warn": "warning", "note": "note"}
# GitHub sorts alerts by these scores.
SCORES: dict[Severity, str] = {"critical": "9.5", "high": "8.0", "medium": "5.5", "low": "3.0"}
SECURITY = frozenset({"secret", "security"})
_LINK_END = re.compile(r"(?<!\\)(\\*)\](?=\()")


def render(review: Review) -> str:
    """Return a SARIF log with a result for each open finding and each failed required check."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(review)]}
    return json.dumps(log, indent=2) + "\n"


def _run(review: Review) -> dict[str, Any]:
    # Includes earlier findings, because GitHub closes alerts that are missing.
    findings = facts.listing(review).all
    counts: Counter[str] = Counter()
    rules = list(dict.fromkeys(_rule_id(item.finding) for item in findings))
    failed_checks = [check for check in review.required_checks if check.result == "failed"]
    first = {_rule_id(item.finding): item.finding for item in reversed(findings)}
    driver = {
        "name": "deeprepo",
        "version": review.version or "0",
        "rules": [*(_rule(name, first[name]) for name in rules), *map(_check_rule, failed_checks)],
    }
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [_invocation(review)],
        "results": [
            *(_result(item, rules, counts) for item in findings),
            *(_check_result(check, len(rules) + index) for index, check in enumerate(failed_checks)),
        ],
        "properties": {
            "conclusion": verdict.of(review).conclusion,
            "base": review.pull.base,
            "head": review.pull.head,
            "strategy": review.strategy.name,
        },
    }


def _invocation(review: Review) -> dict[str, Any]:
    """If models did not review all of the change, it is not successful, so that it doesn't seem clean."""
    notes = [(note, "note") for note in review.notes]
    notes += [(sentence, "warning") for sentence in review.coverage.cut]
    missing = facts.unread(review.coverage)
    notes += [(missing, "warning")] if missing else []
    notifications = [{"level": level, "message": _plain(line(text))} for text, level in notes]
    return {"executionSuccessful": not verdict.of(review).is_partial, "toolExecutionNotifications": notifications}


def _rule_id(finding: Finding) -> str:
    """Return the ID of a finding's rule, which doesn't depend on the model."""
    source = finding.basis.sources[0]
    return f"{(source.role or source.name).split(' ')[0]}/{finding.rule or finding.category}".replace(" ", "-")


def _rule(name: str, finding: Finding) -> dict[str, Any]:
    properties: dict[str, Any] = {"tags": [finding.category]}
    if finding.category in SECURITY:
        properties["security-severity"] = SCORES[finding.severity]
    return _driver_rule(name, f"{finding.category}: {name}", SARIF_LEVELS[finding.severity], properties)


def _check_id(check: RequiredCheck) -> str:
    return f"check/{line(check.name)}".replace(" ", "-")


def _check_rule(check: RequiredCheck) -> dict[str, Any]:
    return _driver_rule(_check_id(check), check.name, CHECK_LEVELS[check.severity], {"tags": ["custom-check"]})


def _driver_rule(name: str, about: str, level: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    configuration = {"level": level}
    text = {"text": line(about)}
    return {"id": name, "shortDescription": text, "defaultConfiguration": configuration, "properties": properties}


def _check_result(check: RequiredCheck, index: int) -> dict[str, Any]:
    """Other quotes are related locations."""
    first, *others = check.quotes
    place = _location(first.path, first.quote, first.line, first.line + first.quote.strip("\n").count("\n"))
    message = line(check.reason) or line(check.name)
    result = _row(_check_id(check), index, CHECK_LEVELS[check.severity], message, place, others)
    return result | {"partialFingerprints": {"deeprepo/v1": check.digest}}


def _row(
    rule: str, index: int, level: str, message: str, place: Mapping[str, Any], evidence: Sequence[Evidence]
) -> dict[str, Any]:
    related = [_related_location(number, item) for number, item in enumerate(evidence, 1)]
    result = {"ruleId": rule, "ruleIndex": index, "level": level, "message": _plain(message), "locations": [place]}
    return result | ({"relatedLocations": related} if related else {})


def _result(placed_finding: PlacedFinding, rules: list[str], counts: Counter[str]) -> dict[str, Any]:
    finding = placed_finding.finding
    name, place = _rule_id(finding), _location(finding.path, finding.quote, finding.start, finding.end)
    result = _row(name, rules.index(name), SARIF_LEVELS[finding.severity], _message(finding), place, finding.evidence)
    result["properties"] = {
        "severity": finding.severity,
        "category": finding.category,
        "verdict": finding.verdict,
        "source": line(finding.source),
        "place": placed_finding.place,
        "side": finding.side,
        "status": finding.status,
        "number": finding.number,
    }
    for section in finding_sections():
        if (part := section.of(finding)) is not None:
            result["properties"][section.key] = {name: encodable(str(value)) for name, value in asdict(part).items()}
    if finding.fingerprint:
        counts[finding.fingerprint] += 1
        # GitHub matches alerts by `primaryLocationLineHash`, which its upload step can only compute in a
        # checkout.
        result["partialFingerprints"] = {
            "deeprepo/v1": finding.fingerprint,
            "primaryLocationLineHash": f"{finding.fingerprint}:{counts[finding.fingerprint]}",
        }
    return result


def _plain(text: str) -> dict[str, str]:
    """Return a message in which no viewer finds a link: a backslash precedes the bracket that would end its text."""
    return {"text": _LINK_END.sub(r"\1\1\]", text)}


def _message(finding: Finding) -> str:
    parts = [finding.title, finding.why, finding.consequence, finding.trigger and f"Trigger: {finding.trigger}"]
    return "\n\n".join(encodable(part.strip()) for part in parts if part.strip()) or finding.category


def _related_location(number: int, item: Evidence) -> dict[str, Any]:
    if item.repository:  # its lines are not in this checkout
        place = f"{item.path}:{item.line} at {item.commit}"
        logical = {"fullyQualifiedName": encodable(place), "kind": "resource"}
        message = line(f"{place}: {item.note}: {item.quote.strip()}")
        return {"id": number, "logicalLocations": [logical], "message": _plain(message)}
    last = item.line + item.quote.strip("\n").count("\n") if item.line else 0
    location = {"id": number, **_location(item.path, item.quote, item.line, last)}
    return {**location, "message": _plain(line(item.note))} if item.note.strip() else location


def _location(path: str, snippet: str, start: int, end: int) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(encodable(path), safe="/"), "uriBaseId": ROOT}}
    if start:
        region = {"startLine": start, "endLine": max(start, end), "snippet": {"text": encodable(snippet)}}
        physical["region"] = region
    return {"physicalLocation": physical}
