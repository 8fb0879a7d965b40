"""The text in pieces of one window each, notes about each piece, and one call that puts the notes together."""

from bot.errors import DeepRepoError
from bot.values import Message, Prompt
from deeprepo_evals import words
from deeprepo_evals.context.methods.method_answer import MAX_TOKENS, MethodAnswer, answer_from, nothing
from deeprepo_evals.context.room import Room
from deeprepo_evals.context.score import is_not_found


async def run(room: Room) -> MethodAnswer:
    """Map and reduce in prose: no overlap, no quotes, nothing is checked."""
    text, size = room.problem.text, room.window
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    prompts = [
        words.text("context/part.md.j2", number=at, parts=len(pieces), text=piece, question=room.problem.question)
        for at, piece in enumerate(pieces, 1)
    ]
    replies = await room.reader.many([Prompt((Message("user", one),), max_tokens=MAX_TOKENS) for one in prompts])
    notes = {
        f"notes about part {at} of {len(pieces)}": reply.text
        for at, reply in enumerate(replies, 1)
        if not isinstance(reply, DeepRepoError) and not is_not_found(reply.text)
    }
    return await answer_from(room, notes) if notes else nothing()
