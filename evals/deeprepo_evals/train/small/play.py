"""Programs of the grammar played over code bases: through the product's pipeline, REPL and coverage, each once."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Self

from deeprepo_evals.train import policies
from deeprepo_evals.train.facts import Facts
from deeprepo_evals.train.reward import score
from deeprepo_evals.train.rollout import roll
from deeprepo_evals.train.small import grammar
from deeprepo_evals.train.small.grammar import Program
from deeprepo_evals.train.small.mentions import Mentions, mentions
from deeprepo_evals.train.tasks import Task

PROCESSES = 2
AT_ONCE = 4  # rollouts of one process
NAME = "scripted/small"  # of the root, in journals
Key = tuple[Task, Program]


@dataclass(frozen=True, slots=True)
class PlayedRollout:
    """One rollout, as both rewards see it."""

    program: Program
    facts: Facts
    mentions: Mentions

    @property
    def ours(self) -> float:
        """The environment's reward."""
        return score(self.facts).reward

    @property
    def seeds(self) -> float:
        """The reward by mentions."""
        return self.mentions.reward

    @property
    def gaming(self) -> bool:
        """Whether it tried to be paid although no worker had read anything."""
        return grammar.gaming(self.program) and not self.facts.read


async def play(task: Task, words: Program) -> PlayedRollout:
    """One rollout."""
    code = task.code()
    worker = policies.reading(code)
    done = await roll(task, policies.playing((grammar.block(words),), NAME), worker)
    asked = ["\n".join(message.text for message in prompt.messages) for prompt in worker.prompts]
    defects = [label.why for label in code.labels]
    return PlayedRollout(
        words, done.facts, mentions(sorted(code.files), asked, done.review.summary, defects, done.facts.turns)
    )


class Stage:
    """Plays what it is asked, each rollout once: the same program over the same code base comes to the same facts.

    `keep` is a file of JSON lines with what was played: a run that was broken off goes on from there.
    """

    def __init__(self, keep: Path) -> None:
        self._keep = keep
        self._played = dict(_earlier_rollouts(keep))
        self.kept = len(self._played)  # of an earlier run
        self._pool = ProcessPoolExecutor(PROCESSES, get_context("spawn"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __len__(self) -> int:
        """How many rollouts there are."""
        return len(self._played)

    def play(self, keys: Sequence[Key]) -> list[PlayedRollout]:
        """All of these, in this order. Raises what a rollout raised."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._played]
        parts = [missing[at::PROCESSES] for at in range(PROCESSES)]
        for part, rollouts in zip(parts, self._pool.map(_several, parts), strict=True):
            self._played.update(zip(part, rollouts, strict=True))
            with self._keep.open("a", encoding="utf-8") as file:
                file.writelines(_line(task, one) for (task, _), one in zip(part, rollouts, strict=True))
        return [self._played[key] for key in keys]


def _line(task: Task, one: PlayedRollout) -> str:
    row = {"task": asdict(task), "program": one.program, "facts": asdict(one.facts), "mentions": asdict(one.mentions)}
    return json.dumps(row) + "\n"


def _earlier_rollouts(path: Path) -> Iterator[tuple[Key, PlayedRollout]]:
    """What an earlier run has played; a line that a killed process tore is left out."""
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        with suppress(ValueError):
            row = json.loads(line)
            one = PlayedRollout(tuple(row["program"]), Facts(**row["facts"]), Mentions(**row["mentions"]))
            yield (Task(**row["task"]), one.program), one


def _several(keys: Sequence[Key]) -> list[PlayedRollout]:
    return asyncio.run(_together(keys))


async def _together(keys: Sequence[Key]) -> list[PlayedRollout]:
    """A rollout mostly waits, for git and for the REPL."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(key: Key) -> PlayedRollout:
        async with free:
            return await play(*key)

    return await asyncio.gather(*map(one, keys))
