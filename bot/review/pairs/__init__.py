"""What a change alters in meaning, each beside the code that relies on it: read by the root's model, apart from every diff.

A worker that reads a large change in parts has the deciding use before it and does not conclude. So each altered definition
is shown once more, alone with its uses, and one question is asked of it: which of these uses does not hold any more?
`altered` finds the pairs, `packing` makes prompts of them, `asking` has them read beside the workers.
"""

from bot.review.pairs.asking import beside
from bot.review.pairs.packing import MOST_CALLS

__all__ = ["MOST_CALLS", "beside"]
