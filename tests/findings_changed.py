"""Change fields of a finding, by the names that its JSON output uses."""

from dataclasses import replace
from typing import Any

from bot.values import Finding
from bot.values.finding_row import GROUPS


def changed(finding: Finding, **facts: Any) -> Finding:  # noqa: ANN401 - any fact of a finding
    """Return the finding with these fields changed, also those in its nested parts."""
    groups = {
        group: replace(getattr(finding, group), **{key: facts.pop(key) for key in keys if key in facts})
        for group, keys in GROUPS.items()
    }
    return replace(finding, **groups, **facts)
