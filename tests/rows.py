"""The findings in the JSON output of a review."""

from collections.abc import Mapping
from typing import Any


def of(document: Mapping[str, Any], *statuses: str) -> list[dict[str, Any]]:
    """Those of these statuses, in the order in which they stand."""
    return [row for row in document["findings"] if row["status"] in statuses]
