"""Check GraphQL schemas: what they no longer offer to clients or newly require.

A schema may have many files that extend each other's types, so the changed files are read as parts of one
schema. Queries and fragments, also in code, are read with the schema's types, so selecting a removed field is
proven.
"""

import re

from deeprepo.impact.everyday import COMMON, is_specific
from deeprepo.impact.schemas import breaks

NAME = "graphql"
_FILE = re.compile(r"\.(?:graphqls?|gql)$", re.IGNORECASE)
_IS_SCHEMA = re.compile(
    r"^[ \t]*+(?:extend[ \t]++)?(?:type|input|enum|interface|schema|union|scalar|directive)\b", re.MULTILINE
)
_IS_QUERY = re.compile(r"\bgql\b|graphql\b|(?:query|mutation|fragment)\s++\w")
_HEAD = re.compile(r"\bon\s++(\w++)|\b(query|mutation|subscription)\b")
_ROOTS = ("Query", "Mutation", "Subscription")


def wants(path: str) -> bool:
    """Return whether it may be a schema of the product, or a query."""
    return bool(_FILE.search(path)) and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Return whether it defines a type, unlike a file of queries."""
    return bool(_IS_SCHEMA.search(document.text))


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return the breaks between all changed schema files of both sides, read as one schema."""
    # imported here because few changes affect such a schema
    from deeprepo.impact.schemas.graphql_breaks import compared

    before, after = ([one for one in side if is_schema(one)] for side in (sides.before, sides.after))
    return compared(breaks.SchemaSides(before, after))


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Return whether a query selects the element, or code mentions it near its type."""
    is_file = bool(_FILE.search(place.path))
    if is_file and _IS_SCHEMA.search(place.whole):
        return ""  # a copy of the schema, or another one
    is_exact = bool(re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", place.text))
    if is_file or _IS_QUERY.search("\n".join(place.lines[max(0, place.line - 80) : place.line])):
        return _in_query(one, place) if is_exact else ""
    if one.kind == "type":
        return breaks.by_name(one, place, [one.name]) if is_exact else ""
    return breaks.by_name(one, place) if one.owner not in _ROOTS else ""


def _in_query(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Return whether a line of a query uses the element: a field, type, value or argument."""
    text, name, owner = place.text, re.escape(one.name), re.escape(one.owner)
    around = "\n".join(place.lines[max(0, place.line - 6) : place.line])
    look = {
        "type": rf"\bon\s++{name}\b|\$\w++\s*+:\s*+\[?{name}\b",
        "value": rf":\s*+\[?\s*+{name}\b",
        "parameter": rf"\b{owner}\s*+\([^)]{{0,400}}?{name}\s*+:",
    }.get(one.kind, rf"(?:^\s*+|[{{}}\s])(?:\w++\s*+:\s*+)?{name}\s*+(?:$|[({{@\s}}])")
    if _IS_SCHEMA.search(text) or not re.search(look, around if one.kind == "parameter" else text):
        return ""
    if one.kind != "field":
        return "hint" if one.kind == "value" else "sure"
    enclosing = _enclosing(place)
    if enclosing.lower() == one.owner.lower():
        return "sure"
    is_possible = not enclosing and one.owner not in _ROOTS and is_specific(one.name) and one.name not in COMMON
    return "hint" if is_possible else ""


def _enclosing(place: breaks.SchemaPlace) -> str:
    """Return the type whose fields are selected around a line, or "".

    It is the type of the enclosing fragment or operation; inside another field it is unknown.
    """
    lines = place.lines[max(0, place.line - 400) : place.line - 1]
    above, depth = "\n".join(line[:400].partition("#")[0] for line in lines), 0
    for at in range(len(above) - 1, -1, -1):
        depth += (above[at] == "}") - (above[at] == "{")
        if depth < 0:
            head = re.split(r"[{}`\"']", above[max(0, at - 2_000) : at])[-1]
            names = _HEAD.findall(head)
            # a query without its keyword
            return "".join(names[-1]) if names else "query" if not head.strip() else ""
    return ""
