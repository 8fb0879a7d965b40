"""One call with the whole change and its call sites: for small changes, and as the baseline."""

from bot import render, seed
from bot.errors import DeepRepoError
from bot.findings import read
from bot.rlm.work import Work, admit
from bot.strategies import fanout
from bot.values import Completion, Message, Prompt, Transcript

QUESTION = "Review this pull request: what is wrong with it, and whom does it break?"
MAX_TOKENS = 8_192


async def run(work: Work) -> Transcript:
    """One structured answer of the root, or of the worker where there is no root."""
    model = work.root or work.reader
    if model is None:
        return Transcript(partial=True, notes=("no model is configured",), fault="provider")
    await fanout.check_by_code(work)
    start = seed.gather(work.pull, work.files, work.units, work.dependents, work.findings, QUESTION)
    system = Message("system", render.text("prompts/worker_system.md.j2"))
    work.say(f"asking {model.name}")
    reply = (
        await work.calls.many(
            model, [Prompt((system, Message("user", start.text)), read.ANSWER, None, MAX_TOKENS)], "root"
        )
    )[0]
    try:
        if not isinstance(reply, Completion):
            raise reply
        text, findings = read.answer(reply.data, f"root {model.name}")
    except DeepRepoError as error:
        return Transcript(tuple(work.findings), partial=True, notes=(str(error),), fault="provider")
    work.ledger.saw(start.text, f"root {model.name}")
    for finding in findings:
        await admit(work, finding)
    return Transcript(tuple(work.findings), text, partial=bool(work.ledger.unread()))
