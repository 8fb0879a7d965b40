"""Which models play: scripted ones, fresh for each problem, or real ones, connected once for the whole run."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot.errors import UsageError
from deeprepo.rlm.errors import ProviderRefused
from deeprepo.rlm.values import Message, Model, Prompt
from deeprepo_evals import models
from deeprepo_evals.context import scripted
from deeprepo_evals.context.room import Pair

HELLO = Prompt((Message("user", "Reply with the word OK."),), max_tokens=64)


def check(name: str) -> str:
    """The name, behind which a model can be. Raises UsageError: no such name, or its key is missing."""
    if name.startswith(scripted.PREFIX):
        if name not in scripted.PLAYS:
            raise UsageError(f"unknown scripted model {name!r}: known are {', '.join(scripted.PLAYS)}")
        return name
    return models.check(name)


@asynccontextmanager
async def open_cast(root: str, worker: str) -> AsyncIterator[Callable[[], Pair]]:
    """Who plays in the next problem. Raises UsageError where a key is missing or a model is not to be had."""
    real: dict[str, Model] = {}
    try:
        for name in dict.fromkeys((root, worker)):
            if not name.startswith(scripted.PREFIX):
                real[name] = models.connect(name)
        for model in real.values():
            await _greet(model)

        def pair() -> Pair:
            played = {name: real.get(name) or scripted.connect(name) for name in (root, worker)}
            return Pair(played[root], played[worker])

        yield pair
    finally:
        for model in real.values():
            await model.close()


async def _greet(model: Model) -> None:
    """A refusal here is a wrong key or name: said before anything is paid, instead of as a thousand wrong answers."""
    try:
        await model.complete(HELLO)
    except ProviderRefused as error:
        raise UsageError(f"{model.name} cannot be used: {error}") from error
