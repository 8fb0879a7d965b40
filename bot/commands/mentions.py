"""Whom a comment names: us, others, or others in the first place. Pure.

Only prose counts, as Markdown has it: a name in code, in a quote or in hidden text calls nobody. Lists and headings are prose here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.reading import markdown, plain_lines

if TYPE_CHECKING:
    from markdown_it.token import Token

MOST_PARAGRAPHS = 400
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
    us = others = first = False
    for number, text in enumerate(_prose(plain_lines(body))):
        for match in _NAME.finditer(text):
            mine = match[1].lower() == ours and not match[3]
            us, others = us or mine, others or not mine
            first = first or (not mine and number == 0 and not text[: match.start()].strip())
    return Mentions(us, others, first)


def _prose(text: str) -> Iterator[str]:
    """The running text of each paragraph, code and links left out; quotes are skipped whole."""
    quote_depth = 0
    env: dict[str, object] = {}
    paragraphs = 0
    for token in markdown().parse(text, env):
        quote_depth += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.type == "inline" and not quote_depth and paragraphs < MOST_PARAGRAPHS:
            paragraphs += 1
            yield _words(token.content, env)


def _words(paragraph: str, env: dict[str, object]) -> str:
    from bot.commands.reading import MOST_PARAGRAPH

    children: list[Token] = []
    markdown().inline.parse(paragraph[:MOST_PARAGRAPH], markdown(), env, children)
    texts, depth = [], 0
    for child in children:
        depth += {"link_open": 1, "link_close": -1}.get(child.type, 0)
        if child.type == "text" and not depth:
            texts.append(child.content)
        elif child.type not in ("em_open", "em_close", "strong_open", "strong_close", "text"):
            texts.append("\n")
    return "".join(texts)
