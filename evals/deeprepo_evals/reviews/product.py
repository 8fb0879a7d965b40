"""Reviewers that are ours: the product with one of its strategies, and the same with an oracle in the worker's place."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot import checkout, config, pipeline
from bot.brief import Brief
from bot.config import Settings
from bot.review.analyzer_worker import load_analyzer
from bot.review.opening import Models, open_session
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from deeprepo.rlm.errors import BudgetSpent, ProviderError
from deeprepo.rlm.journal import codec, reader
from deeprepo.rlm.values import Limits, Model
from deeprepo_evals.opened import OpenedBy
from deeprepo_evals.reviews import outcome
from deeprepo_evals.reviews.follower import Follower
from deeprepo_evals.reviews.oracle import NAME, Oracle
from deeprepo_evals.reviews.outcome import Outcome
from deeprepo_evals.reviews.reviewer import Task
from deeprepo_sandbox.scripted import ScriptedModel

PATIENT = Limits(seconds=None, turn_seconds=300.0)  # what is delivered must not depend on how busy the machine is
LED = ("rlm",)  # strategies in which a root goes on after the workers


@dataclass(frozen=True, slots=True)
class Product:
    """Our own review, as `deeprepo review` does it. Without a strategy, its effort chooses one."""

    strategy: str = ""
    flags: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the tables call it."""
        return self.strategy or "deeprepo"

    async def review(self, task: Task) -> Outcome:
        """One case. Raises ProviderError where a provider failed, so that the case stays open."""
        journal = task.journal
        flags = {**self.flags, "strategy": self.strategy or None, "journal": str(journal)}
        done = await local_review(request(task.repo), flags, task.scratch)
        check_answered(done, journal)
        return outcome.of_review(done)


@dataclass(frozen=True, slots=True)
class RehearsalReviewer:
    """Our own review with an oracle in the worker's place: no model, no environment, no network."""

    strategy: str

    @property
    def name(self) -> str:
        """What the tables call it."""
        return self.strategy

    async def review(self, task: Task) -> Outcome:
        """One case, with the labels that the task brings."""
        oracle = Oracle(task.labels)
        model = acting(oracle)
        root = ScriptedModel(Follower(oracle), NAME, price=0.0) if self.strategy in LED else None
        done = await rehearse(self.strategy, model, task.repo, task.scratch, root)
        told = replace(outcome.of_review(done), input=weight(model) + (weight(root) if root else 0))
        return replace(told, shown=tuple(sorted(oracle.shown)), together=tuple(sorted(oracle.together)))


def request(repo: Path) -> TypedChange:
    """The change of a built case."""
    return TypedChange(str(repo), "range", "base", "head")


def acting(oracle: Oracle) -> ScriptedModel:
    """The oracle as a model."""
    return ScriptedModel(oracle, NAME, price=0.0)


def weight(model: ScriptedModel) -> int:
    """The prompt tokens that it was sent, by our own estimate."""
    from deeprepo.rlm.values import tokens

    return sum(tokens(message.text) for prompt in model.prompts for message in prompt.messages)


async def rehearse(
    strategy: str, model: Model, repo: Path, scratch: str, root: Model | None = None, earlier: bytes | None = None
) -> Review:
    """A review in which one given model does all the reading, and another one leads if there is one."""

    def open_desk(subject: Survey) -> AbstractAsyncContextManager[Session]:
        settings = subject.brief.settings
        chosen = {name: load_analyzer(name) for name in settings.analyzers}
        return open_session(subject, Models(root, model), chosen, PATIENT)

    flags = {"strategy": strategy, "analyzers": ("contracts",)}
    pull = await checkout.pull(request(repo), scratch)
    brief = Brief(pull, config.resolve(flags, None, Settings()), earlier=earlier)
    return await pipeline.review(brief, OpenedBy(opener=open_desk))


def check_answered(review: Review, journal: Path) -> None:
    """Hold against a reviewer only what it answered: a provider that failed is not a miss. Raises ProviderError."""
    if review.cut.fault == "interrupted":
        import asyncio

        raise asyncio.CancelledError
    if review.cut.fault != "provider" or not journal.is_file():
        return
    section = reader.load(journal).sections[-1]
    for error in map(codec.error, section.of("failed")):
        if isinstance(error, ProviderError) and not isinstance(error, BudgetSpent):
            raise error
