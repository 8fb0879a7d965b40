"""Findings about dependencies that were removed from a manifest but that code still imports."""

from collections.abc import Iterator, Mapping, Sequence

from bot.values import Basis, Evidence, Finding, Severity, Source, Verdict
from bot.values.finding import USES_IT, proof_id
from deeprepo.impact.dropped import Certainty, Dropped
from deeprepo.impact.text.paths import is_test

CHECK = "declarations"
DROPPED = "dropped-dependency"
SHOWN_USES = 12
_SEVERITY: Mapping[Certainty, Severity] = {"proven": "high", "likely": "medium", "doubtful": "low"}
_WHAT: Mapping[Certainty, str] = {
    "proven": "The build stops: the package is not available there.",
    "likely": "The import fails, unless another dependency still installs the package.",
    "doubtful": "The import fails if nothing else installs the package.",
}


def findings(rows: Sequence[Dropped], texts: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Yield a finding per dependency. `texts` maps manifests' paths to their lines before the change."""
    for row in rows:
        path, line, quote, side = (*row.uses[0], "head")
        lines = texts.get(row.manifest, ())
        if 0 < row.line <= len(lines):
            path, line, quote, side = row.manifest, row.line, lines[row.line - 1], "base"
        is_sure = row.certainty == "proven"
        severity = _SEVERITY[row.certainty]
        if severity == "high" and all(is_test(one) for one, _, _ in row.uses):
            severity = "medium"
        yield Finding(
            path=path,
            quote=quote,
            title=_title(row),
            why=_why(row),
            consequence=_WHAT[row.certainty],
            severity=severity,
            category="contract",
            basis=Basis(
                (Source("analyser", CHECK, proof=proof_id(DROPPED, row.name) if is_sure else ""),),
                verdict=Verdict.PROVEN if is_sure else Verdict.UNPROVEN,
            ),
            rule=DROPPED if is_sure else f"likely-{DROPPED}",
            start=line,
            end=line,
            side="base" if side == "base" else "head",
            evidence=tuple(Evidence(one, text, at, note=USES_IT) for one, at, text in row.uses[:SHOWN_USES]),
        )


def _title(row: Dropped) -> str:
    first, others = row.uses[0][0], len({path for path, _, _ in row.uses}) - 1
    more = f" and {others} more {'file' if others == 1 else 'files'}" if others else ""
    still = f"still use{'' if more else 's'}"
    if row.renamed:
        return f"Package `{row.name}` was renamed to `{row.renamed}`, but {first}{more} {still} the old name"
    return f"`{row.name}` was removed from {row.manifest}, but {first}{more} {still} it"


def _why(row: Dropped) -> str:
    path, line, _ = row.uses[0]
    if row.renamed:
        return f"{path}:{line} depends on `{row.name}`, but no package in this repository has that name now."
    why = f"{path}:{line} imports it, but no manifest that applies to this file lists it now."
    if row.still:
        return f"{why} {row.still} still lists it, so it may still be installed."
    return why
