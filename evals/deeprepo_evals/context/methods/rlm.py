"""Workers read every piece first; then the root goes on in the REPL with the lines that they quoted."""

from bot.agent.texts import roots
from deeprepo_evals.context.methods import fanout
from deeprepo_evals.context.methods.said import Said, ended
from deeprepo_evals.context.room import Room


async def run(room: Room) -> Said:
    """Fan out, then the root's turns."""
    return ended(await roots.ask(room.inquiry, sight=await fanout.read(room)))
