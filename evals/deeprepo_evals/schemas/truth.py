r"""What really broke, told by plain text alone: no parser and no comparison of the product takes part.

**SQL.** A commit whose migration drops or renames a column or a table that code of its parent names. As people mostly mend the code in
the same commit, the case is the migration alone, on the parent: what they would have broken had they forgotten the rest. The whole
commits, with the code that people mended, are the ordinary ones.

**The others.** A commit is a break if a line that declares something (a field, an operation, a value) goes and its name is in no changed
schema afterwards; it is ordinary if nothing that a line declares goes. Of JSON Schema the name must be a property of an object that refuses
others, as any other object accepts it as before, or a definition of a file that holds definitions alone.
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


def refused_names(text: str) -> frozenset[str]:
    """The names without which a JSON Schema refuses what it took: properties of closed objects, and definitions that stand for themselves."""
    try:
        root = json.loads(text)
    except ValueError:
        return frozenset()
    names: set[str] = set()
    rest = [root]
    while rest:
        value = rest.pop()
        if isinstance(value, list):
            rest += value
        elif isinstance(value, dict):
            rest += value.values()
            if value.get("additionalProperties") is False and isinstance(value.get("properties"), dict):
                names |= value["properties"].keys()
    if isinstance(root, dict) and not {"properties", "type", "$ref", "allOf", "anyOf", "oneOf", "items"} & root.keys():
        names |= (root.get("definitions") or root.get("$defs") or {}).keys()
    return frozenset(names)
