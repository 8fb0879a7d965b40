"""Ask whether a test would fail if the code were wrong, for tests only."""

from bot.values import ChangedFile, Unit
from deeprepo.impact.text.paths import is_test

QUESTION = "lenses/tests.md.j2"


def wants(unit: Unit, file: ChangedFile) -> bool:  # noqa: ARG001 - the path of the unit says enough
    """Return whether the code is a test."""
    return is_test(unit.path)
