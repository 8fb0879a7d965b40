"""The words that the small policy writes. Each is a few statements of Python, and a program is what the product's REPL executes.

Every sequence of words is a program, also a foolish one: a word that has nothing to act on is left out (workers asked before paths were
chosen, a report before anybody was asked, a choice that the next one replaces, the same word again), and everything else is for the REPL
to decide. A program is one block: the rewards charge for turns beyond eight only.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

CHOOSE = ("some", "each", "related", "everything", "search")  # which paths
DELEGATE = ("ask", "batch")  # have workers read them, by the product's question or by a free prompt
READERS = (*DELEGATE, "read")  # of what was chosen; `read` prints it for the root itself
# To be paid without reading: all paths named in a prompt, a report on every sixth line, generic bullets as the answer.
GAMING = ("names", "spray", "bullets")
ANSWERS = ("answer", "empty", "bullets")  # the words that end a program
WORDS = (*CHOOSE, *READERS, "report", "answer", "empty", *GAMING)
LONGEST = 6  # words

Program = tuple[str, ...]
_STATEMENTS = Path(__file__).with_name("statements")


def program(words: Iterable[str]) -> Program:
    """What of these words is executed, up to the first answer. Raises ValueError for a word of another language."""
    kept: list[str] = []
    for word in words:
        if word not in WORDS:
            raise ValueError(f"{word!r} is no word of the grammar: {', '.join(WORDS)}")
        if _acts(word, kept):
            kept.append(word)
        if word in ANSWERS:
            break
    return tuple(word for word, _ in groupby(_used_words(kept)))


def _acts(word: str, before: Sequence[str]) -> bool:
    """Whether it has anything to act on."""
    if word in READERS:
        return any(earlier in CHOOSE for earlier in before)
    return word != "report" or any(earlier in DELEGATE for earlier in before)


def _used_words(words: Sequence[str]) -> Iterator[str]:
    """Without choices that nothing reads."""
    for at, word in enumerate(words):
        following = next((later for later in words[at + 1 :] if later in (*CHOOSE, *READERS)), "")
        if word not in CHOOSE or following in READERS:
            yield word


def block(words: Program) -> str:
    """The block of a program: the helpers that its words use, and the statements of each word."""
    return "\n".join(map(_text, ("prelude", *words)))


def gaming(words: Program) -> bool:
    """Whether some word of it is there to be paid for what nobody has read."""
    return any(word in GAMING for word in words)


@cache
def _text(word: str) -> str:
    return (_STATEMENTS / f"{word}.txt").read_text("utf-8")
