"""GraphQL: what a schema no longer offers to its clients, or newly requires of them.

A schema may consist of many files, and a type may be extended in each: the changed files are taken as parts of one schema. A query or a
fragment in the tree, or in a literal of code, is read with the types of the schema: a selection of a field that is gone is proven.
"""

import re

from bot.dependents.byname import COMMON
from bot.dependents.schemas import breaks
from bot.dependents.sites import telling

NAME = "graphql"
_FILE = re.compile(r"\.(?:graphqls?|gql)$", re.IGNORECASE)
_IS_SCHEMA = re.compile(
    r"^[ \t]*+(?:extend[ \t]++)?(?:type|input|enum|interface|schema|union|scalar|directive)\b", re.MULTILINE
)
_ROOTS = ("Query", "Mutation", "Subscription")


def wants(path: str) -> bool:
    """Whether it may be a schema of the product, or a query."""
    return bool(_FILE.search(path)) and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Whether it defines a type: a file of queries does not."""
    return bool(_IS_SCHEMA.search(document.text))


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """The breaks between all changed files of both sides, taken as parts of one schema; queries are left out."""
    from bot.dependents.schemas.graphql_breaks import compared  # here: few changes touch such a schema

    before, after = ([one for one in side if is_schema(one)] for side in (sides.before, sides.after))
    return compared(breaks.SchemaSides(before, after))


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The name as queries write it, and as code does."""
    if one.kind in ("value", "parameter"):
        return frozenset({one.name})
    return breaks.spellings(one.name) | {one.name}


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a query selects it, or code names it beside its type."""
    text = place.text
    if _FILE.search(place.path) and _IS_SCHEMA.search(place.whole):
        return ""  # a copy of the schema, or another one
    is_exact = bool(re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", text))
    if _FILE.search(place.path) or re.search(
        r"\bgql\b|graphql\b|(?:query|mutation|fragment)\s++\w",
        "\n".join(place.lines[max(0, place.line - 80) : place.line]),
    ):
        return _in_query(one, place) if is_exact else ""
    if (
        not telling(one.name)
        or one.name in COMMON
        or (one.owner in ("Query", "Mutation", "") and one.kind == "field" and not is_exact)
    ):
        return ""
    whole = place.whole
    owner = one.owner if one.owner not in _ROOTS else ""
    if one.kind == "type":
        return "hint" if is_exact else ""
    return "hint" if owner and re.search(rf"(?<![A-Za-z]){re.escape(owner)}", whole) else ""


def _in_query(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:  # noqa: PLR0911 - one for each kind of element
    """What a line of a query says: it selects a field within a fragment on its type, a root field, a type, a value, an argument."""
    text = place.text
    if _IS_SCHEMA.search(text):
        return ""
    name = re.escape(one.name)
    if one.kind == "type":
        return "sure" if re.search(rf"\bon\s++{name}\b|\$\w++\s*+:\s*+\[?{name}\b", text) else ""
    if one.kind == "value":
        return "hint" if re.search(rf":\s*+\[?\s*+{name}\b", text) else ""
    if one.kind == "parameter":
        around = "\n".join(place.lines[max(0, place.line - 6) : place.line])
        return "sure" if re.search(rf"\b{re.escape(one.owner)}\s*+\([^)]{{0,400}}?{name}\s*+:", around) else ""
    if not re.search(rf"(?:^\s*+|[{{}}\s])(?:\w++\s*+:\s*+)?{name}\s*+(?:$|[({{@\s}}])", text):
        return ""
    around = _enclosing(place)
    if one.owner in _ROOTS:
        return "sure" if around.lower() == one.owner.lower() else ""
    return (
        "sure"
        if around == one.owner
        else ("hint" if around == "?" and telling(one.name) and one.name not in COMMON else "")
    )


def _enclosing(place: breaks.SchemaPlace) -> str:
    """The type whose fields are selected around a line, if a fragment or an operation names it; "?" within another field."""
    depth = 0
    for at in range(place.line - 2, max(-1, place.line - 400), -1):
        text = place.lines[at][:400].partition("#")[0]
        for letter in reversed(text):
            depth += (letter == "}") - (letter == "{")
            if depth < 0:
                break
        if depth < 0:
            if match := re.search(r"\bon\s++(\w++)[^{]{0,200}\{[^{}]*$", text):
                return match[1]
            if match := re.search(r"\b(query|mutation|subscription)\b[^{]{0,300}\{[^{}]*$", text):
                return match[1]
            if re.search(r"^\s*+\)[^{]*\{", text):  # the end of an operation's variables
                above = "\n".join(place.lines[max(0, at - 30) : at + 1])
                matches = re.findall(r"\b(query|mutation|subscription)\b", above)
                return matches[-1] if matches and re.match(r"^\)", text) else "?"
            if re.match(r"^\s*+\{\s*+$", text) and not text.startswith((" ", "\t")):
                return "query"
            return "?"
    return "?"
