"""How deeply brackets are nested: code that no person writes costs the square of its depth to look at."""

from itertools import accumulate

from bot.languages.unreadable import TOO_DEEP, Unreadable

DEEPEST = 300  # levels
OTHERS = bytes(byte for byte in range(256) if byte not in b"([{)]}")
ALIKE = bytes.maketrans(b"[{]}", b"(())")  # of which kind a bracket is does not matter
USUAL = 32  # levels
STEP = {ord("("): 1, ord(")"): -1}


def too_deep(source: bytes) -> bool:
    """Whether the brackets of a source are nested more deeply than people write them; strings count, too."""
    brackets = source.translate(ALIKE, OTHERS)
    left = brackets
    for _ in range(USUAL):  # what people write is soon used up: each turn takes the innermost level away
        if len(left) <= DEEPEST - USUAL:
            return False
        left = left.replace(b"()", b"")
    level, lowest = 0, 0
    for level in accumulate(STEP[byte] for byte in brackets):
        lowest = min(lowest, level)
        if level - lowest > DEEPEST:
            return True
    return False


def check(source: bytes) -> None:
    """Raise Unreadable if the brackets of a source are nested too deeply."""
    if too_deep(source):
        raise Unreadable(TOO_DEEP)
