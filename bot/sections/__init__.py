"""Optional sections of reviews and findings: their values, and how comments, the terminal and JSON show them.

`bot.review` makes the values. Every output goes through these two tables.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bot.sections.overlooked import OVERLOOKED
from bot.sections.own_checks import OWN_CHECKS_SECTION
from bot.sections.reproduction import ATTEMPTS, REPRODUCTION
from bot.sections.section import FindingSection, Section
from bot.sections.walkthrough import WALKTHROUGH
from bot.values import Finding
from bot.values.finding_row import grouped, row_of


def sections() -> tuple[Section[Any], ...]:
    """Return the sections of reviews."""
    return ATTEMPTS, OWN_CHECKS_SECTION, WALKTHROUGH, OVERLOOKED


def finding_sections() -> tuple[FindingSection[Any], ...]:
    """Return the sections of findings."""
    return (REPRODUCTION,)


def finding_row(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON values, with its sections under their keys."""
    parts = asdict(finding)["parts"]
    return {**row_of(finding), **{section.key: parts.get(section.key) for section in finding_sections()}}


def finding_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a finding from its JSON. Raises ValueError if a section is malformed."""
    from pydantic import TypeAdapter

    given = {section: row[section.key] for section in finding_sections() if row.get(section.key) is not None}
    return {
        **grouped(row),
        "parts": {each.key: TypeAdapter(each.part_type).validate_python(part) for each, part in given.items()},
    }
