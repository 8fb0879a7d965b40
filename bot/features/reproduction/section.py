"""The section of a review that lists the findings that no test reproduces."""

from collections.abc import Sequence
from typing import ClassVar

from bot.render.section import Place, Section

Attempts = tuple[tuple[str, str], ...]  # pairs of a finding's location and why no test reproduces it


class AttemptsSection(Section[Attempts]):
    """The findings that were tried, with the reason for each failure."""

    key = "tried"
    part_type = Attempts
    empty = ()
    place: ClassVar[Place] = "list"
    title = "list_tried"

    def rows(self, part: Attempts) -> Sequence[tuple[str, str]]:
        """Return each location with the reason."""
        return part


ATTEMPTS = AttemptsSection()
