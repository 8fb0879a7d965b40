"""A command in a comment: `/deeprepo WORD` or `@<our login> WORD` at the start of a line. Pure.

What GitHub shows as a quote, as code, in a list or not at all gives no command: Markdown itself decides, by its own rules, so
that an answer that quotes a command does not repeat it. The first command of a comment counts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.render import encodable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MOST, MOST_PARAGRAPH = 16_000, 2_000  # characters looked at: Markdown can be written so that reading it takes long
MOST_OPEN, MOST_ABOVE = 100, 20  # elements of HTML in each other, and lines of a footnote
LONGEST, LONGEST_WORD = 4_000, 40  # characters of an argument, and of a word that nobody knows
# Elements that fold, hide, quote or set apart their content. Others, such as a paragraph, need no end tag.
ELEMENTS = frozenset(
    {"details", "blockquote", "code", "pre", "div", "span", "template", "picture", "svg", "table", "ul", "ol", "li"}
    | {"q", "cite", "kbd", "samp", "tt", "del", "s", "strike", "ins", "section", "aside", "dl", "dd"}
)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,12})(?![A-Za-z0-9])")
_CODE = re.compile(r"`[^`\n]{0,400}`")
_NOTE = re.compile(r" {0,3}\[\^[^\]\s]{1,80}\]:")
_SIGNS = ".,:;!?"


@dataclass(frozen=True, slots=True)
class Command:
    """What was asked. `word` is a known one, or what was typed instead."""

    word: str
    argument: str = ""


def read(body: str, login: str, words: Sequence[str], long: Sequence[str] = ()) -> Command | None:
    """The first command of a comment. The argument of a word that is `long` goes on over the lines below."""
    text = plain_lines(body)
    call = _call(login)
    if not call.search(text):
        return None
    rows = text.split("\n")
    for at in _prose(text, rows, call):
        match, below = call.match(rows[at].strip()), "\n".join(rows[at + 1 :])
        command = _command(match[2], below, words, long, mention=match[1] is None) if match else None
        if command is not None:
            return command
    return None


def plain_lines(body: str) -> str:
    """The beginning of a comment as it is read here: bounded, with line feeds alone."""
    return encodable(body[:MOST]).replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")


@cache
def _call(login: str) -> re.Pattern[str]:
    """How we are called. An App is written with and without "[bot]"."""
    name = re.escape(login.removesuffix("[bot]"))
    mention = rf"|@{name}(?:\[bot\])?(?![\w/-])" if name else ""
    return re.compile(rf"(?:(/deeprepo)(?![\w/-]){mention})[,:]?[ \t]*([^\n]*)", re.IGNORECASE)


def _command(text: str, below: str, words: Sequence[str], long: Sequence[str], *, mention: bool) -> Command | None:
    words_typed = [part.strip(_SIGNS).lower() for part in text.split()]
    for word in sorted(words, key=lambda word: -word.count(" ")):
        parts = word.split()
        if words_typed[: len(parts)] == parts:
            rest = "".join(text.split(None, len(parts))[len(parts) :])
            return Command(word, f"{rest}\n{below}".strip()[:LONGEST] if word in long else rest.strip()[:LONGEST])
    if mention:  # what is no command is a remark
        return None
    return Command(next((part[:LONGEST_WORD] for part in words_typed if part), "help"))


def paragraphs(body: str) -> Iterator[str]:
    """The paragraphs of a comment that are its writer's own prose, a line feed where a line ends; those with HTML are left out."""
    text, env = plain_lines(body), dict[str, object]()
    for content, _, _ in _plain_blocks(text, text.split("\n"), env):
        own = _own_words(content[:MOST_PARAGRAPH], env)
        if own:
            yield own


def _own_words(paragraph: str, env: dict[str, object]) -> str:
    """Its text, code between its backticks; nothing if it holds elements of HTML or mathematics. What is struck out or hidden, and an image, is no word."""
    parts, depth = list[str](), 0
    for child in _children(paragraph, env):
        depth += {"s_open": 1, "s_close": -1}.get(child.type, 0)
        is_tag = child.type == "html_inline" and not child.content.startswith("<!--")
        if is_tag or (child.type == "text" and "$$" in child.content):
            return ""
        if child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif not depth and child.type in ("text", "code_inline"):
            parts.append(f"{child.markup}{child.content}{child.markup}")
    return "".join(parts).strip()


def _prose(text: str, rows: Sequence[str], call: re.Pattern[str]) -> Iterator[int]:
    """The numbers of the lines that call us in plain prose."""
    env: dict[str, object] = {}
    for content, first, end in _plain_blocks(text, rows, env):
        at = first
        if not any(call.match(row.strip()) for row in rows[at:end]):
            continue
        for start in _starts(content[:MOST_PARAGRAPH], env):
            end_of_block = next((n for n in range(at, end) if rows[n].lstrip().startswith(start)), None)
            if end_of_block is not None and call.match(start):
                yield end_of_block
            at = at if end_of_block is None else end_of_block + 1


def _plain_blocks(text: str, rows: Sequence[str], env: dict[str, object]) -> Iterator[tuple[str, int, int]]:
    """The paragraphs that are in no list, quotation, footnote or open element: their text, first line and the line after."""
    html: list[str] = []  # elements that are open: what is in them may be folded, or somebody else's words
    tokens = markdown().parse(text, env)
    for opening, token in pairwise([*tokens[:1], *tokens]):
        if token.type in ("html_block", "inline"):
            is_inside = bool(html)
            _follow(token.content, html, whole=token.type == "html_block")
            if is_inside:
                continue
        plain = opening.type == "paragraph_open" or (opening.type == "heading_open" and opening.markup in ("-", "="))
        if token.type != "inline" or token.level != 1 or not plain or token.map is None:
            continue
        at, end = token.map
        if not any(_NOTE.match(row) for row in _above(rows, at)):
            yield token.content, at, end


def _follow(text: str, html: list[str], *, whole: bool) -> None:
    """Keep the list of open elements. In prose, a tag counts outside of code alone."""
    for match in _TAG.finditer(text if whole else _CODE.sub("", text)):
        name = match[2].lower()
        if match[1] and name in html:
            del html[len(html) - 1 - html[::-1].index(name) :]
        elif not match[1] and name in ELEMENTS and len(html) < MOST_OPEN:
            html.append(name)


def _above(rows: Sequence[str], at: int) -> Iterator[str]:
    """The line itself, and those above it without a blank one between: a footnote goes on over them."""
    for row in reversed(rows[max(0, at - MOST_ABOVE) : at + 1]):
        if not row.strip():
            return
        yield row


def _starts(paragraph: str, env: dict[str, object]) -> Iterator[str]:
    """The text with which lines of a paragraph begin, where they do not begin inside code, a link, a comment or emphasis."""
    fresh = True
    is_math = False
    for child in _children(paragraph, env):
        if child.type == "text" and child.content.strip() == "$$":
            is_math = not is_math
        if is_math:
            continue
        if child.type in ("softbreak", "hardbreak"):
            fresh = True
        elif child.content or child.type != "text":
            if fresh and child.type == "text" and child.level == 0:
                yield child.content.lstrip()
            fresh = False


def _children(paragraph: str, env: dict[str, object]) -> "list[Token]":
    children: list[Token] = []
    markdown().inline.parse(paragraph, markdown(), env, children)
    return children


@cache
def markdown() -> "MarkdownIt":
    """Markdown's own rules, for text that stays as it was typed."""
    from markdown_it import MarkdownIt

    # Text stays as it was typed: an escaped command is none. Paragraphs are taken apart where they may hold a command.
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(["escape", "entity", "inline"])
