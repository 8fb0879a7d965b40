"""The form of the paper: the root sees how long the text is and both its ends, and decides what workers read."""

from bot.agent.texts import roots
from deeprepo_evals.context.methods.method_answer import MethodAnswer, end_of_run
from deeprepo_evals.context.room import Room


async def run(room: Room) -> MethodAnswer:
    """The root's turns."""
    async with roots.open_dialogue(room.inquiry) as dialogue:
        return end_of_run(await roots.put(dialogue, room.inquiry.question))
