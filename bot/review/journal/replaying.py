"""Replay a finished review from its journal, without network, clock or provider libraries.

Every reply comes from the record. Any difference raises an error that says where it is.
"""

from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any

from deeprepo.rlm.errors import ReplayDiffers
from deeprepo.rlm.journal.codec import Row, Start
from deeprepo.rlm.journal.reader import Outcomes, Record, Section
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.values import Completion, Prompt, Usage

SHOWN = 160  # characters shown of a difference
# the fields of a turn, in the order in which they are produced
FIELDS = ("said", "code", "output", "error", "outcome", "omitted")


class Replay(Journal):
    """Replaces the journal in a replay, and takes every outcome from a finished run."""

    def __init__(self, record: Record, section: Section) -> None:
        super().__init__()
        older = record.sections[: record.sections.index(section)]
        self.replayed = self._section = section
        self.outcomes = Outcomes(section, older)
        self.difference = ""  # the first difference; a block may catch the error itself

    def begin(self, start: Start) -> tuple[str, ...]:  # noqa: ARG002 - it is the recorded one
        """Return the notes that the recorded run began with."""
        return tuple((self._section.start or {}).get("notes", ()))

    def calls(self, key: str, about: Row, prompt: Prompt) -> list[Row]:
        """Return the recorded outcome. Raises ReplayDiffers if the request was not recorded."""
        rows = super().calls(key, about, prompt)
        if (rows and rows[-1]["kind"] == "failed") or "reply" in (rows[-1] if rows else ()):
            return rows
        raise self._differs(self._unknown(prompt, about))

    def get(self, kind: str, *key: object) -> Row | None:
        """Return the recorded outcome. Raises ReplayDiffers if there is none."""
        record = super().get(kind, *key)
        if record is None:
            raise self._differs(f"the replay has a {kind} that was not recorded: {str(key)[:SHOWN]}")
        return record

    def put(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - any JSON value
        """Do nothing, since the record doesn't change."""

    def turn(self, record: Row) -> None:
        """Compare a repeated turn with the record. Raises ReplayDiffers if they differ."""
        recorded = self.outcomes.turn(record["run"], record["number"])
        name = next((one for one in FIELDS if recorded is not None and recorded[one] != record[one]), None)
        if recorded is not None and name is not None:
            first = _first(str(recorded[name] or ""), str(record[name] or ""))
            raise self._differs(
                f"turn {record['number']} of {record['run']} ran differently than recorded: its {name}, {first}"
            )

    def end(self, record: Callable[[], Row]) -> None:
        """End the run. Raises ReplayDiffers if any part of its result differs from the record."""
        difference = self.difference or _parts(self._section.end or {}, record())
        if difference:
            raise ReplayDiffers(difference)

    def _differs(self, sentence: str) -> ReplayDiffers:
        self.difference = self.difference or sentence
        return ReplayDiffers(self.difference)

    def _unknown(self, prompt: Prompt, about: Row) -> str:
        """Return the message for a request that was not recorded."""
        run, _, number = about["at"].partition(":")
        where = f"in turn {number} of {run}" if number else "outside the root's turns"
        return (
            f"the replay sends a request that was not recorded: {where}, the {about['role']} ({about['model']}) sends "
            f"another request, whose last message begins: {_line(prompt.messages[-1].text)}"
        )


def _parts(recorded: Row, end: Row) -> str:
    """Return which parts of a finished run differ from the record; empty if none does."""
    differing = [name for name, digest in recorded.get("digests", {}).items() if end["digests"].get(name) != digest]
    return f"the requests are identical, but the review is not: {', '.join(differing)} differ" if differing else ""


def _first(before: str, after: str) -> str:
    """Return the first line that differs between two texts."""
    rows = zip_longest(before.split("\n"), after.split("\n"), fillvalue="(no such line)")
    at, was, now = next(((number, was, now) for number, (was, now) in enumerate(rows, 1) if was != now), (0, "", ""))
    return f"line {at}: recorded {_line(was)}, now {_line(now)}"


def _line(text: str) -> str:
    first = text.strip("\n").split("\n")[0]
    return repr(first if len(first) <= SHOWN else first[:SHOWN] + "...")


class RecordedModel:
    """A model that never answers, because every reply comes from the record."""

    def __init__(self, name: str, *, has_price: bool) -> None:
        self.name = name
        self._priced = has_price

    async def complete(self, prompt: Prompt) -> Completion:  # noqa: ARG002 - the protocol's
        """Raise ReplayDiffers, since the record has no reply to this request."""
        raise ReplayDiffers(f"the record has no reply of {self.name} to this request")

    def price(self, usage: Usage) -> float | None:  # noqa: ARG002 - what was paid stands in the record
        """Return 0, since nothing is paid; None if the recorded price was unknown."""
        return 0.0 if self._priced else None

    async def close(self) -> None:
        """Do nothing, since there is no connection."""


def models(names: Iterable[str | None], section: Section) -> list[RecordedModel | None]:
    """Return the models with these names in the recorded run."""
    unpriced = {call["model"] for call in (*section.of("call"), *section.of("failed")) if call.get("usd", 0) is None}
    return [RecordedModel(name, has_price=name not in unpriced) if name else None for name in names]
