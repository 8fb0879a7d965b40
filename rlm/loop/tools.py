"""The functions that every root's code finds: sub-calls of models, further roots, the answer, the budget."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rlm.loop.work import Work
from rlm.repl.frames import Value
from rlm.values import Completion, Message, Prompt

MAX_ANSWER = 60_000  # characters
WORKER_ERROR = "[worker error: {}]"  # in the place of an answer
Paths = str | Sequence[str]


async def llm_query(work: Work, prompt: str, worker: str = "") -> str:
    """One free prompt to the worker model."""
    return (await llm_batch(work, [prompt], worker))[0]


async def llm_batch(work: Work, prompts: Sequence[str], worker: str = "") -> list[str]:
    """Free prompts to the worker model, in parallel, answered in order. A slot that failed reports it."""
    if isinstance(prompts, str):
        raise TypeError("llm_batch takes a list of prompts; llm_query takes one")
    texts, model = [str(prompt) for prompt in prompts], work.model(worker)
    if model is None:
        return [WORKER_ERROR.format("no model is configured: a prompt needs one")] * len(texts)
    work.question_count += len(texts)
    replies = await work.calls.many(model, [Prompt((Message("user", text),)) for text in texts], "worker")
    work.batch = []
    for text, reply in zip(texts, replies, strict=True):
        if not isinstance(reply, Completion):
            work.batch.append(WORKER_ERROR.format(reply))
        elif reply.stop == "refusal" or not reply.text.strip():
            work.batch.append(WORKER_ERROR.format(f"{model.name} declined to answer"))
        else:
            work.has_read(text, f"worker {model.name}")
            work.batch.append(reply.text)
    return work.batch


async def last_batch(work: Work) -> list[str]:
    """The answers of the last batch: paid for, and so kept even if the block failed after it."""
    return work.batch


async def rlm_query(work: Work, task: str, paths: Paths = ()) -> str:
    """A root of its own for a task: same tools, same budget, its answer as text."""
    if work.child is None:
        return "[no root model is configured: ask(paths, question) asks the worker]"
    if work.depth >= work.deepest:
        return f"[a run at depth {work.deepest} starts no further one: ask(paths, question) asks the worker]"
    work.question_count += 1
    return await work.child(task, [paths] if isinstance(paths, str) else list(paths), work.depth + 1)


async def set_answer(work: Work, text: Value) -> str:
    """The root's answer; the run ends after this block."""
    work.final = work.accept(text)[:MAX_ANSWER]
    return "the answer is set; the run ends after this block"


async def budget(work: Work) -> dict[str, Any]:
    """What is left. No seconds: they would make every replay another run."""
    return asdict(work.calls.budget.left())
