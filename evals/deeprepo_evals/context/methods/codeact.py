"""A root with the text in its REPL and nobody to ask: code alone, no calls of its own (the paper's depth 0)."""

from bot.agent.texts import roots
from deeprepo_evals.context.methods.method_answer import MethodAnswer, end_of_run
from deeprepo_evals.context.room import Room


async def run(room: Room) -> MethodAnswer:
    """The root's turns."""
    async with roots.open_dialogue(room.inquiry, names=roots.LOOKING) as dialogue:
        return end_of_run(await roots.put(dialogue, room.inquiry.question))
