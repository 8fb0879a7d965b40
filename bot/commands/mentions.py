"""Whom a comment names: us, others, or others in the first place. Pure.

A name in code, in a quote or in an HTML comment calls nobody.
"""

import re
from dataclasses import dataclass

from bot.commands.reading import own_lines, plain_lines

_CODE = re.compile(r"(`+)[^`\n]*\1")
_NAME = re.compile(r"(?<![\w@/.`+-])@([A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?)(\[bot\])?((?:/[\w-]+)?)(?![\w@-])")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Who is named. `first`: the comment begins with the name of somebody who is not us."""

    us: bool = False
    others: bool = False
    first: bool = False


def read_mentions(body: str, login: str) -> Mentions:
    """Whom the prose of a comment names. `login` is ours, with or without "[bot]"."""
    if "@" not in body:
        return Mentions()
    ours = login.removesuffix("[bot]").lower()
    text = _CODE.sub("x", "\n".join(own_lines(plain_lines(body)))).strip()
    names = [(match.start(), match[1].lower() == ours and not match[3]) for match in _NAME.finditer(text)]
    return Mentions(
        us=any(mine for _, mine in names),
        others=any(not mine for _, mine in names),
        first=bool(names) and names[0] == (0, False),
    )
