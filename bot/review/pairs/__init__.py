"""Have the root's model compare each definition whose meaning changed with the code that depends on it.

A worker that reads part of a large change often sees the decisive use but draws no conclusion. So each
altered definition is shown once more with its uses only, and the model is asked which uses break.
`altered_definitions` finds these pairs, `packing` groups them into prompts, and `asking` sends them in
parallel to the workers.
"""

from bot.review.pairs.asking import beside
from bot.review.pairs.packing import MOST_CALLS

__all__ = ["MOST_CALLS", "beside"]
