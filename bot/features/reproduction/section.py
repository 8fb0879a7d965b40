"""The findings that no test shows, as a list of a review."""

from collections.abc import Sequence
from typing import ClassVar

from bot.render.section import Place, Section

Attempts = tuple[tuple[str, str], ...]  # the place of a finding, and why no test reproduces it


class AttemptsSection(Section[Attempts]):
    """What was tried, and why nothing came of it."""

    key = "tried"
    form = Attempts
    nothing = ()
    place: ClassVar[Place] = "list"
    title = "list_tried"

    def rows(self, part: Attempts) -> Sequence[tuple[str, str]]:
        """Return each place with the reason."""
        return part


ATTEMPTS = AttemptsSection()
