"""A finished review once more, from its journal alone: no network, no clock, no provider's library.

Every reply comes from the record. Whatever is not as it was is an error that says where, never a silent difference.
"""

from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any

from deeprepo.rlm.errors import ReplayDiffers
from deeprepo.rlm.journal.codec import Row, Start
from deeprepo.rlm.journal.reader import Outcomes, Record, Section
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.values import Completion, Prompt, Usage

SHOWN = 160  # characters of what differs
FIELDS = ("said", "code", "output", "error", "outcome", "omitted")  # of a turn, in the order in which they come about


class Replay(Journal):
    """The record of a finished run in the place of a journal: every outcome comes from it."""

    def __init__(self, record: Record, section: Section) -> None:
        super().__init__()
        older = record.sections[: record.sections.index(section)]
        self.replayed = self._section = section
        self.outcomes = Outcomes(section, older)
        self.difference = ""  # the first one; a block may catch the error itself

    def begin(self, start: Start) -> tuple[str, ...]:  # noqa: ARG002 - it is the recorded one
        """Return the sentences that the recorded run began with."""
        return tuple((self._section.start or {}).get("notes", ()))

    def calls(self, key: str, about: Row, prompt: Prompt) -> list[Row]:
        """Return the recorded outcome. Raises ReplayDiffers where this was never asked."""
        rows = super().calls(key, about, prompt)
        if (rows and rows[-1]["kind"] == "failed") or "reply" in (rows[-1] if rows else ()):
            return rows
        raise self._differs(self._unknown(prompt, about))

    def get(self, kind: str, *key: object) -> Row | None:
        """Return the recorded outcome. Raises ReplayDiffers where this was never done."""
        record = super().get(kind, *key)
        if record is None:
            raise self._differs(f"the replay has a {kind} that was not recorded: {str(key)[:SHOWN]}")
        return record

    def put(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - any JSON value
        """Add nothing to the record."""

    def turn(self, record: Row) -> None:
        """Check a turn that ran again. Raises ReplayDiffers where it went otherwise."""
        recorded = self.outcomes.turn(record["run"], record["number"])
        name = next((one for one in FIELDS if recorded is not None and recorded[one] != record[one]), None)
        if recorded is not None and name is not None:
            first = _first(str(recorded[name] or ""), str(record[name] or ""))
            raise self._differs(
                f"turn {record['number']} of {record['run']} ran differently than recorded: its {name}, {first}"
            )

    def end(self, record: Callable[[], Row]) -> None:
        """End the run. Raises ReplayDiffers where any part of what it came to is not the recorded one."""
        difference = self.difference or _parts(self._section.end or {}, record())
        if difference:
            raise ReplayDiffers(difference)

    def _differs(self, sentence: str) -> ReplayDiffers:
        self.difference = self.difference or sentence
        return ReplayDiffers(self.difference)

    def _unknown(self, prompt: Prompt, about: Row) -> str:
        """A request that the record does not hold."""
        run, _, number = about["at"].partition(":")
        where = f"in turn {number} of {run}" if number else "outside the root's turns"
        return (
            f"the replay sends a request that was not recorded: {where}, the {about['role']} ({about['model']}) sends "
            f"another request, whose last message begins: {_line(prompt.messages[-1].text)}"
        )


def _parts(recorded: Row, end: Row) -> str:
    """What of a finished run is not as recorded, "" where all of it is."""
    differing = [name for name, digest in recorded.get("digests", {}).items() if end["digests"].get(name) != digest]
    return f"the requests are identical, but the review is not: {', '.join(differing)} differ" if differing else ""


def _first(before: str, after: str) -> str:
    """The first line of two texts that is not the same."""
    rows = zip_longest(before.split("\n"), after.split("\n"), fillvalue="(no such line)")
    at, was, now = next(((number, was, now) for number, (was, now) in enumerate(rows, 1) if was != now), (0, "", ""))
    return f"line {at}: recorded {_line(was)}, now {_line(now)}"


def _line(text: str) -> str:
    first = text.strip("\n").split("\n")[0]
    return repr(first if len(first) <= SHOWN else first[:SHOWN] + "...")


class RecordedModel:
    """A model by its name alone: every reply comes from the record."""

    def __init__(self, name: str, *, has_price: bool) -> None:
        self.name = name
        self._priced = has_price

    async def complete(self, prompt: Prompt) -> Completion:  # noqa: ARG002 - the protocol's
        """Raise ReplayDiffers: the record answers each call, or there is none to answer it."""
        raise ReplayDiffers(f"the record has no reply of {self.name} to this request")

    def price(self, usage: Usage) -> float | None:  # noqa: ARG002 - what was paid stands in the record
        """Return 0, since nothing is paid; None where the recorded price was unknown."""
        return 0.0 if self._priced else None

    async def close(self) -> None:
        """Do nothing: nothing is open."""


def models(names: Iterable[str | None], section: Section) -> list[RecordedModel | None]:
    """Return the models of the recorded run that have these names."""
    unpriced = {call["model"] for call in (*section.of("call"), *section.of("failed")) if call.get("usd", 0) is None}
    return [RecordedModel(name, has_price=name not in unpriced) if name else None for name in names]
