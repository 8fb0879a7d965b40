"""A finished review once more, from its journal alone: no network, no clock, no provider's library.

The change is read from the repository's objects again; every reply comes from the record. Whatever is not as it was is an
error that says where, never a silent difference.
"""

from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bot import checkout
from bot.errors import ReplayDiffers, UsageError
from bot.journal import codec, reader
from bot.journal.codec import Row, Start
from bot.journal.reader import Outcomes, Record, Section
from bot.journal.writer import Journal
from bot.values import Completion, Prompt, PullRequest, Review, ReviewRequest, Usage

SHOWN = 160  # characters of what differs
FIELDS = ("said", "code", "output", "error", "outcome", "omitted")  # of a turn, in the order in which they come about


class Replay(Journal):
    """The record of a finished review in the place of a journal: every outcome comes from it."""

    replays = True

    def __init__(self, record: Record, section: Section) -> None:
        super().__init__()
        older = record.sections[: record.sections.index(section)]
        self._section, self._outcomes = section, Outcomes(section, older)
        self.difference = ""  # the first one; a block may catch the error itself

    def begin(self, start: Start) -> tuple[str, ...]:  # noqa: ARG002 - it is the recorded one
        """The sentences that the recorded review began with."""
        return tuple((self._section.start or {}).get("notes", ()))

    def calls(self, key: str, about: Row, prompt: Prompt) -> list[Row]:
        """The recorded outcome. Raises ReplayDiffers where this was never asked."""
        rows = super().calls(key, about, prompt)
        if (rows and rows[-1]["kind"] == "failed") or "reply" in (rows[-1] if rows else ()):
            return rows
        raise self._differs(self._unknown(prompt, about))

    def get(self, kind: str, *key: object) -> Row | None:
        """The recorded outcome. Raises ReplayDiffers where this was never done."""
        row = super().get(kind, *key)
        if row is None:
            raise self._differs(f"the replay has a {kind} that was not there when it was recorded: {str(key)[:SHOWN]}")
        return row

    def put(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - any JSON value
        """Nothing is added to the record."""

    def turn(self, row: Row) -> None:
        """A turn that ran again. Raises ReplayDiffers where it went otherwise."""
        recorded = self._outcomes.turn(row["run"], row["number"])
        name = next((one for one in FIELDS if recorded is not None and recorded[one] != row[one]), None)
        if recorded is not None and name is not None:
            first = _first(str(recorded[name] or ""), str(row[name] or ""))
            raise self._differs(
                f"turn {row['number']} of {row['run']} ran otherwise than recorded: its {name}, {first}"
            )

    def end(self, review: Review) -> Review:
        """The review by the recorded clock and version. Raises ReplayDiffers where any part is not the recorded one."""
        end = self._section.end or {}
        again = replace(review, seconds=end.get("seconds", 0.0), version=reader.start(self._section).version)
        difference = self.difference or _parts(end, again)
        if difference:
            raise ReplayDiffers(difference)
        return again

    def _differs(self, sentence: str) -> ReplayDiffers:
        self.difference = self.difference or sentence
        return ReplayDiffers(self.difference)

    def _unknown(self, prompt: Prompt, about: Row) -> str:
        """A request that the record does not hold."""
        run, _, number = about["at"].partition(":")
        where = f"in turn {number} of {run}" if number else "outside the root's turns"
        return (
            f"the replay asks what was not asked when it was recorded: {where}, the {about['role']} ({about['model']}) sends "
            f"another request, whose last message begins: {_line(prompt.messages[-1].text)}"
        )


def _parts(recorded: Row, review: Review) -> str:
    """What of the finished review is not as recorded, "" where all of it is."""
    now = codec.digests(review)
    differing = [name for name, digest in recorded.get("digests", {}).items() if now.get(name) != digest]
    return f"every request was the same, but the review is not: {', '.join(differing)} differ" if differing else ""


def _first(before: str, after: str) -> str:
    """The first line of two texts that is not the same."""
    rows = zip_longest(before.split("\n"), after.split("\n"), fillvalue="(no such line)")
    at, was, now = next(((at, was, now) for at, (was, now) in enumerate(rows, 1) if was != now), (0, "", ""))
    return f"line {at}: recorded {_line(was)}, now {_line(now)}"


def _line(text: str) -> str:
    first = text.strip("\n").split("\n")[0]
    return repr(first if len(first) <= SHOWN else first[:SHOWN] + "...")


class RecordedModel:
    """A model by its name alone: every reply comes from the record."""

    def __init__(self, name: str, *, has_price: bool) -> None:
        self.name = name
        self._priced = has_price

    async def complete(self, prompt: Prompt) -> Completion:
        """Never called: the record answers, or the replay differs."""
        raise NotImplementedError

    def price(self, usage: Usage) -> float | None:  # noqa: ARG002 - what was paid stands in the record
        """Nothing is paid; None where the recorded price was unknown."""
        return 0.0 if self._priced else None

    async def close(self) -> None:
        """Nothing is open."""


def last_finished(path: Path) -> tuple[Record, Section, Start]:
    """The last finished review of a journal. Raises UsageError where the file holds none, ReplayDiffers where it has no end."""
    record, reviews = reader.reviews(path)
    if "question" in reader.start(reviews[-1]).brief:
        raise UsageError(f"{path} records a question about a text: `deeprepo.RLM` answers it again from this journal")
    finished = [section for section in reviews if section.end and section.end["fault"] != "interrupted"]
    if not finished:
        raise ReplayDiffers(
            f"{path} cannot be replayed: {reader.without_end(reviews[-1])}; "
            "the same `deeprepo review --journal FILE` resumes where it stopped"
        )
    return record, finished[-1], reader.start(finished[-1])


def models(start: Start, section: Section) -> tuple[RecordedModel | None, RecordedModel | None]:
    """Root and worker of the recorded review."""
    unpriced = {row["model"] for row in (*section.of("call"), *section.of("failed")) if row.get("usd", 0) is None}
    root, worker = (RecordedModel(n, has_price=n not in unpriced) if n else None for n in (start.root, start.worker))
    return root, worker


async def pull(start: Start, repo: str | None, request: ReviewRequest, scratch: str) -> PullRequest:
    """The recorded change, found again by its ids, in the same repository or in another clone of it. Raises ReplayDiffers."""
    pull = start.pull
    if pull.object_dir is not None:  # work that was never committed: it must still lie there
        now = await checkout.pull(replace(request, repo=repo or request.repo), scratch)
        if (now.base, now.head) != (pull.base, pull.head):
            raise ReplayDiffers(f"the {pull.head_name} are not those that were reviewed: they have changed since")
        return now
    where = repo or pull.git_dir
    if not Path(where).is_dir():  # noqa: ASYNC240 - one look at the local disk
        raise ReplayDiffers(f"the repository {where} is gone: name another clone of it with --repo DIR")
    there = replace(pull, git_dir=checkout.git_dir(where))
    async with checkout.Checkout(there) as tree:
        for name in filter(None, (pull.base, pull.head, pull.base_tip)):
            if not await tree.holds(name):
                raise ReplayDiffers(
                    f"the repository {where} does not hold {name}: fetch it, or name a clone with --repo DIR"
                )
    return there
