"""`deeprepo.RLM`."""

import asyncio
import copy as copies
import os
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path as _Place
from typing import TYPE_CHECKING, Any, Self, TypeVar

from deeprepo import _samples
from deeprepo._calls import Path, call_outside_loop, synchronous
from deeprepo._errors import UsageError, translate
from deeprepo._values import Budget, Call, Event, Model, Result, Started, Turn, caps, copy, cost, names_and_access

if TYPE_CHECKING:
    from deeprepo.texts.session import TextAnswer

T = TypeVar("T")
Context = str | os.PathLike[str] | Sequence[Any] | Mapping[str, Any]
Function = Callable[[list[dict[str, str]]], str | Awaitable[str]]
AnyModel = str | Model | Function
OnEvent = Callable[[Event], None]
Tools = Mapping[str, Any] | Iterable[Callable[..., Any]]


class RLM:
    """A Recursive Language Model: a root model that answers a question by writing Python in a sandboxed REPL.

    The code searches and computes over the whole context, and asks workers. `ask(paths, question)` and `ask_batch([...])` let workers
    read whole files. `llm_query(prompt)` and `llm_batch([...])` send any prompt. From depth 2, `rlm_query(task, paths)` starts a root
    on a part of the context.

    Args:
        root: The model that orchestrates: "provider/model", "exec:COMMAND", a `Model`, or a function (synchronous or asynchronous) that
            takes the messages (`[{"role": "user", "content": "..."}]`) and returns the reply. Default: DEEPREPO_ROOT, or the root of a
            provider whose key is set.
        worker: The cheaper model that reads the texts. Default: the root.
        budget: Dollars, or a `Budget`, for each run. None means no cap.
        workers: Several workers, by the names that the root's code uses. The first one is the default.
        turns: The number of turns that a root has.
        depth: As in the paper. 0: the root works alone; 1: it has workers; 2: it can also start roots, which have workers; and so on.
        answer_form: What the answer must look like, such as "one number, without its unit".
        system_prompt: The root's instructions: a text that replaces the default, or a function that takes the default and returns a text.
        child_tools: The tools of the roots that a root starts. Default: those of the run.
        setup: Python code that runs in each REPL before the first turn. The root's code finds its names.
        block_seconds: The CPU seconds that one block of the root's code may use.
        block_memory: The MB of memory that its values may use, in addition to the contexts and four times their size.
        block_output: How many characters of a block's output the root sees.
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
        child_tools: Tools | None = None,
        setup: str = "",
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
        self.child_tools, self.setup = child_tools, setup
        for name, value, least in (
            ("block_seconds", block_seconds, 1),
            ("block_memory", block_memory, 16),
            ("block_output", block_output, 200),
        ):
            if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value < float("inf"):
                raise UsageError(f"{name}={value!r}: give a number of {least:g} at least")
        self.block_seconds, self.block_memory, self.block_output = block_seconds, block_memory, block_output

    async def run_async(
        self,
        query: str,
        context: Context = "",
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
            context: A text, a list or mapping of texts or plain data, or the path (`pathlib.Path`) of a text file or of a folder of
                text files. At most 100 MB as UTF-8. Without a context, the query is all there is.
            tools: Python functions that the root's code may call, synchronous or asynchronous, as a list or by name, and plain values by name.
                Arguments and results are plain data of at most 2,097,152 characters. A function runs in this process and has 60 seconds.
            answer_type: A pydantic model, or another type that pydantic can validate. `Result.value` is an instance of it.
            samples: How many runs to make in parallel and compare. The result is the first run with the most frequent answer, with
                the cost of all runs. The runs share one budget. `Model.seed` increases by 1 from run to run.
            journal: A file that records calls, turns and tool results. The same run resumes from it and doesn't pay twice. Further
                samples have their own files (`run.2.jsonl`).
            on_progress: A function that receives `Started` before each call, each `Call` and `Turn` when it ends, and the `Result`. Its
                errors are logged.

        If a provider fails or a cap is reached during the run, the result contains what was found until then, and `outcome` says why.

        Raises `ProviderError` and `BudgetSpent` only before the first turn. The other errors can be raised at any time.
        """
        if samples != 1:
            return await self._sampled(samples, journal, on_progress, (query, context, tools), answer_type)
        async with self.session(context, tools, journal=journal, on_progress=on_progress) as session:
            return await session.run_async(query, answer_type=answer_type)

    run = synchronous(run_async)

    async def _sampled(
        self,
        samples: int,
        journal: Path | None,
        on_progress: OnEvent | None,
        arguments: tuple[Any, ...],
        answer_type: object,
    ) -> Result:
        """Run the question several times in parallel, and return the result with the most frequent answer."""
        _samples.check(samples)

        def hear(number: int, event: Event) -> None:
            if on_progress is not None and not isinstance(event, Result):  # the one of all is told at the end
                on_progress(_samples.labelled(event, number))

        async def one(number: int) -> Result:
            rlm = copies.copy(self)
            rlm.root, rlm.worker = _samples.seeded(self.root, number), _samples.seeded(self.worker, number)
            rlm.workers = {name: _samples.seeded(model, number) for name, model in self.workers.items()}
            rlm._share = samples  # noqa: SLF001 - a copy of this one
            place, listener = _samples.journal(journal, number), partial(hear, number) if on_progress else None
            return await rlm.run_async(*arguments, answer_type=answer_type, journal=place, on_progress=listener)

        ended = await asyncio.gather(*map(one, range(samples)), return_exceptions=True)
        result = _samples.agreement(ended, is_typed=answer_type is not None)
        if on_progress is not None:
            asyncio.get_running_loop().call_soon(on_progress, result)
            await asyncio.sleep(0)
        return result

    def session(
        self,
        context: Context = "",
        tools: Tools | None = None,
        *,
        journal: Path | None = None,
        on_progress: Callable[[Event], None] | None = None,
    ) -> "Session":
        """Start a session for several questions about one context. The parameters are those of `run`."""
        return Session(self, context, tools, journal, on_progress)


class Session:
    """Several questions to one root about one context. `RLM.session` starts it; `with` or `async with` closes it.

    The session keeps the variables of the root's code and the dialogue. Each question has its own turns and budget.
    """

    def __init__(
        self, rlm: RLM, context: Context, tools: Tools | None, journal: Path | None, on_progress: OnEvent | None
    ) -> None:
        with translate():
            from bot.wiring.question import ChosenModels, open_inquiry
            from deeprepo.rlm.values import Limits
            from deeprepo.texts import callables, material
            from deeprepo.texts.dialogue import TextQuestion
            from deeprepo.texts.session import TextSession

            if rlm.turns < 1 or rlm.depth < 0:
                raise UsageError(
                    f"turns={rlm.turns} and depth={rlm.depth}: a root has 1 turn at least, and a depth of 0 at least"
                )
            about = TextQuestion(
                "",
                material.of(context),
                callables.read(tools),
                callables.read(tools if rlm.child_tools is None else rlm.child_tools),
                rlm.setup,
                rlm.answer_form,
                rlm.depth,
            )
            if rlm.system_prompt is not None:
                about = replace(about, instructions=partial(_instructions, rlm.system_prompt))
            limits = Limits(
                **asdict(rlm.budget),
                turns=rlm.turns,
                turn_seconds=rlm.block_seconds,
                memory=int(rlm.block_memory),
                output_chars=int(rlm.block_output),
            )
            names, access = names_and_access(rlm.root, rlm.worker, *rlm.workers.values())
            workers = {name: model or "" for name, model in zip(rlm.workers, names[2:], strict=True)}
            chosen = ChosenModels(names[0], names[1], workers, access, rlm._share)  # noqa: SLF001 - of the same module
            place = _Place(journal) if journal is not None else None
            watch = self._hear if on_progress is not None else None
            self._inner = TextSession(about, partial(open_inquiry, chosen, limits, place, watch))
        self._on_progress = on_progress
        self._turn = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._runner: asyncio.Runner | None = None

    def run(self, query: str, context: Context | None = None, *, answer_type: Any = None) -> Result:  # noqa: ANN401
        """Answer the next question. Result and errors are those of `RLM.run`.

        Args:
            query: The question or the task.
            context: One more context, from the second question on. The root's code finds it as `context_1`, `context_2` and so
                on; `read`, `search` and `ask` see the first context only.
            answer_type: As in `RLM.run`.
        """
        with translate():
            self._inner.require_open()
        with self._turn:  # questions of several threads wait for each other
            runner = self._runner = self._runner or asyncio.Runner()
            return call_outside_loop(lambda: runner.run(self.run_async(query, context, answer_type=answer_type)))

    async def run_async(
        self,
        query: str,
        context: Context | None = None,
        *,
        answer_type: Any = None,  # noqa: ANN401
    ) -> Result:
        """Answer the next question in the caller's event loop. Use the same loop for all questions of a session."""
        loop = asyncio.get_running_loop()
        self._loop = self._loop or loop
        with translate():
            from deeprepo.texts import material, typed

            if not query.strip():
                raise UsageError("the query is empty: ask something")
            if self._loop is not loop:
                raise UsageError("a session stays in one event loop: call `run` for all questions, or `run_async`")
            further = material.of(context) if context is not None else None
            result = _result(await self._inner.ask(query, typed.of(answer_type), further))
        self._tell(result)
        await asyncio.sleep(0)  # what is told last is heard before the result is handed back
        return result

    def close(self) -> None:
        """End the session. This removes the REPL and all its variables."""
        runner, self._runner = self._runner, None
        if runner is not None:
            call_outside_loop(lambda: runner.run(self.close_async()))
            call_outside_loop(runner.close)

    async def close_async(self) -> None:
        """End the session, in the event loop of `run_async`."""
        await self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    def _hear(self, row: Mapping[str, Any]) -> None:
        if row["kind"] == "turn":
            names = ("run", "number", "said", "code", "output", "error")
            self._tell(Turn(*(row[name] for name in names)))
        elif row["kind"] in {"call", "request"}:
            run, _, number = row["at"].rpartition(":")
            started = Started(run, int(number), row["role"], row["model"])
            if row["kind"] == "request":
                self._tell(started)
                return
            sent, written = (*row.get("usage", ()), 0, 0)[:2]
            facts = {"usd": row["usd"], "seconds": row["seconds"], "error": row.get("error")}
            total = cost(self._inner.cost)
            self._tell(copy(Call, started, input_tokens=sent, output_tokens=written, total=total, **facts))

    def _tell(self, event: Event) -> None:
        """Hand an event to the caller's function, in its turn: what that raises harms no call that is paid for."""
        if self._on_progress is not None:
            asyncio.get_running_loop().call_soon(self._on_progress, event)


def _instructions(given: str | Callable[[str], str], ours: str) -> str:
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
    return copy(
        Result,
        text_answer,
        outcome=text_answer.outcome or "astray",
        trajectory=tuple(turns),
        cost=cost(text_answer.cost),
        notes=(*filter(None, (text_answer.why,)), *text_answer.notes),
        by_model={name: replace(cost(one), models=(name,)) for name, one in text_answer.by_model.items()},
        agreed=1,
        samples=(),
    )
