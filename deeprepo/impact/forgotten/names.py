"""Split lines into the words by which other files may refer to something."""

import re
from collections.abc import Iterator, Sequence

SHORTEST = 4  # characters; shorter words occur everywhere
LONGEST_LINE = 600  # characters; longer lines are data
_RUN = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|[\w@.~/-]+")
_PART = re.compile(r"[/.]+")
_PLAIN = re.compile(r"[A-Z]?[a-z]+|[A-Z]{1,3}")
# A text in quotes without blanks: an option, a key, a path, the name of an event or an environment variable.
_QUOTED = re.compile(r"([\"'`])([^\s\"'`]{3,120})\1")


def words(line: str) -> set[str]:
    """Return the options, paths, dotted names and plain words in a line, with the parts of the longer ones."""
    if len(line) > LONGEST_LINE:
        return set()
    return {word for run in runs(line) for word in _forms(run.strip("/")) if is_word(word)}


def quoted_words(line: str) -> set[str]:
    """Return the words in those quotes on a line that contain no blanks."""
    return {word for _, text in _QUOTED.findall(line[:LONGEST_LINE]) for word in words(text)}


def runs(line: str) -> Iterator[str]:
    """Yield the longest names, options and paths in a line. Folders keep their slash."""
    for run in _RUN.findall(line):
        yield run if run.startswith("-") else run.lstrip("~").rstrip("@.~-")


def is_word(text: str) -> bool:
    """Return whether a text is long enough to refer to something, and not a number."""
    return len(text) >= SHORTEST and any(letter.isalpha() for letter in text)


def is_plain(word: str) -> bool:
    """Return whether a word has no form that only names have, so it may belong to any sentence."""
    return _PLAIN.fullmatch(word) is not None


def _forms(run: str) -> Sequence[str]:
    """Return a run and its parts, and an option also without its dashes."""
    if run.startswith("-"):
        return run, run.lstrip("-")
    run = run.lstrip("./")
    return run, run.rpartition("/")[2], *_PART.split(run)
