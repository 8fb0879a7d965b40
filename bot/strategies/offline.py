"""No model: the built-in orchestration program runs in the REPL, and the analysers are its workers."""

from dataclasses import replace

from bot.errors import ReplUnavailable
from bot.rlm import loop
from bot.rlm.work import Work
from bot.strategies import fanout
from bot.values import Transcript


async def run(work: Work) -> Transcript:
    """The same program and the same REPL that a root model gets; where the REPL does not start, the same plan without it."""
    try:
        # The program counts what it found before the owner's list and the quota have judged it; the verdict counts what is said.
        transcript = replace(await loop.run_program(work), summary="")
    except ReplUnavailable as error:
        work.notes.append(f"the REPL did not start ({error}): the same plan ran without it")
        return await fanout.run(work)
    # Where it broke off, or had nothing to ask about: a file that only moved has no unit.
    if transcript.partial or not work.units:
        await fanout.check_by_code(work)
    return transcript
