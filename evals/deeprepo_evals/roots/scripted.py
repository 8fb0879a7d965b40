"""Roots that act as the journal's three did, and its baseline; and the worker that they share. No model is called."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from bot.errors import UsageError
from deeprepo.rlm.money import capacity
from deeprepo.rlm.values import Completion, Prompt, ToolCall, Usage
from deeprepo_evals.plant.reader import NAME as READER
from deeprepo_evals.plant.reader import Reader
from deeprepo_evals.plant.values import CodeBase
from deeprepo_evals.roots import journal
from deeprepo_evals.roots.journal import BASELINE, BEHAVIOURS, FILES, PER_CALL, WORKER, Behaviour, Price
from deeprepo_sandbox import honest
from deeprepo_sandbox.scripted import ScriptedModel

PREFIX = "scripted/"
ROOTS = tuple(f"{PREFIX}{name}" for name in BEHAVIOURS)
SCRIPTS = Path(__file__).with_name("scripts")
TOOL = "execute_python"


class PricedModel(ScriptedModel):
    """A scripted model whose tokens cost what a real one's would."""

    def __init__(self, script: Callable[[Prompt], Completion], name: str, price: Price) -> None:
        super().__init__(script, name)
        self._dollars = price

    def price(self, usage: Usage) -> float:
        """Dollars for this usage."""
        return self._dollars(usage)


def check(name: str, *, root: bool) -> str:
    """The name of a scripted model. Raises UsageError where there is none of that name."""
    known = ROOTS if root else (READER,)
    if (name.partition(":")[0] if root else name) not in known:
        raise UsageError(f"no scripted {'root' if root else 'worker'} is called {name!r}: known are {', '.join(known)}")
    return name


def worker(code: CodeBase) -> PricedModel:
    """The worker that reports what its prompt shows, at the price of the journal's."""
    return PricedModel(Reader(code, _billing(code, PER_CALL)), READER, WORKER)


def root(name: str, code: CodeBase, window: int | None = None) -> PricedModel:
    """A root by its name. With `window` it is the baseline: one call, of which it sees so many characters."""
    script, _, calls = name.removeprefix(PREFIX).partition(":")
    behaviour = BEHAVIOURS[script]
    if calls:  # the same root with fewer workers, each of which reads as much
        files = round(behaviour.files * int(calls) / behaviour.calls)
        behaviour = replace(behaviour, calls=int(calls), files=files)
    if window is not None:
        return PricedModel(Reader(code, _billing(code, BASELINE.turns[0])), name, behaviour.price)
    return PricedModel(_Turns(script, behaviour, code), name, behaviour.price)


class _Turns:
    """The script of a root: one block after the other, the last one again and again."""

    def __init__(self, name: str, behaviour: Behaviour, code: CodeBase) -> None:
        scale = len(code.files) / FILES
        calls, files = (max(1, round(number * scale)) for number in (behaviour.calls, behaviour.files))
        self._blocks = tuple(block.replace("CALLS", str(calls)).replace("FILES", str(files)) for block in blocks(name))
        self._turns = behaviour.turns if len(code.files) == journal.FILES else ()
        self._at = 0

    def __call__(self, prompt: Prompt) -> Completion:
        if prompt.tool is None:  # it reads nothing itself
            usage = Usage(capacity.least_tokens(prompt.messages))
            told = honest.told({"answer": "Nothing found.", "findings": []}, (one.text for one in prompt.messages))
            return Completion("{}", usage, data=told)
        number = min(self._at, len(self._blocks) - 1)
        self._at += 1
        usage = self._turns[min(number, len(self._turns) - 1)] if self._turns else Usage()
        call = ToolCall(f"turn-{self._at}", TOOL, {"code": self._blocks[number]})
        return Completion("", usage, "end", None, (call,))


@cache
def blocks(name: str) -> tuple[str, ...]:
    """The blocks of a script."""
    return tuple(part.strip("\n") for part in (SCRIPTS / f"{name}.txt").read_text("utf-8").split("\n---\n"))


def _billing(code: CodeBase, usage: Usage) -> Callable[[Prompt], Usage] | None:
    """Over a code base of the journal's size each call is billed as the journal's were; a longer prompt at least by its length.

    A bill below it would tell that the model has read a part of the prompt only.
    """

    def bill(prompt: Prompt) -> Usage:
        return replace(usage, input=max(usage.input, capacity.least_tokens(prompt.messages)))

    return bill if len(code.files) == journal.FILES else None
