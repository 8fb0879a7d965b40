"""Select findings from a review's JSON output."""

from collections.abc import Mapping
from typing import Any


def of(document: Mapping[str, Any], *statuses: str) -> list[dict[str, Any]]:
    """Return the findings with one of these statuses, in their original order."""
    return [row for row in document["findings"] if row["status"] in statuses]
