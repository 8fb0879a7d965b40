"""A finished review once more, from its journal alone: no network, no clock, no provider's library.

The change is read from the repository's objects again; every reply comes from the record. Whatever is not as it was is an
error that says where, never a silent difference; only the wording of a model's instructions, which versions improve, is not compared.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bot import checkout
from bot.errors import ReplayDiffers, UsageError
from bot.journal import codec, reader, replay_diff
from bot.journal.codec import Row, Start
from bot.journal.reader import Record, RecordedCall, Section
from bot.journal.writer import Journal
from bot.values import Completion, Cost, Prompt, PullRequest, Purpose, Review, ReviewRequest, Turn, Usage

Pull = Callable[[ReviewRequest, str], Awaitable[PullRequest]]
SHOWN = 200  # characters of what differs
PATIENCE = 0.2  # seconds for what was answered before an interruption to be dealt with


class Replay(Journal):
    """The record of a finished review in the place of a journal: every outcome comes from it."""

    replays = True

    def __init__(self, record: Record, section: Section) -> None:
        super().__init__()
        at = record.sections.index(section)
        record.go_on(section, record.sections[:at])
        self._record, self._section = record, section
        self._task: asyncio.Task[object] | None = None
        self.difference = ""  # the first one; a block may catch the error itself

    def begin(self, start: Start) -> tuple[str, ...]:  # noqa: ARG002 - it is the recorded one
        """The sentences that the recorded review began with."""
        self._task = asyncio.current_task()
        return tuple((self._section.start or {}).get("notes", ()))

    def take(self, key: str, at: str, prompt: Prompt, role: Purpose, model: str) -> RecordedCall | None:
        """The recorded outcome. Raises ReplayDiffers where this was never asked: in these words, or under instructions in other words."""
        recording = self._record.take(key, at)
        if recording is None:
            messages = [codec.message(message) for message in prompt.messages]
            recording = self._record.take(self._record.same_question(role, model, messages), at)
        if recording is not None and (recording.reply is not None or recording.error is not None):
            return recording
        if recording is not None and self._is_interrupted():
            return RecordedCall(
                recording.role, recording.model, at, recording.tries[:-1]
            )  # its last try is what the interruption ended
        raise self._differs(replay_diff.request(self._record, prompt, role, model, at))

    def turn(self, run: str, turn: Turn, seconds: float = 0.0, *, tight: bool = False) -> None:
        """A turn that ran again. Raises ReplayDiffers where it went otherwise."""
        row, recording = codec.turn(run, turn, seconds, tight=tight), self._section.turns.get((run, turn.number))
        if recording is not None and any(recording[name] != row[name] for name in row if name != "seconds"):
            raise self._differs(replay_diff.turn(recording, row))

    def tool_result(self, at: str, name: str, arguments: str) -> Row:
        """The recorded result. Raises ReplayDiffers where this was never called."""
        row = self._record.tool(at, name, arguments)
        if row is None:
            raise self._differs(f"the tool {name} was called in another way at {at}: {arguments[:SHOWN]}")
        return row

    def ran(self, key: str, about: str) -> Row:
        """The recorded outcome: nothing is run. Raises ReplayDiffers where this was never run."""
        row = self._record.ran(key)
        if row is None:
            raise self._differs(f"the replay runs what was not run when it was recorded: {about}")
        return row

    def run(self, key: str, about: str, outcome: Row) -> None:
        """Nothing is added to the record."""

    def answer(self, outcome: str, answer: str, cost: Cost, seconds: float, notes: Sequence[str]) -> None:  # noqa: ARG002 - of the parent
        """The run has ended again. Raises ReplayDiffers if its answer is not the recorded one."""
        end = self._section.end or {}
        if not self.difference and end.get("answer", answer) != answer:
            self._differs(f"the answer was {end['answer'][:SHOWN]!r}, and is {answer[:SHOWN]!r}")
        if self.difference:
            raise ReplayDiffers(self.difference)

    def end(self, review: Review) -> Review:
        """The review by the recorded clock and version. Raises ReplayDiffers where any part is not the recorded one."""
        end = self._section.end or {}
        replay_review = replace(review, seconds=end.get("seconds", 0.0), version=reader.start(self._section).version)
        difference = self.difference or replay_diff.parts(end, replay_review)
        if difference:
            raise ReplayDiffers(difference)
        return replay_review

    def _differs(self, sentence: str) -> ReplayDiffers:
        self.difference = self.difference or sentence
        return ReplayDiffers(self.difference)

    def _is_interrupted(self) -> bool:
        """Whether the recorded review was broken off by a person: then this one is, too, as soon as all else has settled."""
        if (self._section.end or {}).get("fault") != "interrupted" or self._task is None:
            return False
        asyncio.get_running_loop().call_later(PATIENCE, self._task.cancel)
        return True


class RecordedModel:
    """A model by its name alone. It is only asked where the recorded review was broken off: it never answers."""

    def __init__(self, name: str, *, has_price: bool) -> None:
        self.name = name
        self._priced = has_price

    async def complete(self, prompt: Prompt) -> Completion:  # noqa: ARG002 - nobody reads it
        """Never comes back, as the recorded call did not."""
        await asyncio.Event().wait()
        raise AssertionError("nothing sets that event")

    def price(self, usage: Usage) -> float | None:  # noqa: ARG002 - what was paid stands in the record
        """Nothing is paid; None where the recorded price was unknown."""
        return 0.0 if self._priced else None

    async def close(self) -> None:
        """Nothing is open."""


def last_finished(path: Path) -> tuple[Record, Section, Start]:
    """The last finished review of a journal. Raises UsageError where the file holds none, ReplayDiffers where it has no end."""
    record, reviews = reader.reviews(path)
    if "question" in reader.start(reviews[-1]).given:
        raise UsageError(f"{path} records a question about a text: `deeprepo.RLM.replay` repeats it from Python")
    finished_sections = [section for section in reviews if section.end]
    if not finished_sections:
        raise ReplayDiffers(
            f"{path} cannot be replayed: {replay_diff.without_end(reviews[-1])}; "
            "the same `deeprepo review --journal FILE` resumes where it stopped"
        )
    return record, finished_sections[-1], reader.start(finished_sections[-1])


def models(start: Start, section: Section) -> tuple[RecordedModel | None, RecordedModel | None]:
    """Root and worker of the recorded review."""
    unpriced_models = {
        row["model"] for row in section.rows if row["kind"] in {"call", "failed"} and row.get("usd", 0) is None
    }
    root, worker = (
        RecordedModel(n, has_price=n not in unpriced_models) if n else None for n in (start.root, start.worker)
    )
    return root, worker


def pull(start: Start, repo: str | None, again: Pull) -> Pull:
    """How the recorded change is found again: by its ids, in the same repository or in another clone of it."""

    async def recorded_pull(request: ReviewRequest, scratch: str) -> PullRequest:
        pull = start.pull
        if pull.object_dir is not None:  # work that was never committed: it must still lie there
            now = await again(replace(request, repo=repo or request.repo), scratch)
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

    return recorded_pull
