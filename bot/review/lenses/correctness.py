"""Does the code do what it is meant to do? Asked of every change that is not a test."""

from bot.values import ChangedFile, Unit
from deeprepo.impact.text.paths import is_test

QUESTION = "lenses/correctness.md.j2"


def wants(unit: Unit, file: ChangedFile) -> bool:  # noqa: ARG001 - the path of the unit says enough
    """Return whether the unit is outside of tests."""
    return not is_test(unit.path)
