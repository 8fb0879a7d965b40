"""One call with the text, cut where the window ends: what a plain use of a model comes to."""

from deeprepo_evals.context.methods.method_answer import MethodAnswer, answer_from
from deeprepo_evals.context.room import Room


async def run(room: Room) -> MethodAnswer:
    """The beginning of the text, as much as fits."""
    text = room.problem.text
    return await answer_from(room, {"text": text[: room.window]}, cut=max(0, len(text) - room.window))
