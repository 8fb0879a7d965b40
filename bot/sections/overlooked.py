"""The list of the lines that the change may have forgotten."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from bot.render import Phrases, line, link, load
from bot.render.places import permalink
from bot.sections.section import Place, Section
from bot.values import Review
from deeprepo.impact.forgotten.values import Certainty
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from rich.console import RenderableType


MOST_DEFINITIONS = 10  # rows; the JSON output has all


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """A line that may need the change, too. `is_known`: an earlier review listed it."""

    path: Exact[str]
    line: int
    name: str  # what the line contains: a name, a path, a link or a word
    certainty: Exact[Certainty]
    source: Exact[str]  # the file from which the change removed it, or the file or folder that it removed
    source_line: int  # 0 for a file or folder
    was_given: bool  # whether the source defined it; else the source only contained it
    new_path: Exact[str]  # of a renamed file, or ""
    fingerprint: Exact[str]
    is_known: bool = False
    more_files: int = 0  # further files with the name
    says: str = ""  # of code that may use a definition: what happened to it, as a clause


Places = tuple[ListedPlace, ...]


class OverlookedSection(Section[Places]):
    """The list, without the lines that an earlier review listed."""

    key = "overlooked"
    part_type = tuple[ListedPlace, ...]
    empty = ()
    place: ClassVar[Place] = "after"
    template = "overlooked/section.md.j2"
    is_remembered = True

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the rows of the list."""
        rows, more = shown_places(self.of(review))
        told = words.say("and_more_json", more + max(0, len(rows) - most)) if more or len(rows) > most else ""
        return {self.key: [_row(place, review, words) for place in rows[:most]], "overlooked_left": told}

    def in_terminal(self, part: Places, most: int | None) -> "Iterable[RenderableType]":
        """Return the list."""
        del most
        rows, left = shown_places(part)
        if not rows:
            return
        from rich.padding import Padding
        from rich.text import Text

        words = load()
        yield Padding(Text(words.say("overlooked_head"), "bold"), (1, 0, 0, 0))
        for place in rows:
            row = _texts(place, words)
            what = f"{line(row['name'])}, {row['what']} {line(row['source'])}, {words.say('overlooked_still')} "
            text = f"  {line(place.says)}: " if place.says else f"  {what}"
            more = f" {row['more']}" if row["more"] else ""
            yield Text.assemble(text, (line(f"{place.path}:{place.line}"), "cyan"), more)
        if left:
            yield Text(f"  {words.say('and_more_json', left)}", "dim")

    def recall(self, row: Any) -> frozenset[str]:  # noqa: ANN401 - any JSON value
        """Return the fingerprints of the rows that were shown."""
        new = [place for place in row if place["certainty"] == "definition" and not place["is_known"]]
        counted = {str(place["fingerprint"]) for place in new[MOST_DEFINITIONS:]}
        return frozenset(self.fingerprints(row)) - counted

    def fingerprints(self, row: Any) -> Collection[str]:  # noqa: ANN401 - any JSON value
        """Return what `/deeprepo ignore` accepts."""
        return {str(place["fingerprint"]) for place in row}

    def without(self, part: Places, silenced_places: Collection[tuple[str, int]]) -> Places:
        """Return the list without the lines of silenced findings."""
        return tuple(place for place in part if (place.path, place.line) not in silenced_places)


OVERLOOKED = OverlookedSection()


def shown_places(part: Sequence[ListedPlace]) -> tuple[list[ListedPlace], int]:
    """Return the rows that no earlier review listed, of definitions the first ones, and the number of others."""
    new = [place for place in part if not place.is_known]
    others = [place for place in new if place.certainty == "definition"][MOST_DEFINITIONS:]
    return [place for place in new if place not in others], len(others)


def _texts(place: ListedPlace, words: Phrases) -> dict[str, str]:
    """Return the texts of a row. A name that a removed line only used is never called removed."""
    more = words.say("overlooked_more", place.more_files) if place.more_files else ""
    if place.new_path:
        return {"name": place.name, "what": words.say("overlooked_renamed"), "source": place.new_path, "more": more}
    what = words.say("overlooked_removed" if place.was_given else "overlooked_used")
    source = f"{place.source}:{place.source_line}" if place.source_line else place.source
    return {"name": place.name, "what": what, "source": source, "more": more}


def _row(place: ListedPlace, review: Review, words: Phrases) -> dict[str, Any]:
    address = permalink(review.pull, place.path, "head", place.line, place.line)
    return {
        **_texts(place, words),
        "says": place.says,
        "where": link(f"{place.path}:{place.line}"[:200], address),
        "fingerprint": place.fingerprint,
    }
