"""Group pairs into prompts."""

from collections.abc import Sequence

from bot.diff.units import ShownLines
from bot.review.pairs.altered_definitions import Pair

PROMPT_TOKENS = 8_000  # tokens of one call, including the instructions
INSTRUCTION_TOKENS = 1_100  # tokens of the instructions
MOST_CALLS = 2  # in large pairs, the first two prompts contain all the proofs (docs/evaluation.md)


def pack(pairs: Sequence[Pair], calls: int = MOST_CALLS) -> tuple[list[list[Pair]], list[Pair]]:
    """Return the pairs per call, and those that don't fit.

    The most informative are in the first call, and those of one file are next to each other.
    """
    groups: list[list[Pair]] = []
    left: list[Pair] = []
    room: list[int] = []
    shown_lines: list[ShownLines] = []  # lines already shown by each group's uses
    for pair in pairs:
        at = next(
            (index for index, free in enumerate(room) if pair.beside(shown_lines[index]).size <= free), len(groups)
        )
        if at == len(groups):
            if len(groups) == calls or pair.size > PROMPT_TOKENS - INSTRUCTION_TOKENS:
                left.append(pair)
                continue
            groups.append([])
            room.append(PROMPT_TOKENS - INSTRUCTION_TOKENS)
            shown_lines.append(ShownLines())
        added = pair.beside(shown_lines[at])
        groups[at].append(added)
        room[at] -= added.size
        for use in added.uses:
            shown_lines[at].add(use)
    first = {pair.path: at for group in groups for at, pair in reversed(list(enumerate(group)))}
    return [sorted(group, key=lambda pair: (first[pair.path], pair.path)) for group in groups], left
