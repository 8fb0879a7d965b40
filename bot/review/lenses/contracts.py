"""Do those who call or read it still get what they rely on? Asked where somebody does."""

from bot.values import ChangedFile, Unit
from deeprepo.impact.text.paths import is_test

QUESTION = "lenses/contracts.md.j2"


def wants(unit: Unit, file: ChangedFile) -> bool:
    """Return whether the unit is used elsewhere, is gone, or loses lines in a file with a history."""
    if is_test(unit.path):
        return False
    is_used = any(not reference.test for reference in unit.references)
    return is_used or unit.side == "base" or (bool(file.removed_lines) and not unit.name.startswith("lines "))
