"""Workers read every piece first; then the root goes on in the REPL with the lines that they quoted."""

from bot.agent.texts import roots
from deeprepo_evals.context.methods import fanout
from deeprepo_evals.context.methods.method_answer import MethodAnswer, end_of_run
from deeprepo_evals.context.room import Room


async def run(room: Room) -> MethodAnswer:
    """Fan out, then the root's turns."""
    return end_of_run(await roots.ask(room.inquiry, sight=await fanout.read(room)))
