"""The helpers that Rails makes of a file of routes: `resources :orders` is why `orders_path`, `order_path`, `new_order_path` exist."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

Names = tuple[str, ...]
LONG_LINE = 1_000
MOST = 100  # names of one call
_CALL = re.compile(
    r"\s*+(resources?|namespace|scope|member|collection|root|get|post|put|patch|delete|match|mount|direct)\b(?!\s*+[.=])(.*)"
)
_CONTINUED = re.compile(r",[ \t]*+\n\s*+")
_BLOCK = re.compile(r"\bdo\b(?:\s*+\|[^|]*+\|)?\s*+$")
_OTHER_BLOCK = re.compile(r"\s*+(?:if|unless|case|def|begin|class|module)\b")
_END = re.compile(r"\s*+end\b")
_FIRST = re.compile(r"[\s(]*+(?::|[\"']/?)([A-Za-z][\w/-]*+)[\"']?(?![\w:*(.#{])")
_BARE = re.compile(r"[\s(]*+[\"']/?[\"']")
_MORE = re.compile(r"\s*+,\s*+(?::(\w++)|[\"'](\w++)[\"'])(?!\s*+(?:=>|:))")
_AS = re.compile(r"(?:\bas:|:as\s*+=>)\s*+[:\"']([\w]*+)")
_ACTIONS = re.compile(r"(?:\b(only|except):|:(only|except)\s*+=>)\s*+(\[[^\]]*+\]|%i[\[({][^\])}]*+|:\w++)")
_ON = re.compile(r"\bon:\s*+:(member|collection|new)\b")
_ALL = frozenset({"index", "create", "new", "edit", "show", "update", "destroy"})
_IRREGULAR = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "media": "medium",
    "data": "datum",
}


@dataclass(frozen=True, slots=True)
class _Around:
    """A block of routes: the prefixes of the names in it, and the resources whose routes it has."""

    prefixes: Names = ("",)
    plural: str = ""  # of the resources whose routes these are
    singulars: Names = ()
    outer: Names = ("",)  # in front of the resources themselves
    part: str = ""  # "member" or "collection"


def helpers(text: str) -> Iterator[str]:
    """The names of a file of routes, without `_path` and `_url`. Of a plural, each word that its singular may be."""
    stack = [_Around()]
    for line in _CONTINUED.sub(", ", text).split("\n"):
        if len(line) > LONG_LINE or line.lstrip().startswith("#"):
            continue
        around, inner = stack[-1], stack[-1]
        if match := _CALL.match(line):
            verb, rest = match.groups()
            names, inner = _declared(verb, rest, around)
            yield from names
        if _BLOCK.search(line) or _OTHER_BLOCK.match(line):
            stack.append(inner)
        elif _END.match(line) and len(stack) > 1:
            stack.pop()


def _declared(verb: str, rest: str, around: _Around) -> tuple[Names, _Around]:
    """The names that a call makes, and what is around the calls in its block."""
    named_as = _AS.search(rest)
    first = _FIRST.match(rest)
    if verb in ("resources", "resource"):
        return _of_resources(rest, around, is_plural=verb == "resources")
    if verb in ("member", "collection"):
        return (), _Around(around.prefixes, around.plural, around.singulars, around.outer, verb)
    if verb in ("namespace", "scope"):
        name = named_as[1] if named_as else first[1] if first and verb == "namespace" else ""
        return (), _Around(_joined(around.prefixes, (name,)))
    path = "root" if verb == "root" else first[1] if first and verb != "mount" else ""
    name = named_as[1] if named_as else re.sub(r"[/-]", "_", path)
    if not name and _BARE.match(rest):  # the address of the namespace itself
        return tuple(filter(None, around.prefixes)), around
    return (_of_route(name, rest, around) if name else ()), around


def _of_route(name: str, rest: str, around: _Around) -> Names:
    """The names of a single route."""
    on = _ON.search(rest)
    part = on[1] if on else around.part
    if part == "member":
        return _joined((name,), around.outer, around.singulars)
    if part == "collection":
        return _joined((name,), around.outer, (around.plural,))
    return _joined(around.prefixes, (name,))


def _of_resources(rest: str, around: _Around, *, is_plural: bool) -> tuple[Names, _Around]:
    """The names of resources, and what is around the calls in their block."""
    first = _FIRST.match(rest)
    if first is None:
        return (), around
    named_as = _AS.search(rest)
    at, words = first.end(), [named_as[1] if named_as else first[1].replace("/", "_").replace("-", "_")]
    while more := _MORE.match(rest, at):
        at = more.end()
        words.append(more[1] or more[2])
    actions = _actions(rest)
    names: list[str] = []
    singulars: Names = ()
    for word in words:
        singulars = _singulars(word) if is_plural else (word,)
        single = ("show", "update", "destroy") if is_plural else ("show", "update", "destroy", "create")
        names += _joined(around.prefixes, singulars) if actions & {*single} else ()
        if is_plural and actions & {"index", "create"}:
            names += _joined(around.prefixes, (word, f"{word}_index"))
        for action in sorted(actions & {"new", "edit"}):
            names += _joined((action,), around.prefixes, singulars)
    inner = _Around(_joined(around.prefixes, singulars), words[-1], singulars, around.prefixes)
    return tuple(names), inner


def _actions(rest: str) -> frozenset[str]:
    """The actions of resources that have routes."""
    match = _ACTIONS.search(rest)
    if match is None:
        return _ALL
    named = frozenset(re.findall(r"\w+", match[3].removeprefix("%i")))
    return _ALL & named if "only" in (match[1], match[2]) else _ALL - named


def _joined(*parts: Names) -> Names:
    """Each way to put the words together, empty ones left out."""
    names: Names = ("",)
    for words in parts:
        names = tuple("_".join(filter(None, (name, word))) for name in names for word in words)
    return names[:MOST]


def _singulars(word: str) -> Names:
    """What may be the singular of a word."""
    head, mark, last = word.rpartition("_")
    ends = [(last[:-3] + "y") if last.endswith("ies") else "", last[:-2] if last.endswith("es") else ""]
    ends += [last[:-1] if last.endswith("s") else "", _IRREGULAR.get(last, "")]
    return tuple(dict.fromkeys(f"{head}{mark}{one}" for one in ends if one)) or (word,)
