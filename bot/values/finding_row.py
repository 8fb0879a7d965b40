"""Convert a finding to and from a flat mapping, as used in stored reviews, outputs and journals."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from bot.values.finding import Basis, Finding, Tracking

KEYS = (
    "path", "quote", "title", "why", "consequence", "severity", "category", "sources", "rule", "start", "end", "side", "evidence", "suggestion",
    "trigger", "verdict", "fingerprint", "status", "how", "silencing", "number", "unconfirmed", "consumer", "rewrites",
    "cause", "added", "origin", "fix_of", "readings", "unsettled",
)  # fmt: skip
GROUPS = {
    "basis": tuple(each.name for each in fields(Basis)),
    "tracking": tuple(each.name for each in fields(Tracking)),
}


def row_of(finding: Finding) -> dict[str, Any]:
    """Return a finding as a flat mapping. It lacks the sections, which `bot.sections` adds."""
    row = asdict(finding)
    flat = {**row, **row["basis"], **row["tracking"]}
    return {key: flat[key] for key in KEYS}


def grouped(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nested fields for a flat mapping. Fields that an older row lacks are omitted."""
    groups = {group: {key: row[key] for key in keys if key in row} for group, keys in GROUPS.items()}
    inner = {key for keys in GROUPS.values() for key in keys}
    return {**{key: value for key, value in row.items() if key not in inner}, **groups}
