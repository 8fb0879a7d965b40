"""Workers read every piece; code finds their quotes in the text; one call answers from the quotes. No model-written code."""

import asyncio

from bot.context import file_questions
from bot.context.file_questions import Sight
from deeprepo_evals.context.methods.method_answer import MethodAnswer, answer_from, nothing
from deeprepo_evals.context.room import Room


async def run(room: Room) -> MethodAnswer:
    """Map, check, reduce. Where every piece was read and none holds anything, nobody is asked to say so."""
    sight = await read(room)
    quoted = facts(sight)
    if not quoted:
        return nothing() if sight.is_found is False else MethodAnswer("", note=sight.error)
    listed = "\n".join(f"{path}:{line}: {quote}" for path, line, quote in quoted)
    said = await answer_from(room, {f"{len(quoted)} lines that readers of the whole text have quoted": listed})
    return MethodAnswer(said.answer, note=said.note or sight.error)


async def read(room: Room) -> Sight:
    """Every file from its first line to its last."""
    plans = [file_questions.plan({path: text}) for path, text in room.files.items()]
    parts = [one for prompts, _ in plans for one in prompts]
    return file_questions.together(
        await asyncio.gather(*(room.reader.look(one, room.problem.question) for one in parts))
    )


def facts(sight: Sight) -> list[tuple[str, int, str]]:
    """The quoted lines with their places, each place once, in the order of the text."""
    return sorted({(item.path, item.line, item.quote.strip()) for item in sight.quotes})
