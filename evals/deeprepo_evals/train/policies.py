"""Roots and workers without a model: an honest one that reads everything, and those that try to be paid for less.

The dishonest ones play the strategies that earned up to 1.0 under a reward that counted names of paths and words of the answer.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from bot import config
from bot.errors import UsageError
from deeprepo.rlm.errors import ProviderRefused
from deeprepo.rlm.models import TIMEOUT, connect, provider_of
from deeprepo.rlm.values import CHARS_PER_TOKEN, Completion, Model, Prompt, ToolCall, Usage
from deeprepo_evals import models
from deeprepo_evals.plant.reader import NAME as READER
from deeprepo_evals.plant.reader import Reader
from deeprepo_evals.plant.values import CodeBase
from deeprepo_evals.train.tasks import Task
from deeprepo_sandbox.scripted import Reply, ScriptedModel

PREFIX = "scripted/"
HONEST = "scripted/honest"
SCRIPTS = Path(__file__).with_name("scripts")
WINDOW = 16_000  # tokens that the scripted worker takes in one prompt: everything at once is no delegation


def policies() -> tuple[str, ...]:
    """The names of the scripted roots."""
    return tuple(sorted(PREFIX + path.stem for path in SCRIPTS.glob("*.txt")))


def check(name: str, *, root: bool) -> str:
    """The name, behind which a model can be. Raises UsageError: no such name, or its key is missing."""
    if name.startswith(PREFIX):
        known = policies() if root else (READER,)
        if name not in known:
            raise UsageError(f"unknown scripted {'root' if root else 'worker'} {name!r}: known are {', '.join(known)}")
        return name
    return models.check(name)


def root(name: str) -> Model:
    """A root by its name: scripted, or a real model whose key is in the environment."""
    return playing(blocks(name), name) if name.startswith(PREFIX) else _real(name)


def worker(name: str, task: Task, base_url: str | None = None, timeout: float = TIMEOUT) -> Model:
    """A worker by its name; the scripted one knows what is planted and says what its prompt shows of it."""
    return reading(task.code()) if name == READER else _real(name, base_url, timeout)


def _real(name: str, base_url: str | None = None, timeout: float = TIMEOUT) -> Model:
    if base_url is None:
        return models.connect(name)
    return connect(name, config.provider_key(provider_of(name).key_variable), base_url, timeout)


def reading(code: CodeBase) -> ScriptedModel:
    """The scripted worker, which reports what its prompt shows of what is planted."""
    reader = Reader(code)

    def script(prompt: Prompt) -> Reply:
        if sum(len(message.text) for message in prompt.messages) > WINDOW * CHARS_PER_TOKEN:
            return ProviderRefused(
                f"the prompt is too long: {READER} takes {WINDOW:,} tokens, send fewer files at once"
            )
        return reader(prompt)

    return ScriptedModel(script, READER, price=0.0)


def playing(blocks: tuple[str, ...], name: str) -> ScriptedModel:
    """A root that sends one block after the other, and the last one again and again."""
    model: ScriptedModel
    play: Callable[[Prompt], Reply] = lambda _: _completion(len(model.prompts), blocks)  # noqa: E731 - it needs the model
    model = ScriptedModel(play, name, price=0.0)
    return model


def _completion(number: int, script: tuple[str, ...]) -> Completion:
    code = script[min(number, len(script)) - 1]
    return Completion("", Usage(), "end", None, (ToolCall(f"turn-{number}", "execute_python", {"code": code}),))


@cache
def blocks(name: str) -> tuple[str, ...]:
    """The blocks of a scripted root, in the order of its turns."""
    text = (SCRIPTS / f"{name.removeprefix(PREFIX)}.txt").read_text("utf-8")
    return tuple(part.strip("\n") for part in text.split("\n---\n"))
