"""Where a line of code is inside a text: between quotes, or between lines that open and close a text of several lines."""

import re

from bot.dependents.keys.forms import TEXTS

_BLOCKS = ('"""', "'''")


def says_in_text(name: str, number: int, source: str) -> bool:
    """Whether a line has a name in a text. `number`: of the line, from 1."""
    lines = source.split("\n")
    line = lines[number - 1]
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    if any(word.search(part) for part in TEXTS.findall(line)):
        return True
    above = "\n".join(lines[: number - 1])
    return any(
        (above.count(block) + line[: match.start()].count(block)) % 2 == 1
        for block in _BLOCKS
        for match in word.finditer(line)
    )
