"""Findings about breaking changes to schemas: what was changed, who uses it, and why it breaks them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from bot.values import Basis, Evidence, Finding, Severity, Source, Verdict
from bot.values.finding import NAMES_IT, USES_IT, break_digest, proof_id
from deeprepo.impact.ports import Tree
from deeprepo.impact.schemas.breaks import SchemaBreak, SchemaUse
from deeprepo.impact.schemas.check import SchemaChange, find_uses, quotes_of
from deeprepo.impact.text.paths import is_test

SOURCE = "schemas"
LABELS = {
    "sql": "SQL", "openapi": "OpenAPI", "protobuf": "Protocol Buffers", "graphql": "GraphQL", "jsonschema": "JSON Schema",
}  # fmt: skip
QUOTED = 12  # references that a finding quotes
LISTED = 10  # further breaks that a hint lists
FEW = 6  # lines with the name that a hint quotes; if there are more, they are only counted


async def findings(tree: Tree, change: SchemaChange) -> tuple[tuple[Finding, ...], tuple[tuple[str, str], ...]]:
    """Return a finding for each break that lines in the repository depend on, and what was not checked.

    The other breaks become one hint per file.
    """
    lookup = await find_uses(tree, change, change.complete)
    uses = lookup.uses
    quotes = await quotes_of(tree, [schema_break for _, schema_break in change.breaks])
    rows = [
        finding(name, schema_break, uses[schema_break], quotes[schema_break])
        for name, schema_break in change.breaks
        if schema_break in uses
    ]
    alone: dict[tuple[str, str, bool], list[SchemaBreak]] = defaultdict(list)
    for name, schema_break in change.breaks:
        if schema_break not in uses and schema_break.alone is not None and not schema_break.is_planned:
            alone[name, schema_break.path, schema_break.alone != "low"].append(schema_break)
    rows += [hint(name, group, quotes, lookup.mentions) for (name, _, _), group in alone.items()]
    return tuple(rows), lookup.open


def finding(language: str, schema_break: SchemaBreak, uses: Sequence[SchemaUse], quote: str) -> Finding:
    """Return a finding for one break and its references.

    It is proven if a line certainly refers to the element.
    """
    sure = [use for use in uses if use.sure]
    shown_uses = sure or list(uses)
    severity: Severity = "high" if any(not is_test(use.path) for use in sure) else "medium"
    files = list(dict.fromkeys(use.path for use in shown_uses))
    more = f" and {len(files) - 1} more {'file' if len(files) == 2 else 'files'}" if len(files) > 1 else ""  # noqa: PLR2004
    still = f"still use{'' if more else 's'} it" if sure else "may still use it"
    reason = "" if sure else " These lines contain its name, but may refer to something else."
    fails = "fails" if language == "sql" else "fails, or silently reads nothing,"
    return Finding(
        path=schema_break.path,
        quote=quote,
        title=f"{schema_break.element} {schema_break.change}, {'but' if sure else 'and'} {files[0]}{more} {still}",
        why=f"{schema_break.law} {files[0]}:{shown_uses[0].line} refers to `{schema_break.name}`.{reason}",
        consequence=f"{'This' if sure else 'If it refers to this element, this'} line {fails} once the change is deployed.",
        severity=severity,
        category="contract",
        basis=Basis(
            (_source([schema_break], proof_id(schema_break.rule, schema_break.element) if sure else ""),),
            verdict=Verdict.PROVEN if sure else Verdict.UNPROVEN,
        ),
        rule=schema_break.rule if sure else f"likely-{schema_break.rule}",
        start=schema_break.line,
        end=schema_break.line,
        side=schema_break.side,
        evidence=tuple(
            Evidence(use.path, use.text, use.line, note=USES_IT if use.sure else NAMES_IT)
            for use in shown_uses[:QUOTED]
        ),
    )


def _source(group: Sequence[SchemaBreak], proof: str = "") -> Source:
    return Source(
        "analyser",
        SOURCE,
        proof=proof,
        breaks=tuple(break_digest(schema_break.rule, schema_break.element) for schema_break in group),
    )


def _not_seen(number: int) -> str:
    """Return a sentence about the number of lines that contain the name but may refer to something else."""
    if number:
        lines, mean = ("1 line", "means") if number == 1 else (f"{number} lines", "mean")
        return f"{lines} in other files still contain{'s' if number == 1 else ''} the name; whether {'it' if number == 1 else 'they'} {mean} this is not known."
    return "No other file contains the name."


def hint(
    language: str,
    group: Sequence[SchemaBreak],
    quotes: Mapping[SchemaBreak, str],
    mentions: Mapping[SchemaBreak, Sequence[SchemaUse]],
) -> Finding:
    """Return one finding for all breaks in a file without known references.

    Other clients may depend on them.
    """
    group = sorted(group, key=lambda schema_break: not schema_break.rule.endswith(("-removed", "-dropped", "-renamed")))
    first = group[0]  # a removal breaks code that only names the element
    label = LABELS[language]
    count = "" if len(group) == 1 else f" (and {len(group) - 1} more {'break' if len(group) == 2 else 'breaks'})"  # noqa: PLR2004
    others = [f"{schema_break.element} {schema_break.change}" for schema_break in group[1 : LISTED + 1]]
    also = f" Also: {'; '.join(others)}." if others else ""
    lines = {(use.path, use.line): use for one in group for use in mentions.get(one, ())}
    return Finding(
        path=first.path,
        quote=quotes[first],
        title=f"{first.element} {first.change}{count}",
        why=f"{first.law}{also}",
        consequence="The migration fails if the table has rows."
        if not first.name
        else f"{_not_seen(len(lines))} By the rules of {label}, any other client that uses it breaks.",
        severity=first.alone or "low",
        category="contract",
        basis=Basis((_source(group),), verdict=Verdict.UNPROVEN),
        rule=first.rule,
        start=first.line,
        end=first.line,
        side=first.side,
        evidence=tuple(Evidence(use.path, use.text, use.line, note=NAMES_IT) for use in lines.values())
        if len(lines) <= FEW
        else (),
    )
