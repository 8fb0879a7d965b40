"""Ask whether callers still get what they expect, if there are any."""

from bot.values import ChangedFile, Unit
from deeprepo.impact.text.paths import is_test

QUESTION = "lenses/contracts.md.j2"


def wants(unit: Unit, file: ChangedFile) -> bool:
    """Return whether the code is used elsewhere, was removed, or loses lines in an existing file."""
    if is_test(unit.path):
        return False
    is_used = any(not reference.test for reference in unit.references)
    return is_used or unit.side == "base" or (bool(file.removed_lines) and not unit.name.startswith("lines "))
