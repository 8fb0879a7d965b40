"""The baseline beside every figure: one call of the same model with title, body and diff alone. Nothing else of the repository."""

import random
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from bot import checkout, config, diff
from bot.checkout import Checkout
from bot.diff.roles import changes_role
from bot.findings import placing, read
from bot.findings.merge import merge
from bot.findings.quotes import check_quotes
from bot.review.context.packing import LARGE_SCALE, PARTS_SCALE, SMALL_SCALE
from bot.secrets.masking import Masks
from bot.values import ChangedFile, Finding, PlacedFinding, PullRequest, Source
from bot.wiring.access import Connections
from deeprepo.rlm.errors import BadAnswer, ProviderError
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Limits, Message, Model, Prompt, tokens
from deeprepo_evals.reviews import outcome, product
from deeprepo_evals.reviews.oracle import Oracle
from deeprepo_evals.reviews.outcome import Outcome
from deeprepo_evals.reviews.reviewer import Task
from deeprepo_evals.words import text

QUOTA = 4  # findings shown in full, as the product's own default
ROOM = 600_000  # characters of diff in a prompt; files that do not fit are left out, the last ones first
ANSWER_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class DiffOnly:
    """One call with the diff. With `oracle` the labels are in the model's place.

    `wide`: it is asked for whatever a careful maintainer would want changed, as the product's readers are, not for defects alone. In a later round it sees the files in another order.
    """

    flags: Mapping[str, Any] = field(default_factory=dict)
    oracle: bool = False
    wide: bool = False

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
        async with plain_model(self.flags) as model_:
            return await self._ask(task, model_)

    async def _ask(self, task: Task, model: Model) -> Outcome:
        started = time.monotonic()
        pull = await checkout.pull(product.request(task.repo), task.scratch)
        async with Checkout(pull) as tree:
            files = tuple(file for file in diff.read(await tree.change(changes_role)) if not file.skip)
            calls = Calls(Budget(Limits(usd=self.flags.get("usd") or 1.0)), Journal(), Masks())
            shown, notes = _fitting(_in_order(files, task.round))
            reply = (await calls.many(model, [_prompt(pull, shown, wide=self.wide)], "worker"))[0]
            findings, unread = _read(reply, model)
            checked = [found for item in findings if not isinstance(found := await check_quotes(item, tree), str)]
        told = Outcome(
            findings=outcome.measured_findings(_loud(checked, files, quota_of(self.flags))),
            seconds=round(time.monotonic() - started, 3),
            notes=(*notes, *unread),
        )
        return outcome.costing(told, calls.budget.cost())


@asynccontextmanager
async def plain_model(flags: Mapping[str, Any]) -> AsyncIterator[Model]:
    """The model that a single call goes to: the root, else the worker. Raises ProviderError where there is none."""
    environment = config.environment()
    resolved = config.resolve({**flags, "strategy": "parts"}, None, environment)
    chosen = Connections(environment, flags).models(resolved)
    model = chosen.root or chosen.reader
    if model is None:
        raise ProviderError("the baseline needs a model: name one with --worker provider/model")
    try:
        yield model
    finally:
        for one in {id(m): m for m in (chosen.root, chosen.reader) if m}.values():
            await one.close()


def _in_order(files: Sequence[ChangedFile], number: int) -> list[ChangedFile]:
    """The files as the first reader of a change sees them, or a later one."""
    order = list(files)
    if number > 1:
        random.Random(number).shuffle(order)  # noqa: S311 - statistics, not secrets
    return order


def _fitting(files: Sequence[ChangedFile]) -> tuple[list[tuple[str, str, str]], tuple[str, ...]]:
    """Path, status and diff of the files that a prompt holds, and a sentence about the others."""
    shown, left = list[tuple[str, str, str]](), ROOM
    for file in files:
        told = diff.numbered_text(file.hunks)
        if len(told) <= left:
            shown.append((file.path, file.status, told))
            left -= len(told)
    gone = len(files) - len(shown)
    return shown, (f"{gone} of {len(files)} files did not fit into the prompt",) * bool(gone)


def _most(shown: Sequence[tuple[str, str, str]]) -> int:
    """As many things as a reader of the product is asked for who reads so much."""
    size = sum(tokens(told) for *_, told in shown)
    return next(
        one for one in (SMALL_SCALE, PARTS_SCALE, LARGE_SCALE) if size <= one.most or one is LARGE_SCALE
    ).candidates


def _prompt(pull: PullRequest, shown: Sequence[tuple[str, str, str]], *, wide: bool) -> Prompt:
    asked = text("reviews/diff_only.md.j2", title=pull.title, body=pull.body, files=shown)
    words = text("reviews/diff_only_system.md.j2", most=_most(shown) if wide else QUOTA, wide=wide)
    return Prompt(
        (Message("system", words), Message("user", asked)), answer=read.schema().final, max_tokens=ANSWER_TOKENS
    )


def _read(reply: Completion | Exception, model: Model) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    if isinstance(reply, BadAnswer):
        return (), (str(reply),)
    if not isinstance(reply, Completion):
        raise ProviderError(str(reply)) from reply
    return read.parse_reply(reply.data, Source("model", model.name))[1], ()


def quota_of(flags: Mapping[str, Any]) -> int:
    """How many findings are shown in full."""
    quota = flags.get("quota")
    return QUOTA if quota is None else int(quota)


def _loud(findings: Sequence[Finding], files: Sequence[ChangedFile], quota: int) -> tuple[PlacedFinding, ...]:
    """Placed and held to the quota as the product's own findings are; nothing is confirmed."""
    return placing.rank(placing.place(merge(findings), files), quota)
