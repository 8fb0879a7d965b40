"""Workers read every piece first; then the root goes on in the REPL with the lines that they quoted."""

from bot.evals.context import roots
from bot.evals.context.methods import fanout
from bot.evals.context.methods.said import Said, ended
from bot.evals.context.room import Room


async def run(room: Room) -> Said:
    """Fan out, then the root's turns."""
    return ended(await roots.ask(room, sight=await fanout.read(room)))
