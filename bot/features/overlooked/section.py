"""The section of a review that lists lines which the change may have forgotten."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from bot.outputs import facts
from bot.render import Phrases, line, link
from bot.render.section import Place, Section
from bot.values import Review

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bot.features.overlooked.values import ListedPlace

    Places = tuple[ListedPlace, ...]


class OverlookedSection(Section["Places"]):
    """The list, without the lines that an earlier review listed."""

    key = "overlooked"
    empty = ()
    place: ClassVar[Place] = "after"
    template = "overlooked/section.md.j2"
    is_remembered = True

    @property
    def part_type(self) -> Any:  # noqa: ANN401 - a type
        """Return the type of the list."""
        from bot.features.overlooked.values import ListedPlace  # imported here because commands need no search

        return tuple[ListedPlace, ...]

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the rows of the list."""
        rows = [place for place in self.of(review) if not place.is_known]
        return {self.key: [_row(place, review, words) for place in rows[:most]]}

    def in_terminal(self, part: "Places", most: int | None) -> "Iterable[RenderableType]":
        """Return the list."""
        del most
        rows = [place for place in part if not place.is_known]
        if not rows:
            return
        from rich.padding import Padding
        from rich.text import Text

        yield Padding(Text(facts.ENGLISH.say("overlooked_head"), "bold"), (1, 0, 0, 0))
        for place in rows:
            row = _texts(place, facts.ENGLISH)
            text = (
                f"  {line(row['name'])}, {row['what']} {line(row['source'])}, {facts.ENGLISH.say('overlooked_still')} "
            )
            yield Text.assemble(text, (line(f"{place.path}:{place.line}"), "cyan"))

    def recall(self, row: Any) -> frozenset[str]:  # noqa: ANN401 - any JSON value
        """Return the fingerprints of the stored list."""
        return frozenset(str(place["fingerprint"]) for place in row)

    def fingerprints(self, row: Any) -> Collection[str]:  # noqa: ANN401 - any JSON value
        """Return what `/deeprepo ignore` accepts."""
        return self.recall(row)

    def without(self, part: "Places", silenced_places: Collection[tuple[str, int]]) -> "Places":
        """Return the list without the lines of silenced findings."""
        return tuple(place for place in part if (place.path, place.line) not in silenced_places)


OVERLOOKED = OverlookedSection()


def _texts(place: "ListedPlace", words: Phrases) -> dict[str, str]:
    """Return the texts of a row. A name that a removed line only used is never called removed."""
    if place.new_path:
        return {"name": place.name, "what": words.say("overlooked_renamed"), "source": place.new_path}
    what = words.say("overlooked_removed" if place.was_given else "overlooked_used")
    source = f"{place.source}:{place.source_line}" if place.source_line else place.source
    return {"name": place.name, "what": what, "source": source}


def _row(place: "ListedPlace", review: Review, words: Phrases) -> dict[str, Any]:
    """Return a row for the template."""
    address = facts.permalink(review.pull, place.path, "head", place.line, place.line)
    return {
        **_texts(place, words),
        "where": link(f"{place.path}:{place.line}"[:200], address),
        "fingerprint": place.fingerprint,
    }
