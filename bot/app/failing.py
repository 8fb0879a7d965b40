"""What came to nothing is remembered, with its sentence, until it is tried again or succeeds after all."""

import time

from bot.jobs import codec
from bot.render import line, visible
from bot.storage import Failure, Store
from bot.values import Ask, CommandAsk, RemarkAsk, ReviewAsk


async def remember_failure(store: Store, ask: Ask, why: str) -> None:
    """Remember a failure: of a pull request the last review's, of a comment its command's or its remark's. What nobody waits for (a cancellation) is in the log alone, and a merge queue that stops in its check run."""
    if isinstance(ask, ReviewAsk):
        name, what = ask.pull.key, "review"
    elif isinstance(ask, CommandAsk | RemarkAsk):
        word = ask.word if isinstance(ask, CommandAsk) else "remark"
        name, what = f"{ask.pull.key}~{ask.comment.kind}{ask.comment.id}", line(visible(word))
    else:
        return
    await store.failures.record(Failure(name, ask.pull, what, line(visible(why)), codec.write(ask), time.time()))
