"""Routes as frameworks and clients write them: `path("orders/")`, `@Get("summary")`, `resources :orders` mean `/orders`, `/summary`.

A route has several texts. The one end declares it in parts (a prefix of the controller, a method, a parameter between them), the other
writes it whole, from its own base, or with values in the place of parameters. They agree on segments between slashes.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Literal

from bot.text.lines import says
from bot.text.paths import names_file

Role = Literal["whole", "end", "start"]
# In front of the literal. A word of a client is none that declares.
_VERB = r"(?:get|post|put|patch|delete|head|options|all|any|match|route|websocket|Get|Post|Put|Patch|Delete|Head|Options|All|Sse)"
_OPEN = r"\(\s*+(?:(?:value|path|url_path|name)\s*+=\s*+)?[\[{]?\s*+r?(?=[\"'`])"
DECLARES = (
    rf"(?:@(?:\w++\.)?(?:{_VERB}|Controller|Path|action|api_route|\w*Mapping)|[\[(, ](?:Route|Http(?:Get|Post|Put|Patch|Delete))"
    r"|(?<![\w.])(?:re_path|path|route)"
    rf"|\b(?:app|server|fastify|mux|blueprint|bp|\w+_bp|\w*[rR]outer|\w*[gG]roup|Route)(?:\.|::|->)(?:{_VERB}|use|register|prefix|group|resource|apiResource|mount|add_url_rule)"
    rf"|\.(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Group|Handle|HandleFunc|Map(?:Get|Post|Put|Patch|Delete)|add_url_rule)){_OPEN}"
    r"|(?:\burl_prefix\s*+=|[rR]outer\(.{0,80}?\bprefix\s*+=|[{,\s]path\s*+:|<Route\b[^>]{0,80}?\bpath\s*+=)\s*+[{]?r?(?=[\"'`])"
    r"|^[ \t]*+(?:get|post|put|patch|delete|namespace|scope|resources?)\s++(?=[:\"'])"
)
_CALLS = (
    rf"\b(?:axios|http\w*|api|ky|\w*[cC]lient)\.{_VERB}(?:<[^()]{{0,80}}>)?\(\s*+(?=[\"'`])|\bfetch\(\s*+(?=[\"'`])"
)
_SLASHLESS = re.compile(rf"(?P<before>{DECLARES}|{_CALLS})(?P<opening>:|[\"'`]\^?)(?=[A-Za-z])(?!https?:)")
_OWN = rf"(?:{DECLARES})(?:[\"'`])(?:(?![\"'`]).)*?NAME(?![\w$])(?!-\w)"
# What may precede the first segment of a route: anything but another segment. A parameter does not count as one.
_BREAK = r"(?:(?<![\w-])|(?<=%[sd])|:\w{1,40}|/\d{1,20})"
_TEXT = re.compile(r"([\"'`])((?:(?!\1).)*)\1")
_PARAMETER = re.compile(r"\$?\{[^}]{0,80}\}|<[^>]{0,80}>|\([^)]{0,80}\)|(?<=/):\w+|%[sd]")
_SEGMENT = re.compile(r"/[A-Za-z][\w-]*")
# Texts of several words with points or colons between them, as events, topics, permissions and named routes are: `order.created`.
_JOINED = re.compile(r"[A-Za-z_][\w-]+(?:(?:\.|::?)[A-Za-z_][\w-]+)+")
_QUOTED = re.compile(r"([\w.:-]{1,200})[\"'`]")


@lru_cache(maxsize=4096)
def is_joined(word: str) -> bool:
    """Whether a text is such words, and no file's name."""
    return bool(_JOINED.fullmatch(word)) and not names_file(word)


def is_joined_text(code: str, at: int) -> bool:
    """Whether the text that begins there, behind its quote, is such words."""
    text = _QUOTED.match(code, at)
    return text is not None and is_joined(text[1])


def with_slashes(code: str) -> str:
    """A line with a slash in front of each route that it writes without one. Joined words are the name of one: `route('orders.show')`."""
    return _SLASHLESS.sub(_with_slash, code) if "(" in code or ":" in code or "=" in code else code


def _with_slash(match: re.Match[str]) -> str:
    return match[0] if is_joined_text(match.string, match.end()) else f"{match[0]}/"


def declares(route: str, code: str) -> bool:
    """Whether a routed line declares the route, or one that it is a part of."""
    return says(_OWN, route, code)


def begins(route: str, code: str) -> bool:
    """Whether no other segment precedes the route, at one place of the line at least."""
    return bool(_begins(route).search(code))


@lru_cache(maxsize=1024)
def _begins(route: str) -> re.Pattern[str]:
    return re.compile(rf"{_BREAK}{re.escape(route)}(?![\w$])(?!-\w)")


def shapes(route: str, code: str) -> frozenset[str]:
    """The whole texts of a line that hold the route, whatever their parameters are called."""
    look = _begins(route)
    return frozenset(
        _PARAMETER.sub("{}", text).strip("/^$")
        for _, text in _TEXT.findall(code)
        if route in text and look.search(text)
    )


def parts(token: str) -> Iterator[str]:
    """Give what others write of a route of several segments, who put it together: `/orders/summary` is also `/orders` and `/summary`."""
    cuts = [at for at, letter in enumerate(token) if letter == "/" and at]
    return chain((token[at:] for at in cuts), (token[:at] for at in cuts))


def role(route: str, code: str) -> Role:
    """Tell what a route is in a line: all that is there, or the end or the start of a longer one."""
    return "whole" if _whole(route).search(code) else "end" if not begins(route, code) else "start"


def is_said(route: str, role: Role, code: str) -> bool:
    """Whether a line may mean the route. A part of one says nothing beside other segments."""
    if role == "whole":
        return True
    return begins(route, code) if role == "end" else bool(_start(route).search(code))


@lru_cache(maxsize=1024)
def _whole(route: str) -> re.Pattern[str]:
    return re.compile(rf"{_BREAK}{re.escape(route)}(?![\w$])(?!-\w)(?!/[A-Za-z])")


@lru_cache(maxsize=1024)
def _start(route: str) -> re.Pattern[str]:
    return re.compile(rf"{_BREAK}{re.escape(route)}/?[\"'`$]")


def segments(code: str) -> frozenset[str]:
    """The segments of the routes that a line declares."""
    return frozenset(
        segment_text[1:]
        for match in re.finditer(DECLARES, code)
        for segment_text in _SEGMENT.findall(code[match.end() :][:200])
    )
