"""Parse commands and mentions in comments.

A command is `/deeprepo WORD`, `@deeprepo WORD` or `@<our login> WORD`.
A command must be at the start of a line. Quotes, code and HTML comments are ignored, because they are other
people's words or invisible.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from unicodedata import category

from bot.render import encodable

MAX_COMMENT_CHARS = 16_000  # the rest of a comment is ignored
MAX_ARGUMENT_CHARS, MAX_WORD_CHARS = 4_000, 40  # of an argument, and of an unknown word
MAX_COMMANDS = 5  # per comment
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_QUOTE_OR_CODE = re.compile(r" {0,3}>| {4}|\t")  # a quoted line, or indented code
_CODE = re.compile(r"(`+)[^`\n]*\1")
_MENTION = re.compile(
    r"(?<![\w@/.`+-])@([A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?)(\[bot\])?((?:/[\w-]+)?)(?![\w@-])"
)
_SIGNS = ".,:;!?"


@dataclass(frozen=True, slots=True)
class Command:
    """A command. `word` is a known command, or the unknown word that was typed."""

    word: str
    argument: str = ""


def read(body: str, login: str, words: Sequence[str], long: Sequence[str] = ()) -> tuple[Command, ...]:
    """Return the commands in a comment. `words` are the known commands, and `login` is our own login.

    The argument of commands in `long` includes the following lines, up to the next command.
    """
    text, call = plain_lines(body), _call(login)
    rows = text.split("\n")
    calls = ((index, call.match(_from_first_visible(line).rstrip())) for index, line in enumerate(own_lines(text)))
    found = [
        (index, match)
        for index, match in calls
        if match and _command(match[2], "", words, (), mention=match[1] is None) is not None
    ][:MAX_COMMANDS]
    ends = [*(index for index, _ in found[1:]), len(rows)]
    commands = (
        _command(match[2], "\n".join(rows[index + 1 : end]), words, long, mention=match[1] is None)
        for (index, match), end in zip(found, ends, strict=False)
    )
    return tuple(command for command in commands if command is not None)


def _from_first_visible(text: str) -> str:
    at = next((index for index, sign in enumerate(text) if category(sign)[0] not in "CZ"), len(text))
    return text[at:]


def plain_lines(body: str) -> str:
    """Return the first MAX_COMMENT_CHARS characters of a comment, with line feeds only and without NUL."""
    return encodable(body[:MAX_COMMENT_CHARS]).replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")


def own_lines(text: str) -> list[str]:
    """Return the lines of a text.

    Lines that aren't the author's words, such as quotes and code, become empty.
    """
    lines, fence = list[str](), ""
    for line in _HIDDEN.sub(lambda hidden: "\n" * hidden[0].count("\n"), text).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not line[mark.end() :].strip() else fence
            lines.append("")
        elif mark:
            fence = mark[1]
            lines.append("")
        else:
            lines.append("" if _QUOTE_OR_CODE.match(line) else line)
    return lines


def _names(login: str) -> list[str]:
    """The App may have its own name, such as `deeprepo-acme`."""
    name = login.removesuffix("[bot]").lower()
    return ["deeprepo", name] if name else []


@cache
def _call(login: str) -> re.Pattern[str]:
    """Return the pattern for a command. The App's name may be followed by "[bot]"."""
    mentions = "".join(rf"|@{re.escape(name)}(?:\[bot\])?" for name in _names(login))
    return re.compile(rf"(?:(/deeprepo){mentions})(?![\w/-])[,:]?[ \t]*([^\n]*)", re.IGNORECASE)


def _command(text: str, below: str, words: Sequence[str], long: Sequence[str], *, mention: bool) -> Command | None:
    text = _from_first_visible(text)
    words_typed = [part.strip(_SIGNS).lower() for part in text.split()]
    for word in sorted(words, key=lambda word: -word.count(" ")):
        parts = word.split()
        if words_typed[: len(parts)] == parts:
            rest = "".join(text.split(None, len(parts))[len(parts) :])
            return Command(
                word,
                f"{rest}\n{below}".strip()[:MAX_ARGUMENT_CHARS] if word in long else rest.strip()[:MAX_ARGUMENT_CHARS],
            )
    if mention:  # a mention without a known command is a remark
        return None
    return Command(next((part[:MAX_WORD_CHARS] for part in words_typed if part), "help"))


@dataclass(frozen=True, slots=True)
class Mentions:
    """Who is mentioned in a comment."""

    us: bool = False
    others: bool = False
    first: bool = False  # the comment starts with another person's name


def read_mentions(body: str, login: str) -> Mentions:
    """Return who is mentioned in a comment's prose. `login` is ours, with or without "[bot]"."""
    if "@" not in body:
        return Mentions()
    ours = _names(login)
    text = _CODE.sub("x", "\n".join(own_lines(plain_lines(body)))).strip()
    names = [(match.start(), match[1].lower() in ours and not match[3]) for match in _MENTION.finditer(text)]
    return Mentions(
        us=any(mine for _, mine in names),
        others=any(not mine for _, mine in names),
        first=bool(names) and names[0] == (0, False),
    )
