"""What runs beside what. Each of these reviews would wait for ever if the later part began only after the earlier one had ended."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from fakes import Repository
from shop import AFTER, BEFORE, FINDING, Table, quiet

from bot.context.look_ups import LookUps
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.session import Session
from bot.review.workers import ModelWorker
from bot.strategies import fanout
from bot.values import Completion, Finding, Judgement, Prompt, Usage


class Waits:
    """A model whose reply about one file comes only when something else has happened."""

    name = "scripted/worker"

    def __init__(self, word: str, unless: str, happened: asyncio.Event) -> None:
        self.word, self.unless, self.happened = word, unless, happened

    async def complete(self, prompt: Prompt) -> Completion:
        """A finding in price.py, nothing elsewhere."""
        text = prompt.messages[-1].text
        if self.word in text and self.unless not in text:
            await self.happened.wait()
        data = {"answer": "read", "findings": [FINDING]} if "return None" in text else quiet(prompt)
        return Completion("", Usage(100, 10), "stop", {"look_ups": [], "unsettled": [], **data})

    def price(self, _: Usage) -> float:
        """Nothing."""
        return 0.0

    async def close(self) -> None:
        """Nothing is open."""


def test_a_finding_is_handed_on_while_another_prompt_is_out(repository: Repository) -> None:
    """The prompt about order.py is answered only when the finding in price.py was heard."""
    long = {
        path: before + "".join(f"\n\ndef {path[5:8]}_{n}(items):\n    return sum(items) * {n}\n" for n in range(400))
        for path, before in AFTER.items()
    }
    shop = Table(repository.change(dict(BEFORE), long))

    async def step(session: Session) -> tuple[list[str], str]:
        happened, heard = asyncio.Event(), list[str]()

        def hear(found: Sequence[Finding]) -> None:
            heard.extend(finding.path for finding in found)
            happened.set()

        assert isinstance(session.worker, ModelWorker)
        look_ups = LookUps(session.tree, {}, session.callers, session.readers)
        model = Waits("--- shop/order.py", "--- shop/price.py", happened)
        answer = await replace(session.worker, model=model, on_findings=hear, look_ups=look_ups).review(session.units)
        return heard, answer.error

    assert shop.run(step) == (["shop/price.py"], "")


def test_the_analysers_run_while_the_first_prompt_is_out(table: Table) -> None:
    """The model answers only when an analyser has looked; what that found is admitted first."""

    async def step(session: Session) -> list[str]:
        happened = asyncio.Event()

        class Looks:
            """An analyser."""

            ROWS = "git"

            def wants(self, _: object) -> bool:
                """All files."""
                return True

            async def check(self, *_: object) -> Judgement:
                """Nothing is found."""
                happened.set()
                return Judgement((), frozenset())

        session.checks = AnalyzerWorker({"looks": Looks()}, session.survey)
        assert isinstance(session.worker, ModelWorker)
        session.worker = replace(session.worker, model=Waits("shop/price.py", "no such file", happened))
        await fanout.run(session, with_pairs=False)
        return [finding.path for finding in session.findings]

    assert table.run(step) == ["shop/price.py"]
