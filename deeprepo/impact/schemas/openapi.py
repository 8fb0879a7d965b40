"""Check OpenAPI and Swagger descriptions: what clients can no longer call, send or receive."""

import re
from collections.abc import Container, Iterable, Iterator

from deeprepo.impact.everyday import is_specific
from deeprepo.impact.schemas import breaks
from deeprepo.impact.schemas.documents import Node, load
from deeprepo.impact.schemas.shapes import Members, Part, ShapeComparer
from deeprepo.impact.structs import replace

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
_MISSED = ("query", "header", "formData", "cookie")  # locations where a removed parameter matters


def wants(path: str) -> bool:
    """Return whether it may be a description of the product."""
    return bool(_FILE.search(path)) and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Return whether a document declares an OpenAPI version."""
    text = document.text
    look = _COMPACT if text.lstrip()[:1] == "{" else _MARK
    return bool(look.search(text[:50_000]) or look.search(text[-5_000:]))


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return the breaks of each description."""
    rows = breaks.each_version(sides, _breaks)
    return list({(one.rule, one.element, one.change): one for one in rows}.values())


def _breaks(was: breaks.Document, now: breaks.Document) -> Iterator[breaks.SchemaBreak]:
    """Yield the breaks by path. A path that now refers to another file is not compared."""
    old, new = Node(was, load(was)).at("paths"), Node(now, load(now)).at("paths")
    there = {_PARAMETER.sub("{}", path): path for path in new.mapping}
    comparer = ShapeComparer(closed_only=False)
    for path in [one for one in old.mapping if one.startswith("/")]:
        before = old.at(path)
        after = new.at(path if path in new.mapping else there.get(_PARAMETER.sub("{}", path), ""))
        methods = [method for method in _METHODS if method in before.mapping]
        if "$ref" in after.mapping:
            continue
        if not after.mapping or (methods and not any(method in after.mapping for method in _METHODS)):
            yield _gone("path", path, path, before, [before.at(method) for method in methods])
            continue
        for method in methods:
            if method in after.mapping:
                yield from _of_operation(comparer, f"{method.upper()} {path}", (before, after), method)
            else:
                yield _gone("operation", f"{method.upper()} {path}", path, before.at(method), [before.at(method)])


def _gone(kind: breaks.Kind, element: str, path: str, at: Node, operations: list[Node]) -> breaks.SchemaBreak:
    law = "A client that calls it gets 404." if kind == "path" else "A client that calls it gets 404 or 405."
    # the most specific part of a path
    words = re.findall(r"\w+", max(_segments(path), key=len, default=""))[-1:]
    return breaks.SchemaBreak(
        f"{kind}-removed", kind, element, "was removed", law, at.document.path, at.line, "base", path, at.keys[-1],
        is_planned=bool(operations) and all(one.mapping.get("deprecated") is True for one in operations), searched=frozenset(words),
    )  # fmt: skip


def _of_operation(
    comparer: ShapeComparer, label: str, items: tuple[Node, Node], method: str
) -> Iterator[breaks.SchemaBreak]:
    owner = (_segments(label.partition(" ")[2]) or [""])[-1]
    old, new = (item.at(method) for item in items)
    name, new_name = (str(one.mapping.get("operationId") or "") for one in (old, new))
    if name and new_name != name:
        law = "Generated clients name their method after the operation ID, so that method no longer exists."
        change = f"has the id {new_name} instead of {name}"
        part = Part(label, "id")
        yield part.broken("operation-renamed", change, law, new.at("operationId"), "head", (), name, kind="operation")
    part = Part(label, owner, noun="parameter")
    before, after = _body(old), _body(new)
    given, taken = (_parameters(item, one) for item, one in zip(items, (old, new), strict=True))
    yield from _moved(comparer.of_members(part, given, taken), _content(after).at("properties").mapping, "the body")
    part = Part(f"the body of {label}", owner)
    if after.mapping.get("required") is True and before.mapping.get("required") is not True:
        law = "A call without it is refused."
        yield part.broken("body-required", "is now required", law, after, "head", (), kind="operation")
    yield from _moved(comparer.compare(part, _content(before), _content(after)), taken.properties, "the parameters")
    for code in [one for one in old.at("responses").mapping if one.startswith("2")]:
        part = Part(f"the answer of {label}", owner, "out")
        yield from comparer.compare(part, _content(old.at("responses", code)), _content(new.at("responses", code)))


def _moved(rows: Iterable[breaks.SchemaBreak], names: Container[str], place: str) -> Iterator[breaks.SchemaBreak]:
    """Yield the breaks, and say of each removed name that another part of the request has now where it went."""
    for row in rows:
        is_whole = row.rule.endswith("-removed") and row.element.startswith(f"{row.name} of ")
        yield replace(row, change=f"moved to {place}") if is_whole and row.name in names else row


def _parameters(item: Node, operation: Node) -> Members:
    """Return the parameters of an operation and its path, except path parameters.

    Those in other files are unknown.
    """
    members = Members()
    for holder in (item, operation):
        for entry in holder.at("parameters").parts():
            row = entry.mapping
            name, at = str(row.get("name")), (*holder.keys, "parameters", str(row.get("name")))
            members.is_vague |= "$ref" in row
            if row.get("in") in _MISSED:
                schema = row.get("schema", row)
                shape = {**(schema if isinstance(schema, dict) else {}), "deprecated": row.get("deprecated")}
                members.properties[name] = Node(item.document, shape, at)
                members.required |= {name: members.properties[name]} if row.get("required") is True else {}
    return members


def _body(operation: Node) -> Node:
    """Return the node with the schema of the body; in Swagger, it is a parameter."""
    rows = [one for one in operation.at("parameters").parts() if one.mapping.get("in") == "body"]
    return rows[0] if rows else operation.at("requestBody")


def _content(holder: Node) -> Node:
    """Return the schema of a body or response, preferably its JSON form."""
    if "schema" in holder.mapping:
        return holder.at("schema")
    forms = sorted(holder.at("content").mapping, key=lambda form: "json" not in form)
    return holder.at("content", forms[0] if forms else "", "schema")


def _segments(path: str) -> list[str]:
    return [part for part in path.split("/") if part and "{" not in part]


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Return whether a line of a client calls the path, or mentions what it exchanges there."""
    if _FILE.search(place.path):
        return ""
    if one.rule in ("path-removed", "operation-removed"):
        return _of_path(one, place.text)
    if one.owner == "id":
        is_called = is_specific(one.name) and re.search(rf"[.\s>:]{re.escape(one.name)}\s*+\(", place.text)
        return "hint" if is_called else ""
    is_near = re.search(rf"[/\"'`]{re.escape(one.owner)}[/\"'`?$]", place.whole)
    return breaks.by_name(one, place) if is_near and one.rule.endswith("-removed") else ""


def _of_path(one: breaks.SchemaBreak, text: str) -> breaks.Likeness:
    parts = _segments(one.name)
    if not parts or (len(parts) == 1 and not is_specific(parts[0].replace("-", "_"))):
        return ""
    shape = "".join(
        "/" + (re.escape(part) if "{" not in part else r"[^/\"'`\s]{1,80}") for part in one.name.strip("/").split("/")
    )
    if not re.search(rf"{shape}/?(?:[?\"'`#\s]|$)", text) or _DECLARES.search(text):
        return ""
    if one.kind == "operation" and not re.search(rf"\b{one.owner}\b|{one.owner.upper()}", text):
        return ""
    return "sure" if len(parts) > 1 and _CALLS.search(text) else "hint"
