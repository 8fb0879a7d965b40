"""Ask whether the code does what it should, for every change outside tests."""

from bot.values import ChangedFile, Unit
from deeprepo.impact.text.paths import is_test

QUESTION = "lenses/correctness.md.j2"


def wants(unit: Unit, file: ChangedFile) -> bool:  # noqa: ARG001 - the path of the unit says enough
    """Return whether the code is outside tests."""
    return not is_test(unit.path)
