"""What is asked of a worker, one file per question: `QUESTION`, the template with its words, and `wants`, the reason to ask it.

A change gets the questions that its own lines call for, so a small one gets one or two. All questions of a prompt are in
that prompt: a lens costs a sentence, never a call. The order is the order of the questions.
"""

from collections.abc import Mapping

from bot.ports import Lens
from bot.review.lenses import api, concurrency, contracts, correctness, data, errors, security, tests

LENSES: Mapping[str, Lens] = {
    "correctness": correctness,
    "contracts": contracts,
    "security": security,
    "data": data,
    "concurrency": concurrency,
    "errors": errors,
    "api": api,
    "tests": tests,
}
