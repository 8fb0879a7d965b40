"""`deeprepo.RLM`."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path as _Place
from typing import TYPE_CHECKING, Any

from deeprepo._calls import Path, Progress, run_to_end
from deeprepo._errors import translate
from deeprepo._values import Budget, Model, Result, Turn, access, caps, cost, model_name

if TYPE_CHECKING:
    from bot.wiring.question import TextAnswer

Context = str | os.PathLike[str] | Sequence[Any] | Mapping[str, Any]
Tools = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]


class RLM:
    """A Recursive Language Model: a root model that answers a question by writing Python in a sandboxed REPL.

    The REPL holds the whole context, however long it is; the root sees its length and both its ends. Its code searches and computes, and
    asks workers: `ask(paths, question)` and `ask_batch([...])` have files read from their first line to their last, `llm_query(prompt)` and
    `llm_batch([...])` are free prompts, `rlm_query(task, paths)` starts a root of its own over a part. The sandbox has no files, no
    network, no environment and no clock.

    Args:
        root: The model that orchestrates, "provider/model" or a `Model`. None: DEEPREPO_ROOT, or the preferred model of a provider
            whose key is set.
        worker: The cheaper model that reads; without it the root does both.
        budget: Dollars, or a `Budget`, for each run; None means no cap.
        turns: How many turns a root has.
        depth: How far below the root `rlm_query` may start others; 0 forbids it.
        answer_form: What an answer must look like, such as "one number, without its unit".
    """

    def __init__(
        self,
        root: str | Model | None = None,
        worker: str | Model | None = None,
        budget: float | Budget | None = 1.0,
        *,
        turns: int = 12,
        depth: int = 2,
        answer_form: str = "",
    ) -> None:
        self.root, self.worker = root, worker
        self.budget = caps(budget)
        self.turns, self.depth, self.answer_form = turns, depth, answer_form

    def __repr__(self) -> str:
        return f"RLM(root={self.root!r}, worker={self.worker!r}, budget={self.budget!r}, turns={self.turns}, depth={self.depth})"

    def run(
        self,
        query: str,
        context: Context,
        tools: Tools | None = None,
        *,
        journal: Path | None = None,
        on_progress: Progress | None = None,
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
            journal: A file that records calls, turns and results of tools. The same run resumes from it: nothing is paid and no tool is
                called twice.
            on_progress: Is given short lines while the run works.

        A provider's failure or a cap on the way ends the run with an `outcome`, and the result holds what there was by then.

        Raises:
            UsageError: No model, a key is missing, or the context, a tool or the journal is wrong.
            ProviderError: The provider refused or failed before the first turn.
            BudgetSpent: The budget does not allow the first turn.
            ExecutionError: The sandbox did not start.
        """
        return run_to_end(lambda: self.run_async(query, context, tools, journal=journal, on_progress=on_progress))

    async def run_async(
        self,
        query: str,
        context: Context,
        tools: Tools | None = None,
        *,
        journal: Path | None = None,
        on_progress: Progress | None = None,
    ) -> Result:
        """Answer a question about a context, in the caller's event loop: `run` with the same parameters, result and errors."""
        with translate():
            from bot.agent.texts import custom, material
            from bot.agent.texts.inquiry import TextQuestion
            from bot.errors import UsageError
            from bot.values import Limits
            from bot.wiring import question

            if not query.strip():
                raise UsageError("the query is empty: ask something")
            if self.turns < 1 or self.depth < 0:
                raise UsageError(
                    f"turns={self.turns} and depth={self.depth}: a root has 1 turn at least, and a depth of 0 at least"
                )
            text_question = TextQuestion(query, material.of(context), custom.read(tools), self.answer_form, self.depth)
            caps = self.budget
            limits = Limits(usd=caps.usd, tokens=caps.tokens, calls=caps.calls, seconds=caps.seconds, turns=self.turns)
            text_answer = await question.ask(
                text_question,
                model_name(self.root),
                model_name(self.worker),
                limits,
                access=access(self.root, self.worker),
                path=_Place(journal) if journal is not None else None,
                say=on_progress or (lambda _: None),
            )
        return _result(text_answer)


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
    )
