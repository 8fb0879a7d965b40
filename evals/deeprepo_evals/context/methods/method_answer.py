"""What a method says, and the one prompt that several of them end with."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.agent.turns import Turns
from bot.errors import BudgetSpent, ProviderDown
from bot.values import Message, Prompt
from deeprepo_evals import words
from deeprepo_evals.context.room import Room
from deeprepo_evals.context.score import NOT_FOUND

MAX_TOKENS = 4_096  # of an answer; models that think first need room


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    """An answer, the turns that a root took for it, and what went wrong on the way."""

    answer: str
    turns: int = 0
    note: str = ""


async def answer_from(room: Room, passages: Mapping[str, str], *, cut: int = 0) -> MethodAnswer:
    """The root's answer from these passages, and from nothing else."""
    text = words.text("context/answer.md.j2", passages=passages, cut=cut, question=room.problem.question)
    prompt = Prompt((Message("user", text),), max_tokens=MAX_TOKENS)
    reply = await room.session.calls.complete(room.root, prompt, "root")
    return MethodAnswer(reply.text.strip(), note="the model declined" if reply.stop == "refusal" else "")


def end_of_run(root_run: Turns) -> MethodAnswer:
    """What a root's run came to. Raises what the model's provider or a cap has done to them."""
    if root_run.outcome == "provider":
        raise ProviderDown(root_run.why)
    if root_run.outcome == "budget":
        raise BudgetSpent(root_run.why)
    note = "" if root_run.outcome == "answered" else f"the root's run ended by {root_run.outcome}"
    return MethodAnswer(root_run.summary, len(root_run.turns), note)


def nothing() -> MethodAnswer:
    """All of the text was read, and it holds nothing."""
    return MethodAnswer(NOT_FOUND)
