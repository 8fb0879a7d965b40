r"""What really broke, told by plain text alone: no parser and no comparison of the product takes part.

**SQL.** A commit whose migration drops or renames a column or a table that code of its parent names. As people mostly mend the code in
the same commit, the case is the migration alone, on the parent: what they would have broken had they forgotten the rest. The whole
commits, with the code that people mended, are the ordinary ones.

**The others.** A commit is a break if a line that declares something (a field, an operation, a value) goes and its name is in no changed
schema afterwards; it is ordinary if nothing that a line declares goes. Of JSON Schema the name must be a property of an object that refuses
others on both sides and to which the schema leads, as any other object accepts it as before, or a definition of a file that holds definitions alone.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

DROPS = re.compile(
    r"\bDROP\s+COLUMN\s+(?:IF\s+EXISTS\s+)?[\"`\[]?(?P<a>\w+)|\bRENAME\s+(?:COLUMN\s+)?[\"`\[]?(?P<b>\w+)[\"`\]]?\s+TO\b"
    r"|\b(?:remove_column|rename_column|drop_column)\(?\s*[:'\"]\w+['\"]?,\s*[:'\"](?P<c>\w+)|\b(?:RemoveField|RenameField)\(\s*model_name=[\"']\w+[\"'],\s*(?:old_)?name=[\"'](?P<d>\w+)"
    r"|->(?:dropColumn|renameColumn)\(\[?['\"](?P<e>\w+)|\.dropColumn\(['\"](?P<f>\w+)",
    re.IGNORECASE,
)
MIGRATION = re.compile(r"migrat|alembic/versions|(^|/)db/|schema|\.sql$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Syntax:
    """Where a language's schemas are, and how a line declares a name."""

    globs: tuple[str, ...]
    declares: re.Pattern[str]
    is_schema: re.Pattern[str]  # of a text


SYNTAXES: Mapping[str, Syntax] = {
    "sql": Syntax(("*migrat*", "*/versions/*.py"), DROPS, re.compile("")),
    "openapi": Syntax(
        tuple(f"*{name}*.{end}" for name in ("openapi", "swagger", "spec", "public") for end in ("json", "yaml", "yml")),
        re.compile(r"^\s*[\"']?(?P<a>/[\w/{}.:-]+)[\"']?\s*:|^\s*[\"']?operationId[\"']?\s*:\s*[\"']?(?P<b>[\w.-]+)"),
        re.compile(r"^\s*[\"']?(?:openapi|swagger)[\"']?\s*:|^\s*\{\s*\"(?:openapi|swagger|components)\"", re.MULTILINE),
    ),
    "protobuf": Syntax(
        ("*.proto",),
        re.compile(
            r"^\s*(?:(?:repeated|optional|required)\s+)?(?:map\s*<[^>]+>|[\w.]+)\s+(?P<a>[a-z]\w+)\s*=\s*\d+|^\s*rpc\s+(?P<b>\w+)|^\s*(?P<c>[A-Z][A-Z0-9_]+)\s*=\s*\d+"
        ),
        re.compile(r"^\s*syntax\s*=|^\s*message\s", re.MULTILINE),
    ),
    "graphql": Syntax(
        ("*.graphql", "*.graphqls", "*.gql"),
        re.compile(r"^\s+(?P<a>[a-z]\w+)(?:\([^)]*\))?\s*:\s*\[?\w|^\s+(?P<b>[A-Z][A-Z0-9_]+)\s*$|^(?:type|input|enum|interface)\s+(?P<c>\w+)"),
        re.compile(r"^(?:extend\s+)?(?:(?:type|input|enum|interface|union)\s+\w|schema\s*\{)", re.MULTILINE),
    ),
    "jsonschema": Syntax(
        ("*schema*.json", "*.jsonschema"),  # data files of other kinds are many, and large
        re.compile(r"^\s*\"(?P<a>[A-Za-z][\w-]+)\"\s*:\s*\{"),
        re.compile(r"\"\$schema\"\s*:\s*\"https?://json-schema\.org"),
    ),
}  # fmt: skip


def declared_name(line: str, syntax: Syntax) -> str:
    """The name that a line declares; of a migration the name that it drops or renames."""
    match = syntax.declares.search(line)
    return next(filter(None, match.groups()), "") if match else ""


def drops(lines: Sequence[str]) -> list[str]:
    """The names of columns and tables that a migration drops or renames."""
    matches = DROPS.finditer("\n".join(lines))
    return [name.lower() for match in matches for name in (next(filter(None, match.groups()), ""),) if name]


DEEPEST = 20  # definitions that refer to definitions
_TEXT = r"(?:[rf]?\"\"\".*?\"\"\"|[rf]?'''.*?'''|[rf]?\"[^\"\n]*\"|[rf]?'[^'\n]*')"
# What takes a migration back within one call: `RunSQL(forward, back)` and `reverse_sql=back` of Django, `execute(forward, back)` of Ecto.
BACK = re.compile(
    rf"\breverse_sql\s*=\s*(?:\[.*?\]|{_TEXT}(?:\s*{_TEXT})*)|(?<=\bRunSQL\()(\s*{_TEXT})\s*,\s*{_TEXT}|(?<=\bexecute)([ (]\s*{_TEXT})\s*,\s*{_TEXT}",
    re.DOTALL,
)
DOWN = re.compile(r"\bdef (?:down|downgrade)\b|function down|\bdown\(|[.+@: -]down\b|!Downs\b", re.IGNORECASE)


def forward(lines: Sequence[str]) -> list[str]:
    """The lines of a migration without those that take it back, and without remarks."""
    text = BACK.sub(lambda match: (match[1] or match[2] or "") + "\n" * match[0].count("\n"), "\n".join(lines))
    rows = text.split("\n")
    at = next((number for number, line in enumerate(rows) if DOWN.search(line)), len(rows))
    return [line for line in rows[:at] if not line.lstrip().startswith(("--", "#", "//"))]


PARAMETER = re.compile(r"\{\w*\}")  # of a path: what it is called is nobody's contract


def losses(removed_lines: Mapping[str, list[str]], after: str, syntax: Syntax) -> dict[str, str]:
    """Name -> path of what removed lines declared, without having announced it, and no changed schema says any more."""
    found: dict[str, str] = {}
    after = PARAMETER.sub("{}", after)
    for path, lines in removed_lines.items():
        for line, following in zip_longest(lines, lines[1:], fillvalue=""):
            name = declared_name(line, syntax)
            if re.search(r"\bdeprecated\b", line) or following.lstrip().startswith("@deprecated"):
                continue
            if name and not re.search(rf"(?<!\w){re.escape(PARAMETER.sub('{}', name))}(?!\w)", after):
                found.setdefault(name, path)
    return found


def tables(text: str) -> list[str]:
    """The tables that a migration names."""
    found = re.findall(
        r"(?:\bTABLE\s+(?:IF\s+EXISTS\s+)?|_column\(?\s*|model_name=|[tT]able\()[\"'`:]{0,2}(\w+)", text, re.IGNORECASE
    )
    return sorted({name.lower() for name in found if len(name) > 2})  # noqa: PLR2004 - a letter is an alias


def returns(name: str, text: str) -> bool:
    """Whether a migration brings the column back that it drops."""
    look = (
        rf"(?:\bTO|new_name=|ADD(?:\s+COLUMN)?|CHANGE\s+COLUMN\s+\S+|add_column\S*\s*\S+,|Column\()\s*[\"'`:]?{name}\b"
    )
    return bool(re.search(look, text, re.IGNORECASE))


def refused_names(before: str, after: str) -> frozenset[str]:
    """The names without which the next version of a JSON Schema refuses what it took: properties of objects that are closed on both sides, and definitions that stand for themselves.

    What nothing in the schema refers to refuses nothing, and neither does an object that takes other properties afterwards. A property that was deprecated has been announced.
    """
    root, new = _read(before), _read(after)
    if not isinstance(root, dict):
        return frozenset()
    containers = [(key, root[key]) for key in ("definitions", "$defs") if isinstance(root.get(key), dict)]
    is_library = not {"properties", "type", "$ref", "allOf", "anyOf", "oneOf", "items"} & root.keys()
    names: set[str] = set()
    rest: list[tuple[tuple[str, ...], object]] = [((), root)]
    if is_library:
        names |= {name for _, container in containers for name in container}
        rest = [((key, name), shape) for key, container in containers for name, shape in container.items()]
    visits: set[int] = set()
    referrers: dict[tuple[str, ...], tuple[str, ...]] = {}  # definition -> the first place that refers to it
    while rest:
        keys, value = rest.pop()
        if id(value) in visits:
            continue
        visits.add(id(value))
        if isinstance(value, list):
            rest += [((*keys, str(number)), one) for number, one in enumerate(value)]
        elif isinstance(value, dict):
            rest += [((*keys, key), one) for key, one in value.items() if key not in ("definitions", "$defs")]
            reference = value.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/"):
                path = tuple(reference.removeprefix("#/").split("/"))
                referrers.setdefault(path, keys)
                rest.append((path, _at(root, path)[1]))
            if _is_closed(value):
                names |= {
                    name
                    for name, shape in value["properties"].items()
                    if not (isinstance(shape, dict) and shape.get("deprecated"))
                    and _is_refused(new, keys, name, referrers)
                }
    return frozenset(names)


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _is_closed(shape: object) -> bool:
    return (
        isinstance(shape, dict)
        and shape.get("additionalProperties") is False
        and isinstance(shape.get("properties"), dict)
    )


def _at(root: object, keys: Sequence[str]) -> tuple[int, object]:
    """How many of some keys lead on in a document, and what is there."""
    value = root
    for count, key in enumerate(keys):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return count, value
    return len(keys), value


def _is_refused(
    new: object,
    keys: tuple[str, ...],
    name: str,
    referrers: Mapping[tuple[str, ...], tuple[str, ...]],
    depth: int = 0,
) -> bool:
    """Whether the object that was at a place takes a property no longer."""
    if new is None:
        return True
    count, value = _at(new, keys)
    if count < len(keys):
        if count and keys[count - 1] == "properties":  # the property that held the object is gone
            return _is_refused(new, keys[: count - 1], keys[count], referrers, depth)
        if keys[count] == "properties" and count + 1 < len(keys):
            return _is_refused(new, keys[:count], keys[count + 1], referrers, depth)
        prefixes = (keys[:end] for end in range(count + 1, len(keys) + 1))
        place = next((referrers[one] for one in prefixes if one in referrers), ())
        if place and depth < DEEPEST and _at(new, place)[0] < len(place):  # so is what referred to the definition
            return _is_refused(new, place, "", referrers, depth + 1)
        return True
    return (
        isinstance(value, dict)
        and _is_closed(value)
        and name not in value["properties"]
        and not any(re.search(pattern, name) for pattern in value.get("patternProperties") or {})
    )
