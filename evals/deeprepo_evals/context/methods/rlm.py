"""Workers read every piece first; then the root goes on in the REPL with the lines that they quoted."""

from bot.agent.texts import roots
from deeprepo_evals import words
from deeprepo_evals.context.methods import fanout
from deeprepo_evals.context.methods.method_answer import MethodAnswer, end_of_run
from deeprepo_evals.context.room import Room


async def run(room: Room) -> MethodAnswer:
    """Fan out, then the root's turns."""
    sight, turns = await fanout.read(room), room.session.calls.budget.limits.turns
    seen = words.text("context/sight.md.j2", sight=sight, facts=fanout.facts(sight))
    async with roots.open_dialogue(room.inquiry) as dialogue:
        return end_of_run(await dialogue.ask(roots.first_message(room.inquiry.question, turns) + seen, turns))
