"""The routes by which a change is reached from outside its language: who fetches `/diff/42/issues/` names no class. Pure.

A route is a quoted path with at least two fixed segments on a line that declares or requests one. Its other segments may be
written in any way: `{id}`, `<int:id>`, `:id`, `(?P<id>...)`, `${id}`, `42`.
"""

import re
from collections.abc import Iterable, Sequence

from bot.context import identifiers
from bot.context.usages import Pick, Row
from bot.text.paths import decides_nothing, is_product

MAX_ROUTES = 6  # searched for one prompt
MAX_PICKS = 3  # lines shown for the routes of one prompt, each in another file
FIXED = 2  # segments that a route needs; one more where none is open, or every `shop/money` would be one
_QUOTED = re.compile(r"\"([^\"\s]{4,160})\"|'([^'\s]{4,160})'|`([^`\s]{4,160})`")
_SPEAKS_OF_ROUTES = re.compile(
    r"\b(?:(?=\w*(?:rout|(?:ur[li]s?|mapping)\b))\w++|(?:re_path|path|get|post|put|patch|delete|fetch|endpoint|HandleFunc|Handle|register|resource)\b)\s*+[(.=:]"
    r"|^[^\w]*r?[\"'`]",  # the arguments of such a call often stand on lines of their own
    re.IGNORECASE,
)
_OPEN = re.compile(r"\(\?P?<[^>]*>[^)]*\)|\$?\{[^}]*\}|<[^>]*>|%\w|:\w+")
_FIXED = re.compile(r"[A-Za-z][A-Za-z_-]{2,}$")
_GENERAL = frozenset({"api", "rest", "http:", "https:"})
_FILE = re.compile(r"\.\w{1,5}$")


def patterns(lines: Iterable[str]) -> tuple[str, ...]:
    """Perl patterns of the routes in these lines, as code elsewhere would write them."""
    route_patterns = (_pattern(route) for line in lines for route in _routes(line))
    return tuple(dict.fromkeys(pattern for pattern in route_patterns if pattern))[:MAX_ROUTES]


def pick(rows: Sequence[Row], changed_paths: Iterable[str], shown_lines: Iterable[tuple[str, int]]) -> list[Pick]:
    """The lines that use a route, one of each file: no test, no text, no file of the change."""
    left, shown_places = {*changed_paths}, {*shown_lines}
    picks: list[Pick] = []
    for path, line, _ in rows:
        if path not in left and (path, line) not in shown_places and is_product(path) and not decides_nothing(path):
            left.add(path)
            picks.append(Pick(path, line, ("a route of the change",), defines=False))
    return picks[:MAX_PICKS]


def _routes(text: str) -> Iterable[str]:
    if "/" not in text or identifiers.IMPORT.match(text) or not _SPEAKS_OF_ROUTES.search(text):
        return ()
    return [next(filter(None, groups)) for groups in _QUOTED.findall(text)]


def _pattern(route: str) -> str:
    """The route with its open segments left open; nothing where too little of it is fixed, or where it is a file."""
    parts = [part for part in _OPEN.sub("*", route).partition("?")[0].strip("^$/").split("/") if part]
    while parts and (parts[0] in _GENERAL or re.fullmatch(r"v\d+|\*+|[\w.-]*\*[\w.-]*", parts[0])):
        parts.pop(0)
    fixed_parts = [part for part in parts if _FIXED.match(part)]
    enough = len(fixed_parts) >= FIXED + (len(fixed_parts) == len(parts))
    if not enough or _FILE.search(route):
        return ""
    part_patterns = [re.escape(part) if part in fixed_parts else r"[^/\s\"'`]+" for part in parts]
    return r"(?<![\w-])" + "/".join(part_patterns) + r"(?![\w-])"
