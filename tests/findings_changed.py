"""A finding with other facts, named as its JSON names them."""

from dataclasses import replace
from typing import Any

from bot.values import Finding
from bot.values.finding_row import GROUPS


def changed(finding: Finding, **facts: Any) -> Finding:  # noqa: ANN401 - any fact of a finding
    """Return the finding with these facts, in whichever of its parts they are stored."""
    groups = {
        group: replace(getattr(finding, group), **{key: facts.pop(key) for key in keys if key in facts})
        for group, keys in GROUPS.items()
    }
    return replace(finding, **groups, **facts)
