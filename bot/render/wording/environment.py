"""Findings about environment variables that were only renamed where they are read, or where they are set."""

import re
from collections.abc import Mapping, Sequence

from bot.values import Basis, Evidence, Finding, Rewrite, Source, Verdict
from bot.values.finding import USES_IT, proof_id
from deeprepo.impact.text.paths import is_sample, is_workflow
from deeprepo.impact.uses.texts import LeftBehind, Renaming, Role, Row

SOURCE, RULE = "declarations", "variable-renamed"
QUOTED = 12  # lines that a finding quotes

# By what the renamed line does with the variable: the verb, a sentence about the problem, and the effect.
_LAWS: Mapping[Role, tuple[str, str, str]] = {
    "reads": ("read", "Nothing reads the old name now.", "The value that is set there no longer reaches the code."),
    "sets": (
        "set",
        "Nothing sets the old name now, and nothing reads the new one.",
        "That code no longer gets a value.",
    ),
    "tells": (
        "documented",
        "Nothing reads or sets the new name.",
        "If you follow the documentation, you set a variable that nothing reads.",
    ),
}
_STILL: Mapping[Role, str] = {"reads": "read", "sets": "set", "tells": "document"}


def finding(found: LeftBehind) -> Finding:
    """Return a finding about a renamed variable, if other lines still use the old name."""
    one, left = found.renaming, found.rows
    ordered = sorted(
        left, key=lambda row: (row[0] == "tells", is_sample(row[1][0]) or ".example" in row[1][0], row[1][0], row[1][1])
    )
    paths = list(dict.fromkeys(path for _, (path, _, _) in ordered))
    more = f" and {len(paths) - 1} more {'file' if len(paths) == 2 else 'files'}" if len(paths) > 1 else ""  # noqa: PLR2004
    kinds = {role for role, _ in ordered}
    verb = ("have" if more else "has") if len(kinds) > 1 else _STILL[ordered[0][0]] + ("" if more else "s")
    does, law, effect = _LAWS[one.role]
    first = ordered[0][1]
    is_told = kinds == {"tells"}
    return Finding(
        path=one.path,
        quote=one.line.text,
        title=f"`{one.old}` is now {does} as `{one.new}`, but {paths[0]}{more} still {verb} the old name",
        why=f"{law} {first[0]}:{first[1]} still uses it.",
        consequence=_LAWS["tells"][2] if is_told else effect,
        severity="low" if is_told else "medium",
        category="contract",
        basis=Basis((Source("analyser", SOURCE, proof=proof_id(RULE, one.old)),), verdict=Verdict.PROVEN),
        rule=RULE,
        start=one.line.new or 1,
        end=one.line.new or 1,
        evidence=tuple(Evidence(path, text, number, note=USES_IT) for _, (path, number, text) in ordered[:QUOTED]),
        rewrites=_rewrites(one, ordered),
    )


def _rewrites(renaming: Renaming, left: Sequence[tuple[Role, Row]]) -> tuple[Rewrite, ...]:
    """Return rewrites of the lines with the old name, for files in which all of them can be rewritten safely.

    A line that contains the old name twice may also refer to something else. A line that reads the variable
    without its quoted name may be a field of a settings class, and other code may use that field.
    """
    name = re.compile(rf"(?<!\w){re.escape(renaming.old)}(?!\w)")
    taken = re.compile(rf"""["']{re.escape(renaming.old)}["']|\benv\.{re.escape(renaming.old)}(?!\w)""", re.IGNORECASE)
    undecided = {
        path
        for role, (path, _, text) in left
        if is_workflow(path) or len(name.findall(text)) != 1 or (role == "reads" and not taken.search(text))
    }
    rows = [row for _, row in left if row[0] not in undecided]
    return tuple(Rewrite(path, number, text, name.sub(renaming.new, text)) for path, number, text in rows)
