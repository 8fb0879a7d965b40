"""The words that can be keys: names, headers, words with hyphens, paths and routes, as a line writes them."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, groupby

from bot.dependents.keys.routes import is_joined, parts, with_slashes
from bot.dependents.sites import telling

TOKEN = re.compile(
    r"(?<=/):\w+|(?<=%)[sd](?=/)|--?[A-Za-z][\w-]*\w|/[A-Za-z_][\w$]*(?:[./-]\w+)*"
    r"|[A-Za-z_][\w$]*(?:[./-]\w+|::?[A-Za-z_]\w*)*|[^\w\s]|\d+"
)
NAME = re.compile(r"[A-Za-z_][\w$]*")
CGI = "HTTP_"
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+")
COLONS = re.compile(r"::?")
HYPHEN = re.compile(r"[A-Za-z0-9]-[A-Za-z]")
SHORTEST, LONGEST = 3, 60  # letters of a key
LONG_LINE = 20_000  # characters; of a longer one the beginning is read
PLAIN = 4  # the same for one that nothing but its place on the line tells from a word of a text
BARE = 6  # letters of a route of one segment that is also looked up without its slash
BARE_START = r"(?:/|(?<=[:^`'\"]))"
ALONE, ENDS = r"(?<!\w)(?<!\w-)", r"(?![\w$])(?!-\w)"  # around a word that is not a part of another


@lru_cache(maxsize=1024)
def tokens_of(text: str) -> list[str]:
    """Split a line into words, marks and numbers."""
    return TOKEN.findall(text)


def words_of(code: str, shortest: int = SHORTEST) -> frozenset[str]:
    """The names of a line, and the paths, the hyphenated and the joined words that they are parts of."""
    tokens = [one for one in tokens_of(code) if one[-1:].isalnum() or one[-1:] == "_"]
    tokens += [part for one in tokens if ":" in one[1:] for part in COLONS.split(one)]
    names = chain.from_iterable(NAME.findall(one) for one in tokens)
    others = chain.from_iterable(parts(one) for one in tokens if is_route(one))
    return frozenset(word for word in (*tokens, *names, *others) if shortest <= len(word) <= LONGEST and word[0] != ":")


def is_distinctive(word: str) -> bool:
    """Whether a word is seldom another one: of several words, hyphenated, joined, or a path."""
    return telling(word) or bool(HYPHEN.search(word)) or "/" in word.strip("/") or is_joined(word)


def may_be_looked_up(word: str) -> bool:
    """Whether a word is long enough and telling, so that lines with it are likely to mean it."""
    return SHORTEST <= len(word) <= LONGEST and telling(word)


def is_route(word: str) -> bool:
    """Whether a word is written as a route."""
    return word.startswith("/")


def header_of(word: str) -> str:
    """What a name is as a header, whose case means nothing and which CGI writes with underscores; "" if it can be none."""
    name = word.removeprefix(CGI).replace("_", "-") if word.startswith(CGI) else word
    return name.lower() if HEADER.fullmatch(name) else ""


def alone_pattern(word: str) -> str:
    """Return the pattern of a word that is not a part of another; a route may follow any other."""
    if header := header_of(word):
        forms = rf"(?i:{re.escape(header)})|{CGI}{re.escape(header.replace('-', '_').upper())}|{re.escape(word)}"
        return rf"{ALONE}(?:{forms}){ENDS}"
    if not is_route(word):  # a shell, a Makefile or a page writes `$NAME`
        return rf"{ALONE}{re.escape(word)}{ENDS}"
    bare = "/" in word[1:] or len(word) > BARE
    return rf"{BARE_START if bare else '/'}{re.escape(word[1:])}{ENDS}"


def any_alone_pattern(words: Iterable[str]) -> str:
    """Return the pattern of any of the words; the one that comes first counts. What stands around names is looked at once for all in a row."""
    parts: list[str] = []
    for is_name, some in groupby(words, lambda word: not header_of(word) and not is_route(word)):
        names = list(some)
        is_row = is_name and len(names) > 1
        parts += [rf"{ALONE}(?:{'|'.join(map(re.escape, names))}){ENDS}"] if is_row else map(alone_pattern, names)
    return rf"(?:{'|'.join(parts)})"


def as_written(word: str, text: str) -> str:
    """The line with a slash in front of its routes, and of a text that is this route without one; a header as the key writes it."""
    code = with_slashes(text)
    if header_of(word):
        code = re.sub(alone_pattern(word), word, code)
    if "/" in word[1:] and is_route(word):
        code = re.sub(rf"(?<=[`'\"]){re.escape(word[1:])}(?![\w$])", word, code)
    return code
