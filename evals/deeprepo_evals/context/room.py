"""One problem in progress: its text as material, and the product's engine over it."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bot.review.agent import texts
from bot.review.agent.text_files import Reader
from bot.review.agent.texts import TextInquiry
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Limits, Model
from deeprepo.texts import callables, material
from deeprepo.texts.dialogue import TextQuestion
from deeprepo.texts.material import Material
from deeprepo_evals.context.problems import Problem

ANSWER = "the value alone; several values in the order that was asked for, separated by commas"


@dataclass(frozen=True, slots=True)
class Pair:
    """Who orchestrates and answers, and who reads; they may be one."""

    root: Model
    worker: Model

    async def close(self) -> None:
        """Close the connections."""
        for model in {id(model): model for model in (self.root, self.worker)}.values():
            await model.close()


@dataclass(frozen=True, slots=True)
class Spent:
    """What another method has spent on the same problem; dollars are None where no price is known."""

    tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """What a method works with."""

    problem: Problem
    inquiry: TextInquiry
    window: int  # characters that fit into one prompt
    allowed: Spent = Spent()

    @property
    def files(self) -> Mapping[str, str]:
        """The text, cut at line ends; of a JSON document its values by key path."""
        return dict(self.inquiry.question.material.texts())

    @property
    def calls(self) -> Calls:
        """The budget, the journal and the calls."""
        return self.inquiry.calls

    @property
    def reader(self) -> Reader:
        """Who reads pieces."""
        return Reader(self.inquiry.readers[""], self.calls)

    @property
    def root(self) -> Model:
        """Who orchestrates and answers."""
        return self.inquiry.root


@asynccontextmanager
async def open_room(
    problem: Problem,
    pair: Pair,
    limits: Limits,
    window: int,
    trace: Path | None,
    *,
    depth: int = 1,
    tools: Sequence[Callable[..., object]] = (),
    holds_text: bool = True,
    allowed: Spent = Spent(),
) -> AsyncIterator[Room]:
    """A room for one problem; what it opened is closed at the end, the models are not."""
    whole = _material(problem) if holds_text else material.of("The text is not here.")
    question = TextQuestion(problem.question, whole, callables.read(tools), answer_form=ANSWER, depth=depth)
    settings = {"window": window}
    async with texts.open_inquiry(question, pair.root, pair.worker, limits, Journal(trace), settings) as asked:
        yield Room(problem, asked, window, allowed)


@lru_cache(maxsize=1)  # all methods get the same problem, one after the other
def _material(problem: Problem) -> Material:
    return material.of(problem.path or problem.text)
