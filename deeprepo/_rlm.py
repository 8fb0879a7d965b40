"""`deeprepo.RLM`."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path as _Place
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from deeprepo._calls import Path, call_apart
from deeprepo._errors import UsageError, translate
from deeprepo._values import Budget, Call, Event, Model, Result, Turn, access, caps, cost, model_name

if TYPE_CHECKING:
    from rlm.texts.session import TextAnswer

T = TypeVar("T")
Context = str | os.PathLike[str] | Sequence[Any] | Mapping[str, Any]
Tools = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]


class RLM:
    """A Recursive Language Model: a root model that answers a question by writing Python in a sandboxed REPL.

    Its code searches and computes over the whole context, and asks workers: `ask(paths, question)` and `ask_batch([...])` have files read
    whole, `llm_query(prompt)` and `llm_batch([...])` are free prompts; from depth 2 on `rlm_query(task, paths)` starts a root over a part.

    Args:
        root: The model that orchestrates, "provider/model" or a `Model`. None: DEEPREPO_ROOT, or the preferred model of a provider
            whose key is set.
        worker: The cheaper model that reads; without it the root does both.
        budget: Dollars, or a `Budget`, for each run; None means no cap.
        workers: Several models that read, by the names that the root's code chooses them by; the first one where it names none.
        turns: How many turns a root has.
        depth: As the paper counts. 0: the root has nobody to ask; 1: workers; 2: also roots of its own, which have workers; and so on.
        answer_form: What an answer must look like, such as "one number, without its unit".
    """

    def __init__(
        self,
        root: str | Model | None = None,
        worker: str | Model | None = None,
        budget: float | Budget | None = 1.0,
        *,
        workers: Mapping[str, str | Model] | None = None,
        turns: int = 12,
        depth: int = 1,
        answer_form: str = "",
    ) -> None:
        if worker is not None and workers:
            raise UsageError("name one worker with worker=, or several with workers=")
        self.root, self.worker, self.workers = root, worker, dict(workers or {})
        self.budget = caps(budget)
        self.turns, self.depth, self.answer_form = turns, depth, answer_form

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
        journal: Path | None = None,
        on_progress: Callable[[Event], None] | None = None,
    ) -> Result:
        """Answer a question about a context.

        Args:
            query: The question or the task.
            context: A text, a list, a mapping, or the path (`pathlib.Path`) of a file or of a folder of text files. Lists and
                mappings hold texts or plain data; the root's code has them as they are. At most 20,000,000 characters.
            tools: Python functions that the root's code may call, as a list or by name; they may be asynchronous. The root reads their
                signatures and docstrings. Arguments and results are plain data, as JSON has it, of at most 2,097,152 characters; an
                exception becomes an error in the root's code, with its text. A function runs in this process, in a thread of its own,
                and is waited for 60 seconds.
            answer_type: A pydantic model, or another type that pydantic validates: `Result.value` is an instance of it.
            journal: A file that records calls, turns and results of tools. The same run resumes from it: nothing is paid and no tool is
                called twice.
            on_progress: Is given a `Call` and a `Turn` as each ends, and the `Result`. As a text each is a short line. What it raises is
                logged.

        A provider's failure or a cap on the way ends the run with an `outcome`, and the result holds what there was by then.

        Raises:
            UsageError: No model, a key is missing, or the context, a tool, the type or the journal is wrong.
            ProviderError: The provider refused or failed before the first turn.
            BudgetSpent: The budget does not allow the first turn.
            ExecutionError: The sandbox did not start.
        """
        with self.session(context, tools, journal=journal, on_progress=on_progress) as session:
            return session.run(query, answer_type=answer_type)

    async def run_async(
        self,
        query: str,
        context: Context,
        tools: Tools | None = None,
        *,
        answer_type: Any = None,  # noqa: ANN401
        journal: Path | None = None,
        on_progress: Callable[[Event], None] | None = None,
    ) -> Result:
        """Answer a question about a context, in the caller's event loop: `run` with the same parameters, result and errors."""
        async with self.session(context, tools, journal=journal, on_progress=on_progress) as session:
            return await session.run_async(query, answer_type=answer_type)

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
            from bot.wiring.question import Asked, open_inquiry
            from rlm.texts import callables, material
            from rlm.texts.question import TextQuestion
            from rlm.texts.session import TextSession
            from rlm.values import Limits

            if rlm.turns < 1 or rlm.depth < 0:
                raise UsageError(
                    f"turns={rlm.turns} and depth={rlm.depth}: a root has 1 turn at least, and a depth of 0 at least"
                )
            about = TextQuestion("", material.of(context), callables.read(tools), rlm.answer_form, rlm.depth)
            caps = rlm.budget
            limits = Limits(usd=caps.usd, tokens=caps.tokens, calls=caps.calls, seconds=caps.seconds, turns=rlm.turns)
            asked = Asked(
                model_name(rlm.root),
                model_name(rlm.worker),
                {name: model_name(model) or "" for name, model in rlm.workers.items()},
                access(rlm.root, rlm.worker, *rlm.workers.values()),
            )
            place = _Place(journal) if journal is not None else None
            watch = self._hear if on_progress is not None else None
            self._inner = TextSession(about, partial(open_inquiry, asked, limits, place, watch))
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
            from rlm.texts import typed

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
