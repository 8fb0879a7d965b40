"""OpenAPI and Swagger: what clients of a description call, send and receive, and no longer can."""

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.dependents.byname import COMMON
from bot.dependents.keys import declares
from bot.dependents.schemas import breaks
from bot.dependents.schemas.documents import line_of, load, target_of
from bot.dependents.schemas.shapes import Direction, Keys, Shape, ShapeComparer
from bot.dependents.sites import telling
from bot.values import Severity

NAME = "openapi"
_FILE = re.compile(r"\.(?:json|ya?ml)$", re.IGNORECASE)
_MARK = re.compile(r"^[ \t]*+\{?[ \t]*+[\"']?(?:openapi|swagger)[\"']?\s*+:\s*+[\"']?[23]\.", re.MULTILINE)
_COMPACT = re.compile(r"[\"'](?:openapi|swagger)[\"']\s*+:\s*+[\"'][23]\.")
_Parameters = dict[tuple[str, str], Mapping[str, object]]  # by place and name
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PARAMETER = re.compile(r"\{[^{}/]{0,200}\}")
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
    all_breaks = breaks.each_version(sides, law, lambda was, now: _Comparison(was, now).all_breaks(), load)
    return list({(one.rule, one.element, one.change): one for one in all_breaks}.values())


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


class _Comparison:
    """Two versions of one description."""

    def __init__(self, was: breaks.Document, now: breaks.Document) -> None:
        self._was, self._now = was, now
        self._old, self._new = load(was), load(now)
        self._shapes = ShapeComparer(was, now, closed_only=False)

    def all_breaks(self) -> Iterator[breaks.SchemaBreak]:
        """All of them, path by path."""
        old, new = _mapping(self._old.get("paths")), _mapping(self._new.get("paths"))
        there = {_PARAMETER.sub("{}", path): path for path in map(str, new)}
        for path in map(str, old):
            if path.startswith("x-"):
                continue
            now = path if path in new else there.get(_PARAMETER.sub("{}", path))
            was_item = self._resolved(self._old, old[path])
            now_item = self._resolved(self._new, new[now]) if now is not None else {}
            reference = now_item.get("$ref")
            is_elsewhere = bool(reference) and reference == was_item.get("$ref")
            if now is None or (_offers(was_item) and not _offers(now_item) and not is_elsewhere):
                is_planned = all(
                    _mapping(one).get("deprecated") is True for name, one in was_item.items() if name in _METHODS
                )
                yield self._row(
                    "path-removed",
                    "path",
                    path,
                    "was removed",
                    "A client that calls it gets 404.",
                    ("paths", path),
                    path,
                    "",
                    is_base=True,
                    is_planned=is_planned,
                    doubt="its path refers to another file now, which was not read" if reference else "",
                )
                continue
            yield from self._of_path(path, now, was_item, now_item)

    def _of_path(
        self, path: str, now: str, old: Mapping[str, object], new: Mapping[str, object]
    ) -> Iterator[breaks.SchemaBreak]:
        for method in _METHODS:
            was, after = _mapping(old.get(method)), _mapping(new.get(method))
            if not was:
                continue
            label = f"{method.upper()} {path}"
            if not after:
                reference = new.get("$ref")
                if not reference or reference != old.get("$ref"):
                    yield self._row(
                        "operation-removed",
                        "operation",
                        label,
                        "was removed",
                        "A client that calls it gets 404 or 405.",
                        ("paths", path, method),
                        path,
                        method,
                        is_base=True,
                        is_planned=was.get("deprecated") is True,
                        doubt="its path refers to another file now, which was not read" if reference else "",
                    )
                continue
            if was.get("operationId") and after.get("operationId") != was["operationId"]:
                law = "Generated clients call it by the operation's id: their method of that name is gone."
                yield self._row(
                    "operation-renamed",
                    "operation",
                    label,
                    f"has the id {after.get('operationId')} instead of {was['operationId']}",
                    law,
                    ("paths", now, method, "operationId"),
                    str(was["operationId"]),
                    "id",
                    is_base=False,
                )
            yield from self._of_parameters(label, path, (was, old), (after, new), ("paths", now, method))
            yield from self._of_bodies(label, path, was, after, (("paths", path, method), ("paths", now, method)))

    def _of_parameters(
        self,
        label: str,
        path: str,
        olds: Sequence[Mapping[str, object]],
        news: Sequence[Mapping[str, object]],
        at: Keys,
    ) -> Iterator[breaks.SchemaBreak]:
        before, after = self._parameters(self._old, olds), self._parameters(self._new, news)
        elsewhere = "a parameter refers to another file, which was not read"
        without, beside = (
            elsewhere if self._has_unread(*side) else "" for side in ((self._new, news), (self._old, olds))
        )
        for (place, name), was in before.items():
            now = after.get((place, name))
            element = f"{name} of {label}"
            if now is None:
                if place in ("query", "header", "formData", "cookie") and was.get("deprecated") is not True:
                    yield self._row(
                        "parameter-removed",
                        "parameter",
                        element,
                        "was removed",
                        "What callers pass in it is ignored or refused.",
                        (*at[:2], at[2], "parameters", name),
                        name,
                        path,
                        is_base=True,
                        doubt=without,
                    )
                continue
            if now.get("required") is True and was.get("required") is not True and place != "path":
                yield self._row(
                    "parameter-required",
                    "parameter",
                    element,
                    "is required now",
                    "A call without it is refused.",
                    (*at, "parameters", name),
                    name,
                    path,
                    is_base=False,
                )
            yield from self._of_shape(element, path, was.get("schema", was), now.get("schema", now), "in", at, at)
        yield from self._of_new_parameters(label, path, before, after, at, beside)

    def _of_new_parameters(
        self, label: str, path: str, before: _Parameters, after: _Parameters, at: Keys, doubt: str
    ) -> Iterator[breaks.SchemaBreak]:
        for (place, name), now in after.items():
            if (
                (place, name) not in before
                and now.get("required") is True
                and place in ("query", "header", "formData", "cookie")
            ):
                yield self._row(
                    "parameter-required",
                    "parameter",
                    f"{name} of {label}",
                    "is new and required",
                    "A call without it is refused.",
                    (*at, "parameters", name),
                    "",
                    path,
                    is_base=False,
                    doubt=doubt,
                )

    def _parameters(self, root: Mapping[str, object], holders: Sequence[Mapping[str, object]]) -> _Parameters:
        rows: _Parameters = {}
        for holder in reversed(holders):
            entries = holder.get("parameters")
            for one in entries if isinstance(entries, list) else []:
                row = self._resolved(root, one)
                if isinstance(row.get("name"), str) and row.get("in") != "body":
                    rows[str(row.get("in")), str(row["name"])] = row
        return rows

    def _has_unread(self, root: Mapping[str, object], holders: Sequence[Mapping[str, object]]) -> bool:
        """Whether a parameter is described in another file."""
        lists = [entries for holder in holders for entries in (holder.get("parameters"),) if isinstance(entries, list)]
        return any("$ref" in self._resolved(root, one) for entries in lists for one in entries)

    def _of_bodies(
        self, label: str, path: str, was: Mapping[str, object], now: Mapping[str, object], at: tuple[Keys, Keys]
    ) -> Iterator[breaks.SchemaBreak]:
        before, after = self._body(self._old, was), self._body(self._new, now)
        body = (*at[0], "requestBody"), (*at[1], "requestBody")
        yield from self._of_media(f"the body of {label}", path, before, after, "in", body)
        if self._asks_for_body(self._new, now) and not self._asks_for_body(self._old, was):
            yield self._row(
                "body-required",
                "operation",
                f"the body of {label}",
                "is required now",
                "A call without it is refused.",
                body[1],
                path,
                "",
                is_base=False,
            )
        old, new = _mapping(was.get("responses")), _mapping(now.get("responses"))
        for code in map(str, old):
            if not code.startswith("2"):
                continue
            one, other = self._resolved(self._old, _by_code(old, code)), self._resolved(self._new, _by_code(new, code))
            if not other and not any(str(each).startswith(("2", "default")) for each in new):
                yield self._row(
                    "response-removed",
                    "operation",
                    label,
                    f"no longer answers {code}",
                    "Clients wait for this answer.",
                    (*at[0], "responses", code),
                    path,
                    "",
                    is_base=True,
                )
            content, others = self._content(one), self._content(other)
            answer = (*at[0], "responses", code), (*at[1], "responses", code)
            yield from self._of_media(f"the answer of {label}", path, content, others, "out", answer)

    def _of_media(
        self, what: str, path: str, before: Shape, after: Shape, direction: Direction, at: tuple[Keys, Keys]
    ) -> Iterator[breaks.SchemaBreak]:
        """The breaks of a body or an answer, in each form that it has on both sides."""
        for media in [one for one in before if one in after]:
            yield from self._of_shape(what, path, before[media], after[media], direction, *at)

    def _body(self, root: Mapping[str, object], operation: Mapping[str, object]) -> dict[str, object]:
        entries = operation.get("parameters")
        for one in entries if isinstance(entries, list) else []:
            row = self._resolved(root, one)
            if row.get("in") == "body":
                return {"": row.get("schema")}
        return self._content(self._resolved(root, operation.get("requestBody")))

    def _asks_for_body(self, root: Mapping[str, object], operation: Mapping[str, object]) -> bool:
        entries = operation.get("parameters")
        rows = [self._resolved(root, one) for one in entries] if isinstance(entries, list) else []
        body = [self._resolved(root, operation.get("requestBody")), *(row for row in rows if row.get("in") == "body")]
        return any(row.get("required") is True for row in body)

    def _content(self, holder: Mapping[str, object]) -> dict[str, object]:
        if "schema" in holder:
            return {"": holder["schema"]}
        return {str(media): _mapping(one).get("schema") for media, one in _mapping(holder.get("content")).items()}

    def _of_shape(
        self, element: str, path: str, old: object, new: object, direction: Direction, at_old: Keys, at_new: Keys
    ) -> Iterator[breaks.SchemaBreak]:
        for row in self._shapes.compare(old, new, direction, at_old, at_new):
            kind: breaks.Kind = "value" if row.rule == "value-removed" else "property"
            what = element if row.label == "the value" else f"{row.label} of {element}"
            yield self._row(
                row.rule,
                kind,
                what,
                row.change,
                row.law,
                row.keys,
                row.name,
                path,
                is_base=row.side == "base",
                doubt=row.doubt,
            )

    def _resolved(self, root: Mapping[str, object], value: object) -> Mapping[str, object]:
        for _ in range(10):
            reference = _mapping(value).get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#"):
                break
            value = target_of(root, reference)
        return _mapping(value)

    def _row(
        self,
        rule: str,
        kind: breaks.Kind,
        element: str,
        change: str,
        law: str,
        keys: Keys,
        name: str,
        owner: str,
        *,
        is_base: bool,
        is_planned: bool = False,
        doubt: str = "",
    ) -> breaks.SchemaBreak:
        document = self._was if is_base else self._now
        alone: Severity = "low"
        return breaks.SchemaBreak(
            rule,
            kind,
            element,
            change,
            law,
            document.path,
            line_of(document.text, keys),
            "base" if is_base else "head",
            name,
            owner,
            alone,
            is_planned,
            doubt=doubt,
        )


def _offers(item: Mapping[str, object]) -> bool:
    """Whether a path has an operation."""
    return any(_mapping(item.get(method)) for method in _METHODS)


def _by_code(responses: Mapping[str, object], code: str) -> object:
    return next((one for key, one in responses.items() if str(key) == code), None)


def _segments(path: str) -> list[str]:
    return [part for part in path.split("/") if part and "{" not in part]


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The rarest part of a path, or the name."""
    if one.kind in ("path", "operation") and one.name.startswith("/"):
        return frozenset(re.findall(r"\w+", max(_segments(one.name), key=len, default=""))[-1:])
    return frozenset({one.name}) if one.kind in ("value", "file") else breaks.spellings(one.name) | {one.name}


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:  # noqa: PLR0911 - one for each kind of element
    """Whether a line of a client calls the path, or names what it sends and receives there."""
    text = place.text
    if one.kind == "file":
        return "sure" if re.search(rf"[/\"'` ]{re.escape(one.name)}[\"'`#\s]", text) else ""
    if _FILE.search(place.path):
        return ""
    if one.rule == "body-required":  # a call may well send one
        return ""
    if one.kind in ("path", "operation") and one.name.startswith("/"):
        return _of_path(one, text)
    if one.owner == "id":
        return "hint" if telling(one.name) and re.search(rf"[.\s>:]{re.escape(one.name)}\s*+\(", text) else ""
    if one.rule in ("property-required", "parameter-required", "bound-tightened", "value-restricted", "type-changed"):
        return ""
    if not telling(one.name) or one.name in COMMON:
        return ""
    whole = place.whole
    parts = _segments(one.owner)
    return "hint" if parts and re.search(rf"[/\"'`]{re.escape(parts[-1])}[/\"'`?$]", whole) else ""


def _of_path(one: breaks.SchemaBreak, text: str) -> breaks.Likeness:
    parts = _segments(one.name)
    if not parts or (len(parts) == 1 and not telling(parts[0].replace("-", "_"))):
        return ""
    shape = "".join(
        "/" + (re.escape(part) if "{" not in part else r"[^/\"'`\s]{1,80}") for part in one.name.strip("/").split("/")
    )
    if (
        not re.search(rf"{shape}/?(?:[?\"'`#\s]|$)", text)
        or declares(one.name, text)
        or re.search(r"\b(?:Route|HandleFunc|router|app|mux|group)\b", text)
    ):
        return ""
    if one.kind == "operation" and not re.search(rf"\b{one.owner}\b|{one.owner.upper()}", text):
        return ""
    return "sure" if len(parts) > 1 and _CALLS.search(text) else "hint"
