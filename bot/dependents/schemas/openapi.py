"""OpenAPI and Swagger: what clients of a description call, send and receive, and no longer can."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from bot.dependents.byname import COMMON
from bot.dependents.schemas import breaks
from bot.dependents.schemas.documents import line_of, load, resolved
from bot.dependents.schemas.shapes import Direction, Keys, Shape, ShapeComparer
from bot.dependents.sites import telling
from bot.values import Side

NAME = "openapi"
_FILE = re.compile(r"\.(?:json|ya?ml)$", re.IGNORECASE)
_MARK = re.compile(r"^[ \t]*+\{?[ \t]*+[\"']?(?:openapi|swagger)[\"']?\s*+:\s*+[\"']?[23]\.", re.MULTILINE)
_COMPACT = re.compile(r"[\"'](?:openapi|swagger)[\"']\s*+:\s*+[\"'][23]\.")
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PARAMETER = re.compile(r"\{[^{}/]{0,200}\}")
_DECLARES = re.compile(
    r"\b(?:Route|HandleFunc|router|app|mux|group|blueprint|bp)\b|@\w*(?:Mapping|Get|Post|Put|Patch|Delete|Path|Controller)\b|\b(?:re_)?path\("
)
_CALLS = re.compile(
    r"\.(?:get|post|put|patch|delete|head|request)\w*\s*+[(<]|\bfetch\w*\(|\bcurl\b|\bhttp\w*\.|\brequests?\.|\baxios\b|\$http|\bajax\b|url\s*+[:=]",
    re.IGNORECASE,
)


def wants(path: str) -> bool:
    """Whether it may be a description of the product."""
    return bool(_FILE.search(path)) and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Whether it says which version of OpenAPI it is written in."""
    text = document.text
    look = _COMPACT if text.lstrip()[:1] == "{" else _MARK
    return bool(look.search(text[:50_000]) or look.search(text[-5_000:]))


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """The breaks of each description, by its path; of one that is gone all that it offered is."""
    law = "Clients are generated from it, and tests are run against it."
    all_breaks = breaks.each_version(sides, law, lambda was, now: _Comparison(was, now).all_breaks())
    return list({(one.rule, one.element, one.change): one for one in all_breaks}.values())


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a break is about, what became of it and why that is a break."""

    kind: breaks.Kind
    change: str
    law: str


_RULES: Mapping[str, _Rule] = {
    "path-removed": _Rule("path", "was removed", "A client that calls it gets 404."),
    "operation-removed": _Rule("operation", "was removed", "A client that calls it gets 404 or 405."),
    "operation-renamed": _Rule(
        "operation", "", "Generated clients call it by the operation's id: their method of that name is gone."
    ),
    "parameter-removed": _Rule("parameter", "was removed", "What callers pass in it is ignored or refused."),
    "parameter-required": _Rule("parameter", "is required now", "A call without it is refused."),
    "body-required": _Rule("operation", "is required now", "A call without it is refused."),
    "response-removed": _Rule("operation", "", "Clients wait for this answer."),
}
_ELSEWHERE = ("query", "header", "formData", "cookie")  # where a parameter that goes is missed


class _Comparison:
    """Two versions of one description."""

    def __init__(self, was: breaks.Document, now: breaks.Document) -> None:
        self._was, self._now = was, now
        self._shapes = ShapeComparer(was, now, closed_only=False)

    def all_breaks(self) -> Iterator[breaks.SchemaBreak]:
        """All of them, path by path. A path that refers to another file now is not compared."""
        old, new = _mapping(load(self._was).get("paths")), _mapping(load(self._now).get("paths"))
        there = {_PARAMETER.sub("{}", path): path for path in map(str, new)}
        for path in [path for path in map(str, old) if not path.startswith("x-")]:
            now = path if path in new else there.get(_PARAMETER.sub("{}", path), "")
            was_item, now_item = _part(self._was, old, path), _part(self._now, new, now)
            if "$ref" in now_item:
                continue
            operations = [one for name, one in was_item.items() if name in _METHODS]
            if not now or (operations and not any(method in now_item for method in _METHODS)):
                is_planned = all(_mapping(one).get("deprecated") is True for one in operations)
                yield self._row("path-removed", path, ("paths", path), path, is_planned=is_planned, is_base=True)
            else:
                yield from self._of_path(path, now, was_item, now_item)

    def _of_path(self, path: str, now: str, old: Shape, new: Shape) -> Iterator[breaks.SchemaBreak]:
        for method in _METHODS:
            was, after = _mapping(old.get(method)), _mapping(new.get(method))
            label, keys, at = f"{method.upper()} {path}", ("paths", path, method), ("paths", now, method)
            if was and not after:
                is_planned = was.get("deprecated") is True
                yield self._row("operation-removed", label, keys, path, method, is_planned=is_planned, is_base=True)
            elif was:
                name, new_name = was.get("operationId"), after.get("operationId")
                if name and new_name != name:
                    change = f"has the id {new_name} instead of {name}"
                    yield self._row("operation-renamed", label, (*at, "operationId"), str(name), "id", change=change)
                yield from self._of_parameters(label, path, (old, was), (new, after), at)
                yield from self._of_body(label, path, was, after, (keys, at))
                yield from self._of_answers(label, path, was, after, (keys, at))

    def _of_parameters(
        self, label: str, path: str, olds: Sequence[Shape], news: Sequence[Shape], at: Keys
    ) -> Iterator[breaks.SchemaBreak]:
        before, after = _parameters(self._was, olds), _parameters(self._now, news)
        for (place, name), was in before.items():
            now, element, keys = after.get((place, name)), f"{name} of {label}", (*at, "parameters", name)
            if now is not None:
                if now.get("required") is True and was.get("required") is not True and place != "path":
                    yield self._row("parameter-required", element, keys, name, path)
                yield from self._of_shape(element, path, was.get("schema", was), now.get("schema", now), "in", at, at)
            elif place in _ELSEWHERE and was.get("deprecated") is not True and ("", "") not in after:
                yield self._row("parameter-removed", element, keys, name, path, is_base=True)
        for (place, name), now in after.items() if ("", "") not in before else ():
            if (place, name) not in before and now.get("required") is True and place in _ELSEWHERE:
                element, keys = f"{name} of {label}", (*at, "parameters", name)
                yield self._row("parameter-required", element, keys, "", path, change="is new and required")

    def _of_body(
        self, label: str, path: str, was: Shape, now: Shape, at: tuple[Keys, Keys]
    ) -> Iterator[breaks.SchemaBreak]:
        before, after = _body(self._was, was), _body(self._now, now)
        element, keys = f"the body of {label}", ((*at[0], "requestBody"), (*at[1], "requestBody"))
        yield from self._of_media(element, path, before, after, "in", keys)
        if after.get("required") is True and before.get("required") is not True:
            yield self._row("body-required", element, keys[1], path)

    def _of_answers(
        self, label: str, path: str, was: Shape, now: Shape, at: tuple[Keys, Keys]
    ) -> Iterator[breaks.SchemaBreak]:
        old, new = ({str(key): one for key, one in _mapping(each.get("responses")).items()} for each in (was, now))
        for code in [code for code in old if code.startswith("2")]:
            keys = (*at[0], "responses", code), (*at[1], "responses", code)
            if not any(each.startswith(("2", "default")) for each in new):
                change = f"no longer answers {code}"
                yield self._row("response-removed", label, keys[0], path, change=change, is_base=True)
            before, after = _part(self._was, old, code), _part(self._now, new, code)
            yield from self._of_media(f"the answer of {label}", path, before, after, "out", keys)

    def _of_media(
        self, what: str, path: str, old: Shape, new: Shape, direction: Direction, at: tuple[Keys, Keys]
    ) -> Iterator[breaks.SchemaBreak]:
        """The breaks of a body or an answer, in each form that it has on both sides."""
        before, after = _content(old), _content(new)
        for media in [one for one in before if one in after]:
            yield from self._of_shape(what, path, before[media], after[media], direction, *at)

    def _of_shape(
        self, element: str, path: str, old: object, new: object, direction: Direction, at_old: Keys, at_new: Keys
    ) -> Iterator[breaks.SchemaBreak]:
        for row in self._shapes.compare(old, new, direction, at_old, at_new):
            rule = _Rule("value" if row.rule == "value-removed" else "property", row.change, row.law)
            what = element if row.label == "the value" else f"{row.label} of {element}"
            yield self._row(row.rule, what, row.keys, row.name, path, is_base=row.side == "base", rule=rule)

    def _row(
        self,
        name: str,
        element: str,
        keys: Keys,
        searched: str,
        owner: str = "",
        *,
        change: str = "",
        is_base: bool = False,
        is_planned: bool = False,
        rule: _Rule | None = None,
    ) -> breaks.SchemaBreak:
        """Build a break. `searched`: what its users write."""
        document, rule = self._was if is_base else self._now, rule or _RULES[name]
        line, side = line_of(document.text, keys), "base" if is_base else "head"
        return breaks.SchemaBreak(
            name, rule.kind, element, change or rule.change, rule.law, document.path, line, cast("Side", side), searched, owner,
            is_planned=is_planned,
        )  # fmt: skip


def _part(document: breaks.Document, holder: Shape, key: str) -> Shape:
    """What a holder has under a key, behind its reference."""
    return _mapping(resolved(document, holder.get(key), ())[0])


def _parameters(document: breaks.Document, holders: Sequence[Shape]) -> dict[tuple[str, str], Shape]:
    """The parameters by place and name; one that another file describes has neither."""
    entries = [one for holder in holders for one in _listed(holder.get("parameters"))]
    rows = [_mapping(resolved(document, one, ())[0]) for one in entries]
    return {(str(row.get("in") or ""), str(row.get("name") or "")): row for row in rows if row.get("in") != "body"}


def _body(document: breaks.Document, operation: Shape) -> Shape:
    """What holds the schema of the body: a part of its own, in Swagger a parameter."""
    rows = [_mapping(resolved(document, one, ())[0]) for one in _listed(operation.get("parameters"))]
    return next((row for row in rows if row.get("in") == "body"), _part(document, operation, "requestBody"))


def _content(holder: Shape) -> dict[str, object]:
    if "schema" in holder:
        return {"": holder["schema"]}
    return {str(media): _mapping(one).get("schema") for media, one in _mapping(holder.get("content")).items()}


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _segments(path: str) -> list[str]:
    return [part for part in path.split("/") if part and "{" not in part]


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The rarest part of a path, or the name."""
    if one.kind in ("path", "operation") and one.name.startswith("/"):
        return frozenset(re.findall(r"\w+", max(_segments(one.name), key=len, default=""))[-1:])
    return frozenset({one.name}) | (breaks.spellings(one.name) if one.kind not in ("value", "file") else frozenset())


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a line of a client calls the path, or names what it sends and receives there."""
    if one.kind == "file":
        return breaks.of_file(one, place.text)
    if _FILE.search(place.path) or one.rule == "body-required":  # a call may well send one
        return ""
    if one.kind in ("path", "operation") and one.name.startswith("/"):
        return _of_path(one, place.text)
    if one.owner == "id":
        is_called = telling(one.name) and re.search(rf"[.\s>:]{re.escape(one.name)}\s*+\(", place.text)
        return "hint" if is_called else ""
    if one.rule not in ("property-removed", "value-removed", "parameter-removed"):
        return ""
    last = re.escape((_segments(one.owner) or [" "])[-1])
    is_near = telling(one.name) and one.name not in COMMON and re.search(rf"[/\"'`]{last}[/\"'`?$]", place.whole)
    return "hint" if is_near else ""


def _of_path(one: breaks.SchemaBreak, text: str) -> breaks.Likeness:
    parts = _segments(one.name)
    if not parts or (len(parts) == 1 and not telling(parts[0].replace("-", "_"))):
        return ""
    shape = "".join(
        "/" + (re.escape(part) if "{" not in part else r"[^/\"'`\s]{1,80}") for part in one.name.strip("/").split("/")
    )
    if not re.search(rf"{shape}/?(?:[?\"'`#\s]|$)", text) or _DECLARES.search(text):
        return ""
    if one.kind == "operation" and not re.search(rf"\b{one.owner}\b|{one.owner.upper()}", text):
        return ""
    return "sure" if len(parts) > 1 and _CALLS.search(text) else "hint"
