"""Would this test fail if the code were wrong? Asked of tests alone."""

import re

from bot.values import ChangedFile, Unit

QUESTION = "lenses/tests.md.j2"
TEST = re.compile(
    r"(^|/)(?:tests?|testing|__tests__|spec|specs)/|(^|/)test_[^/]+$|[._-](?:test|tests|spec)\.[a-z]+$|Tests?\.(?:java|kt|cs)$",
    re.IGNORECASE,
)


def wants(unit: Unit, file: ChangedFile) -> bool:  # noqa: ARG001 - the path of the unit says enough
    """The unit is a test."""
    return is_test(unit.path)


def is_test(path: str) -> bool:
    """Whether a path is a test's, told by its name."""
    return bool(TEST.search(path))
