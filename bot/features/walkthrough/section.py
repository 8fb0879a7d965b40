"""The section of a review with the walkthrough."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from bot.features.walkthrough import page
from bot.features.walkthrough.values import Walkthrough
from bot.render import Phrases
from bot.render.section import CodePlace, Place, Section
from bot.values import FileNote, ReaderNotes, Review

if TYPE_CHECKING:
    from rich.console import RenderableType


class WalkthroughSection(Section[Walkthrough | None]):
    """The walkthrough, or None if the settings turn it off."""

    key = "walkthrough"
    part_type = Walkthrough | None
    empty = None
    place: ClassVar[Place] = "top"
    template = "walkthrough/section.md.j2"
    is_remembered = True

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the values for the template."""
        del words
        part = self.of(review)
        return {self.key: page.values(part, review, most) if part else None}

    def in_terminal(self, part: Walkthrough | None, most: int | None) -> "Iterable[RenderableType]":
        """Return the sentences, the first location to look at, and the files by theme."""
        from bot.features.walkthrough import console  # imported here because comments need no terminal

        return [console.walkthrough(part, most)] if part else []

    def remember(self, row: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return the models' part to store. The part from static analysis can be computed again."""
        if row is None:
            return None
        themes = [
            {**theme, "rows": [each for each in theme["rows"] if each["by"] == "model"]} for theme in row["themes"]
        ]
        overview = row["overview"] if row["by"] == "model" else ""
        return {"overview": overview, "by": row["by"], "themes": [theme for theme in themes if theme["rows"]]}

    def recall(self, row: Any) -> ReaderNotes:  # noqa: ANN401 - any JSON value
        """Return the models' notes from the stored part."""
        if not row:
            return ReaderNotes()
        files = (
            FileNote(str(each["path"]), str(theme["title"]) if theme["by"] == "model" else "", str(each["phrase"]))
            for theme in row["themes"]
            for each in theme["rows"]
            if each["by"] == "model"
        )
        return ReaderNotes(str(row["overview"]) if row["by"] == "model" else "", files=tuple(files))

    def without(self, part: Walkthrough | None, silenced_places: Collection[CodePlace]) -> Walkthrough | None:
        """Return the walkthrough without its first location if that only has silenced findings."""
        if part is not None and part.first is not None and (part.first.path, part.first.line) in silenced_places:
            return replace(part, first=None)
        return part


WALKTHROUGH = WalkthroughSection()
