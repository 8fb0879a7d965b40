"""The form of the paper: the root sees how long the text is and both its ends, and decides what workers read."""

from bot.agent.texts import roots
from deeprepo_evals.context.methods.said import Said, ended
from deeprepo_evals.context.room import Room


async def run(room: Room) -> Said:
    """The root's turns."""
    return ended(await roots.ask(room.inquiry))
