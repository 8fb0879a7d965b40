"""Names in a sentence: escaped, bounded and joined as the language joins them. Pure."""

from collections.abc import Sequence

from bot import render
from bot.render import Phrases

NAMES = 3  # of one list; the rest is counted
LONGEST = 80  # characters of a name or a path


def as_code(name: str) -> str:
    """A name of the change as a code span that no backtick in it can end."""
    return str(render.code(name if len(name) <= LONGEST else f"…{name[-LONGEST:]}"))


def join(parts: Sequence[str], words: Phrases) -> str:
    """Several parts as one: "a, b and c" in the language of the review."""
    if len(parts) <= 1:
        return "".join(parts)
    return words.say("both", one=", ".join(parts[:-1]), other=parts[-1])


def names(all_names: Sequence[str], words: Phrases) -> str:
    """The first of these names, and how many more there are."""
    shown_names = list(all_names[:NAMES])
    left = len(all_names) - NAMES
    return f"{', '.join(shown_names)} {words.say('and_more', left)}" if left > 0 else join(shown_names, words)
