"""The baseline beside every figure: one call of the same model with title, body and diff alone. Nothing else of the repository."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot import checkout, config, diff, wiring
from bot.checkout import Checkout
from bot.dependents.roles import changes_role
from bot.errors import BadAnswer, ProviderError
from bot.findings import placing, read
from bot.findings.merge import merge
from bot.findings.quotes import check_quotes
from bot.journal.writer import Journal
from bot.llm.budget import Budget
from bot.llm.calls import Calls
from bot.ports import Model
from bot.values import ChangedFile, Completion, Finding, Limits, Message, PlacedFinding, Prompt, PullRequest, Source
from deeprepo_evals.reviews import outcome, product
from deeprepo_evals.reviews.oracle import Oracle
from deeprepo_evals.reviews.outcome import Outcome
from deeprepo_evals.reviews.reviewer import Task
from deeprepo_evals.words import text

QUOTA = 4  # findings, as the product's own default
ANSWER_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class DiffOnly:
    """One call with the diff. With `oracle` the labels are in the model's place."""

    flags: Mapping[str, Any] = field(default_factory=dict)
    oracle: bool = False

    @property
    def name(self) -> str:
        """What the tables call it."""
        return "diff-only"

    async def review(self, task: Task) -> Outcome:
        """One case. Raises ProviderError where the call failed; an answer that cannot be used counts as silence."""
        if self.oracle:
            oracle = Oracle(task.labels)
            model = product.acting(oracle)
            told = replace(await self._ask(task, model), input=product.weight(model))
            return replace(told, shown=tuple(sorted(oracle.shown)), together=tuple(sorted(oracle.together)))
        environment = config.environment()
        resolved = config.resolve({**self.flags, "strategy": "direct"}, None, environment)
        chosen = wiring.Connections(environment, self.flags).models(resolved)
        model_ = chosen.root or chosen.reader
        if model_ is None:
            raise ProviderError("the baseline needs a model: name one with --worker provider/model")
        try:
            return await self._ask(task, model_)
        finally:
            for one in {id(m): m for m in (chosen.root, chosen.reader) if m}.values():
                await one.close()

    async def _ask(self, task: Task, model: Model) -> Outcome:
        started = time.monotonic()
        pull = await checkout.pull(product.request(task.repo), task.scratch)
        async with Checkout(pull) as tree:
            files = tuple(file for file in diff.read(await tree.change(changes_role)) if not file.skip)
            calls = Calls(Budget(Limits(usd=self.flags.get("usd") or 1.0)), Journal())
            reply = (await calls.many(model, [_prompt(pull, files)], "worker"))[0]
            findings, notes = _read(reply, model)
            checked = [found for item in findings if not isinstance(found := await check_quotes(item, tree), str)]
        told = Outcome(
            findings=outcome.measured_findings(_loud(checked, files)),
            seconds=round(time.monotonic() - started, 3),
            notes=notes,
        )
        return outcome.costing(told, calls.cost())


def _prompt(pull: PullRequest, files: Sequence[ChangedFile]) -> Prompt:
    shown = [(file.path, file.status, diff.numbered_text(file.hunks)) for file in files]
    asked = text("reviews/diff_only.md.j2", title=pull.title, body=pull.body, files=shown)
    words = text("reviews/diff_only_system.md.j2", most=QUOTA)
    return Prompt(
        (Message("system", words), Message("user", asked)), answer=read.schema().final, max_tokens=ANSWER_TOKENS
    )


def _read(reply: Completion | Exception, model: Model) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    if isinstance(reply, BadAnswer):
        return (), (str(reply),)
    if not isinstance(reply, Completion):
        raise ProviderError(str(reply)) from reply
    return read.answer(reply.data, Source("model", model.name))[1], ()


def _loud(findings: Sequence[Finding], files: Sequence[ChangedFile]) -> tuple[PlacedFinding, ...]:
    """Placed and held to the quota as the product's own findings are; nobody gives a second opinion."""
    return placing.rank(placing.place(merge(findings), files), QUOTA)
