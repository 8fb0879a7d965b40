"""`deeprepo.RLM`."""

import asyncio
import copy
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path as _Place
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from deeprepo import _samples
from deeprepo._calls import Path, call_apart
from deeprepo._errors import UsageError, translate
from deeprepo._values import Budget, Call, Event, FunctionNames, Model, Result, Turn, access, caps, cost

if TYPE_CHECKING:
    from deeprepo.rlm.texts.session import TextAnswer

T = TypeVar("T")
Context = str | os.PathLike[str] | Sequence[Any] | Mapping[str, Any]
Function = Callable[[list[dict[str, str]]], str | Awaitable[str]]
AnyModel = str | Model | Function
Tools = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]


class RLM:
    """A Recursive Language Model: a root model that answers a question by writing Python in a sandboxed REPL.

    Its code searches and computes over the whole context, and asks workers: `ask(paths, question)` and `ask_batch([...])` have files read
    whole, `llm_query(prompt)` and `llm_batch([...])` are free prompts; from depth 2 on `rlm_query(task, paths)` starts a root over a part.

    Args:
        root: The model that orchestrates: "provider/model", "exec:COMMAND", a `Model`, or a function, asynchronous or not, of the messages
            (`[{"role": "user", "content": "..."}]`) that returns the reply. None: DEEPREPO_ROOT, or that of a provider whose key is set.
        worker: The cheaper model that reads; without it the root does both.
        budget: Dollars, or a `Budget`, for each run; None means no cap.
        workers: Several of them, by the names that the root's code uses; the first one where it names none.
        turns: How many turns a root has.
        depth: As the paper counts. 0: the root has nobody to ask; 1: workers; 2: also roots of its own, which have workers; and so on.
        answer_form: What an answer must look like, such as "one number, without its unit".
        system_prompt: The root's instructions: a text that replaces ours, or a function that takes ours and returns them.
        block_seconds: How many seconds one block of the root's code may compute.
        block_memory: How many MB its values may take.
        block_output: How many characters of what a block prints the root is shown.
    """

    def __init__(
        self,
        root: AnyModel | None = None,
        worker: AnyModel | None = None,
        budget: float | Budget | None = 1.0,
        *,
        workers: Mapping[str, AnyModel] | None = None,
        turns: int = 12,
        depth: int = 1,
        answer_form: str = "",
        system_prompt: str | Callable[[str], str] | None = None,
        block_seconds: float = 10.0,
        block_memory: int = 192,
        block_output: int = 20_000,
    ) -> None:
        if worker is not None and workers:
            raise UsageError("name one worker with worker=, or several with workers=")
        self.root, self.worker, self.workers = root, worker, dict(workers or {})
        self.budget = caps(budget)
        self._share = 1  # of so many runs at once it makes one
        self.turns, self.depth, self.answer_form, self.system_prompt = turns, depth, answer_form, system_prompt
        for name, value, least in (
            ("block_seconds", block_seconds, 1),
            ("block_memory", block_memory, 16),
            ("block_output", block_output, 200),
        ):
            if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value < float("inf"):
                raise UsageError(f"{name}={value!r}: give a number of {least:g} at least")
        self.block_seconds, self.block_memory, self.block_output = block_seconds, block_memory, block_output

    def __repr__(self) -> str:
        who = f"workers={self.workers!r}" if self.workers else f"worker={self.worker!r}"
        return f"RLM(root={self.root!r}, {who}, budget={self.budget!r}, turns={self.turns}, depth={self.depth})"

    def run(
        self,
        query: str,
        context: Context,
        tools: Tools | None = None,
        *,
        answer_type: Any = None,  # noqa: ANN401 - a type, also one such as list[int]
        samples: int = 1,
        journal: Path | None = None,
        on_progress: Callable[[Event], None] | None = None,
    ) -> Result:
        """Answer a question about a context.

        Args:
            query: The question or the task.
            context: A text, a list or mapping of texts or plain data, or the path (`pathlib.Path`) of a file or of a folder of text
                files. At most 20,000,000 characters.
            tools: Python functions that the root's code may call, as a list or by name, asynchronous or not. Arguments and results are
                plain data of at most 2,097,152 characters. A function runs in this process and is waited for 60 seconds.
            answer_type: A pydantic model, or another type that pydantic validates: `Result.value` is an instance of it.
            samples: How many runs are made at once and compared: the result is the first of those whose answer most of them have, with
                the cost of all. Together they have one budget; a `Model.seed` grows by 1 from run to run.
            journal: A file that records calls, turns and results of tools. The same run resumes from it; nothing is paid twice. Further
                samples have files of their own (`run.2.jsonl`).
            on_progress: Is given a `Call` and a `Turn` as each ends, and the `Result`. What it raises is logged.

        A provider's failure or a cap on the way ends the run with an `outcome`, and the result holds what there was by then.

        Raises `ProviderError` or `BudgetSpent` only before the first turn, and the other errors.
        """
        if samples == 1:
            with self.session(context, tools, journal=journal, on_progress=on_progress) as session:
                return session.run(query, answer_type=answer_type)
        how: dict[str, Any] = {"answer_type": answer_type, "journal": journal, "on_progress": on_progress}
        return call_apart(lambda: asyncio.run(self._sampled(samples, query, context, tools, **how)))

    async def run_async(
        self,
        query: str,
        context: Context,
        tools: Tools | None = None,
        *,
        answer_type: Any = None,  # noqa: ANN401
        samples: int = 1,
        journal: Path | None = None,
        on_progress: Callable[[Event], None] | None = None,
    ) -> Result:
        """Answer a question about a context, in the caller's event loop: `run` with the same parameters, result and errors."""
        if samples != 1:
            how: dict[str, Any] = {"answer_type": answer_type, "journal": journal, "on_progress": on_progress}
            return await self._sampled(samples, query, context, tools, **how)
        async with self.session(context, tools, journal=journal, on_progress=on_progress) as session:
            return await session.run_async(query, answer_type=answer_type)

    async def _sampled(
        self,
        samples: int,
        query: str,
        context: Context,
        tools: Tools | None,
        *,
        answer_type: Any,  # noqa: ANN401
        journal: Path | None,
        on_progress: Callable[[Event], None] | None,
    ) -> Result:
        """Several runs at once, and what they come to."""
        _samples.check(samples)

        def hear(number: int, event: Event) -> None:
            if on_progress is not None and not isinstance(event, Result):  # the one of all is told at the end
                on_progress(_samples.labelled(event, number))

        async def one(number: int) -> Result:
            rlm = copy.copy(self)
            rlm.root, rlm.worker = _samples.seeded(self.root, number), _samples.seeded(self.worker, number)
            rlm.workers = {name: _samples.seeded(model, number) for name, model in self.workers.items()}
            rlm._share = samples  # noqa: SLF001 - a copy of this one
            place, told = _samples.journal(journal, number), partial(hear, number) if on_progress else None
            return await rlm.run_async(query, context, tools, answer_type=answer_type, journal=place, on_progress=told)

        ended = await asyncio.gather(*map(one, range(samples)), return_exceptions=True)
        result = _samples.agreement(ended, is_typed=answer_type is not None)
        if on_progress is not None:
            asyncio.get_running_loop().call_soon(on_progress, result)
            await asyncio.sleep(0)
        return result

    def session(
        self,
        context: Context,
        tools: Tools | None = None,
        *,
        journal: Path | None = None,
        on_progress: Callable[[Event], None] | None = None,
    ) -> "Session":
        """Begin a session: several questions about one context, with the parameters of `run`."""
        return Session(self, context, tools, journal=journal, on_progress=on_progress)


class Session:
    """Questions about one context, one after the other, to one root. `RLM.session` begins it, `with` or `async with` closes it.

    The names of the root's code stay, and so does the dialogue. Each question has the turns and the budget of a run.
    """

    def __init__(
        self,
        rlm: RLM,
        context: Context,
        tools: Tools | None = None,
        *,
        journal: Path | None = None,
        on_progress: Callable[[Event], None] | None = None,
    ) -> None:
        with translate():
            from bot.wiring.question import ChosenModels, open_inquiry
            from deeprepo.rlm.texts import callables, material
            from deeprepo.rlm.texts.dialogue import TextQuestion
            from deeprepo.rlm.texts.session import TextSession
            from deeprepo.rlm.values import Limits

            if rlm.turns < 1 or rlm.depth < 0:
                raise UsageError(
                    f"turns={rlm.turns} and depth={rlm.depth}: a root has 1 turn at least, and a depth of 0 at least"
                )
            about = TextQuestion("", material.of(context), callables.read(tools), rlm.answer_form, rlm.depth)
            if rlm.system_prompt is not None:
                about = replace(about, instructions=partial(_instructions, rlm.system_prompt))
            caps = rlm.budget
            limits = Limits(
                usd=caps.usd,
                tokens=caps.tokens,
                calls=caps.calls,
                seconds=caps.seconds,
                turns=rlm.turns,
                turn_seconds=rlm.block_seconds,
                memory=int(rlm.block_memory),
                output_chars=int(rlm.block_output),
            )
            names = FunctionNames()
            chosen = ChosenModels(
                names.of(rlm.root),
                names.of(rlm.worker),
                {name: names.of(model) or "" for name, model in rlm.workers.items()},
                {**access(rlm.root, rlm.worker, *rlm.workers.values()), **names.access()},
                rlm._share,  # noqa: SLF001 - of the same module
            )
            place = _Place(journal) if journal is not None else None
            watch = self._hear if on_progress is not None else None
            self._inner = TextSession(about, partial(open_inquiry, chosen, limits, place, watch))
        self._on_progress = on_progress
        self._turn = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._runner: asyncio.Runner | None = None

    def run(self, query: str, *, answer_type: Any = None) -> Result:  # noqa: ANN401
        """Answer a question, the first one or a further one: `RLM.run` with the same result and errors."""
        with translate():
            self._inner.require_open()
        return self._in_own_loop(lambda: self.run_async(query, answer_type=answer_type))

    async def run_async(self, query: str, *, answer_type: Any = None) -> Result:  # noqa: ANN401
        """Answer a question in the caller's event loop, the same one for all questions of a session."""
        loop = asyncio.get_running_loop()
        self._loop = self._loop or loop
        with translate():
            from deeprepo.rlm.texts import typed

            if not query.strip():
                raise UsageError("the query is empty: ask something")
            if self._loop is not loop:
                raise UsageError("a session stays in one event loop: call `run` for all questions, or `run_async`")
            result = _result(await self._inner.ask(query, typed.of(answer_type)))
        self._tell(result)
        await asyncio.sleep(0)  # what is told last is heard before the result is handed back
        return result

    def close(self) -> None:
        """End it. The REPL, and with it every name that the root's code assigned, is gone."""
        runner, self._runner = self._runner, None
        if runner is not None:
            call_apart(lambda: runner.run(self.close_async()))
            call_apart(runner.close)

    async def close_async(self) -> None:
        """End it, where `run_async` was called."""
        await self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close_async()

    def _in_own_loop(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run it in an event loop that lasts as long as the session. Questions of several threads wait for each other."""
        with self._turn:
            runner = self._runner = self._runner or asyncio.Runner()
            return call_apart(lambda: runner.run(work()))

    def _hear(self, row: Mapping[str, Any]) -> None:
        """What the journal is told, as an event."""
        if row["kind"] == "turn":
            names = ("run", "number", "said", "code", "output", "error")
            self._tell(Turn(*(row[name] for name in names)))
        elif row["kind"] == "call":
            run, _, number = row["at"].rpartition(":")
            sent, written = (*row.get("usage", ()), 0, 0)[:2]
            facts = (row["role"], row["model"], sent, written, row["usd"], row["seconds"], row.get("error"))
            self._tell(Call(run, int(number), *facts, total=cost(self._inner.cost)))

    def _tell(self, event: Event) -> None:
        """Hand an event to the caller's function, in its turn: what that raises harms no call that is paid for."""
        if self._on_progress is not None:
            asyncio.get_running_loop().call_soon(self._on_progress, event)


def _instructions(given: str | Callable[[str], str], ours: str) -> str:
    """The root's instructions. Raises UsageError for what is no text."""
    text = given(ours) if callable(given) else given
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"system_prompt is {text!r}: give a text, or a function that is given ours and returns one")
    return text


def _result(text_answer: "TextAnswer") -> Result:
    turns = [
        Turn(run.name, turn.number, turn.said, turn.code, turn.observation.output, turn.observation.error)
        for run in text_answer.runs
        for turn in run.turns
    ]
    why = (text_answer.why,) if text_answer.why else ()
    return Result(
        text_answer.answer,
        text_answer.outcome or "astray",
        tuple(turns),
        cost(text_answer.cost),
        (*why, *text_answer.notes),
        text_answer.value,
    )
