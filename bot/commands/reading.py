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
# Elements that set nothing apart, and those without an end tag. Any other that is open may fold, hide or quote what is in it.
HARMLESS = frozenset(
    {"p", "b", "i", "em", "strong"}
    | {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,40})(?=[\s/>]|\Z)")
_SPAN = re.compile(r"\$+|~+")  # what may open or close mathematics and struck out words
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
    """Its text, code between its backticks; nothing if it holds HTML, mathematics or words struck out by one tilde. What else is struck out or hidden, and an image, is no word."""
    parts, depth = list[str](), 0
    children = _children(paragraph, env)
    if any(child.type == "html_inline" and not child.content.startswith("<!--") for child in children):
        return ""
    if _spans(_flat(children)):
        return ""
    for child in children:
        depth += {"s_open": 1, "s_close": -1}.get(child.type, 0)
        if child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif not depth and child.type in ("text", "code_inline"):
            parts.append(f"{child.markup}{child.content}{child.markup}")
    return "".join(parts).strip()


def _flat(children: "Sequence[Token]") -> list[str]:
    """The text of each part of a paragraph: a line feed for a break, nothing for what is no text."""
    breaks = ("softbreak", "hardbreak")
    return ["\n" if one.type in breaks else one.content if one.type == "text" else "" for one in children]


def _spans(texts: Sequence[str]) -> list[tuple[int, int]]:
    """From where to where there may be mathematics, or words that one tilde strikes out: from the first sign of a kind to its last."""
    text, spans = "".join(texts), list[tuple[int, int]]()
    runs = [(run[0][:2], run) for run in _SPAN.finditer(text)]
    for sign in ("$", "$$", "~"):
        tilde = sign == "~"  # it strikes nothing out with a blank on its inner side
        starts = [
            run.start()
            for kind, run in runs
            if kind == sign and not (tilde and text[run.end() : run.end() + 1].isspace())
        ]
        ends = [
            run.end()
            for kind, run in runs
            if kind == sign and not (tilde and text[max(0, run.start() - 1) : run.start()].isspace())
        ]
        if starts and ends and starts[0] + len(sign) < ends[-1]:
            spans.append((starts[0], ends[-1]))
    return spans


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
    """Keep the list of open elements. In prose, a tag counts outside of code alone, and if it ends."""
    text = text if whole else _CODE.sub("", text)
    last = text.rfind(">")
    for match in _TAG.finditer(text):
        name = match[2].lower()
        if match[1] and name in html:
            del html[len(html) - 1 - html[::-1].index(name) :]
        elif not match[1] and name not in HARMLESS and (whole or match.end() <= last) and len(html) < MOST_OPEN:
            html.append(name)


def _above(rows: Sequence[str], at: int) -> Iterator[str]:
    """The line itself, and those above it without a blank one between: a footnote goes on over them."""
    for row in reversed(rows[max(0, at - MOST_ABOVE) : at + 1]):
        if not row.strip():
            return
        yield row


def _starts(paragraph: str, env: dict[str, object]) -> Iterator[str]:
    """The text with which lines of a paragraph begin, where they do not begin inside code, a link, a comment, an element, emphasis or mathematics."""
    children = _children(paragraph, env)
    texts = _flat(children)
    spans = _spans(texts)
    fresh, at, html = True, 0, list[str]()
    for child, text in zip(children, texts, strict=True):
        if child.type == "html_inline":
            _follow(child.content, html, whole=True)
        if child.type in ("softbreak", "hardbreak"):
            fresh = True
        elif child.content or child.type != "text":
            is_apart = any(start < at < end for start, end in spans)
            if fresh and child.type == "text" and child.level == 0 and not html and not is_apart:
                yield child.content.lstrip()
            fresh = False
        at += len(text)


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
