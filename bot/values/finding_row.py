"""Convert a finding to and from one flat row, as in stored reviews, outputs and journals."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from bot.values.finding import Basis, Finding, Tracking

KEYS = (
    "path", "quote", "title", "why", "consequence", "severity", "category", "sources", "rule", "start", "end", "side", "evidence", "suggestion",
    "trigger", "verdict", "fingerprint", "status", "how", "silencing", "claims", "number", "unconfirmed", "consumer", "rewrites",
    "cause", "added", "origin", "fix_of", "readings", "unsettled",
)  # fmt: skip
GROUPS = {
    "basis": tuple(each.name for each in fields(Basis)),
    "tracking": tuple(each.name for each in fields(Tracking)),
}


def row_of(finding: Finding) -> dict[str, Any]:
    """Return the row of a finding, without features' parts, which `render.section` adds."""
    row = asdict(finding)
    flat = {**row, **row["basis"], **row["tracking"]}
    return {key: flat[key] for key in KEYS}


def grouped(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding's fields from its row, without those that an older row lacks."""
    groups = {group: {key: row[key] for key in keys if key in row} for group, keys in GROUPS.items()}
    inner = {key for keys in GROUPS.values() for key in keys}
    return {**{key: value for key, value in row.items() if key not in inner}, **groups}
