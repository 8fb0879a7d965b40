"""The state of a root's run, and the functions for its code: asking models, starting child roots, answering."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.repl.frames import Value
from deeprepo.rlm.values import Completion, Message, Model, Prompt, Role

MAX_ANSWER = 60_000  # characters
WORKER_ERROR = "[worker error: {}]"  # replaces a missing answer
MAX_NOTES, NOTE_CHARS = 8, 400  # per block
MAX_DEPTH = 2  # a grandchild of the first root starts no further root
CHILD_TURNS = 6
MOST_CHILDREN = 4  # of the first root at the same time; each of them may have one of its own
Gain = tuple[int, dict[str, object]]
Child = Callable[[str, Sequence[str], int], Coroutine[Any, Any, str]]
Paths = str | Sequence[str]
Question = str | Sequence[Mapping[str, str]]  # a prompt: a text, or messages


@dataclass(slots=True, kw_only=True)
class Work(ABC):
    """State of one root run and hooks for its task. A child run has its own."""

    child: Child | None = None  # starts a child root for a task, if possible
    depth: int = 0
    deepest: int = MAX_DEPTH  # a run at this depth starts no child
    places: asyncio.Semaphore = field(default_factory=partial(asyncio.Semaphore, 1))  # for children at the same time
    final: str | None = None  # set_answer(text) or FINAL(value)
    say: Callable[[str], None] = lambda _: None  # reports progress to the user
    accept: Callable[[Any], str] = str  # converts the answer to text; raises ValueError for an invalid one
    take: Callable[[Mapping[str, Any]], None] = lambda _: None  # what `answer` holds beside its content
    batch: list[str] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)  # what the last block's submissions were refused for
    notes: dict[str, None] = field(default_factory=dict)  # notes for the root about this block's look-ups
    paid_calls: int = 0  # answered calls to models that its blocks have made
    errors: dict[str, None] = field(default_factory=dict)  # reasons why workers did not answer

    @property
    def gain(self) -> Gain:
        """A value that changes if a block has made progress."""
        return self.paid_calls, self.facts()

    @property
    @abstractmethod
    def calls(self) -> Calls:
        """The client for all model calls."""

    @abstractmethod
    def model(self, name: str) -> Model | None:
        """Return the worker with this name, or the first one for "". Return None if the run has no workers.

        Raises ValueError for an unknown name.
        """

    def note(self, sentence: str) -> None:
        """Add a note for the root.

        It is separate from the value that the root's code gets, so that an empty list stays empty.
        """
        if len(self.notes) < MAX_NOTES:
            self.notes.setdefault(sentence[:NOTE_CHARS])

    def facts(self) -> dict[str, object]:
        """Return further facts for the message after each turn. A changed fact counts as progress."""
        return {}


async def masked(function: Callable[..., Awaitable[Any]], work: Work, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - whatever it takes
    """Call a function for the root's code, and hide secrets in its result, because the code could send them on.

    Placeholders in the arguments stay: what a function computes from a secret would tell parts of it.
    """
    masks = work.calls.masks
    try:
        reply = await function(work, *arguments, **keywords)
    except (TypeError, ValueError) as error:
        raise type(error)(*masks.hide(error.args)) from None
    return masks.hide(reply)


async def llm_query(
    work: Work, prompt: Question, worker: str = "", *, model: str | None = None, reuse: bool = False
) -> str:
    """Send one free-form prompt, or a list of messages, to the worker model and return its answer."""
    return (await llm_batch(work, [prompt], worker, model=model, reuse=reuse))[0]


async def llm_batch(
    work: Work, prompts: Sequence[Question], worker: str = "", *, model: str | None = None, reuse: bool = False
) -> list[str]:
    """Send free-form prompts to the worker model in parallel, and return the answers in the order of the prompts.

    A failed prompt's answer is the error. Equal prompts are sent separately, unless `reuse` is set. `model` is an
    alias of `worker`.
    """
    if isinstance(prompts, str):
        raise TypeError("llm_batch takes a list of prompts; llm_query takes one")
    requests, chosen = [Prompt(_messages(prompt)) for prompt in prompts], work.model(worker or model or "")
    if chosen is None:
        return [WORKER_ERROR.format("no model is configured: a prompt needs one")] * len(requests)
    answers, errors = list[str](), list[str]()
    work.batch = answers  # of those at the same time, the last one
    for reply in await work.calls.many(chosen, requests, "worker", reuse=reuse):
        if isinstance(reply, Completion) and not reply.lack:
            answers.append(reply.text)
        else:
            errors.append(f"{chosen.name} {reply.lack}" if isinstance(reply, Completion) else str(reply))
            answers.append(WORKER_ERROR.format(errors[-1]))
    if len(errors) == len(requests):
        work.errors |= dict.fromkeys(errors[:1])
    return answers


def _messages(prompt: Question) -> tuple[Message, ...]:
    """Return the messages of a prompt: a text, or rows as in OpenAI's API."""
    if isinstance(prompt, list) and prompt and all(isinstance(row, Mapping) and "content" in row for row in prompt):
        roles: Mapping[object, Role] = {"system": "system", "assistant": "assistant"}
        return tuple(Message(roles.get(row.get("role"), "user"), str(row["content"])) for row in prompt)
    return (Message("user", str(prompt)),)


async def last_batch(work: Work) -> list[str]:
    """Return the answers of the last batch, which are kept even if the block then failed."""
    return work.batch


async def rlm_query(work: Work, task: str, paths: Paths = (), *, model: str | None = None) -> str:
    """Start a child root for a task, with the same tools and budget, and return its answer as text.

    If no child may start, a task without paths is sent to the worker.
    """
    if work.child is None or work.depth >= work.deepest:
        if not paths:
            return await llm_query(work, task, model=model)
        return "[no further root can start here: ask(paths, question) asks the worker about files]"
    child = work.child(task, [paths] if isinstance(paths, str) else list(paths), work.depth + 1)
    try:
        async with work.places:
            return await child
    finally:
        child.close()  # if it has not begun


async def rlm_query_batched(
    work: Work, tasks: Sequence[str], paths: Paths = (), *, model: str | None = None
) -> list[str]:
    """Start a child root for each task, as many at once as may run, and return their answers in order."""
    if isinstance(tasks, str):
        raise TypeError("rlm_query_batched takes a list of tasks; rlm_query takes one")
    runs = [asyncio.create_task(rlm_query(work, str(task), paths, model=model)) for task in tasks]
    try:
        return list(await asyncio.gather(*runs))
    finally:
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)


async def submit(work: Work, *values: Value, **fields: Value) -> str:
    """Set the root's answer in the style of dspy.RLM: one value, or several by name."""
    if len(values) + len(fields) != 1 and values:
        raise TypeError("SUBMIT takes one value, or values by name")
    named = next(iter(fields.values())) if len(fields) == 1 else fields
    return await set_answer(work, values[0] if values else named)


async def set_answer(work: Work, text: Value) -> str:
    """Set the root's answer; the run ends after this block."""
    work.final = work.accept(text)[:MAX_ANSWER]
    return "the answer is set; the run ends after this block"


async def budget(work: Work) -> dict[str, Any]:
    """Return the remaining budget, without seconds, which would make every resumed run differ."""
    run = work.calls.run
    return asdict(run.left() if run is not None else work.calls.budget.left())


# The functions that every root's code can call, whatever its task.
SHARED: Mapping[str, Callable[..., Coroutine[Any, Any, Any]]] = {
    "llm_query": llm_query,
    "llm_batch": llm_batch,
    "llm_query_batched": llm_batch,
    "last_batch": last_batch,
    "rlm_query": rlm_query,
    "rlm_query_batched": rlm_query_batched,
    "SUBMIT": submit,
}
