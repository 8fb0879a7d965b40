"""Odd replies of servers are read right, or end in a clear error, with no more requests than needed."""

import asyncio
import json
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from conditions import CODE, CONDITIONS, Condition, Reply
from raw_server import raw_server

from bot.secrets.masking import Masks
from deeprepo.rlm import models
from deeprepo.rlm.errors import BudgetSpent, ProviderError
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.repl import extraction
from deeprepo.rlm.values import Completion, Limits, Message, Prompt

ASKED = Prompt((Message("system", "You write code."), Message("user", "What is it?")), tool=extraction.TOOL)


def ask(replies: Sequence[Reply], name: str, role: str = "root", asked: Prompt = ASKED) -> SimpleNamespace:
    """Ask a server with these replies. Returns `outcome`, the sent `bodies`, the `waits` in seconds, and the `cost`."""
    done = SimpleNamespace(bodies=[], waits=[])

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].split()[0])
        done.bodies.append(json.loads(await reader.readexactly(length)))
        reply = replies[min(len(done.bodies), len(replies)) - 1]
        writer.write(reply if isinstance(reply, bytes) else reply(done.bodies[-1]))

    async def pause(seconds: float) -> None:
        done.waits.append(seconds)
        await asyncio.sleep(0)

    async def run() -> None:
        async with raw_server(serve) as port:
            model = models.connect(
                name, "key", f"http://127.0.0.1:{port}" + "/v1" * (not name.startswith("anthropic/"))
            )
            calls = Calls(Budget(Limits(usd=1000.0)), Journal(), Masks(), pause=pause, chance=lambda: 0.0)
            try:
                done.outcome = await calls.complete(model, asked, role)
            except (ProviderError, BudgetSpent) as error:
                done.outcome = error
            finally:
                done.cost, done.notes = calls.budget.cost(), calls.budget.notes
                await model.close()

    asyncio.run(run())
    return done


def result(outcome: Completion | Exception) -> tuple[str, str]:
    """Return what came of a call in a word, and its whole text."""
    if isinstance(outcome, Exception):
        return type(outcome).__name__, str(outcome)
    code = extraction.or_ending(outcome).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    word = "yes" if code.endswith(CODE) else code or outcome.lack or outcome.text
    return "length" if outcome.stop == "length" else word, code or outcome.text


def row(condition: Condition) -> object:
    marks = pytest.mark.xfail(reason=condition.fault, strict=True) if condition.fault else ()
    return pytest.param(condition, id=condition.name, marks=marks)


@pytest.mark.parametrize("condition", [row(condition) for condition in CONDITIONS])
def test_odd_reply_is_read_right(condition: Condition) -> None:
    """An odd reply gives the expected result, requests, waits and booked tokens."""
    done = ask(condition.replies, condition.model, condition.role)
    word, words = result(done.outcome)
    assert (word, len(done.bodies)) == (condition.result, condition.requests), words
    assert condition.says in words
    assert condition.tokens in (None, (done.cost.usage.input, done.cost.usage.output))
    assert condition.waits in (None, tuple(done.waits))
