"""Join type checkers' reports with other checks' findings on the same lines. Pure functions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bot.values import Evidence, Finding, Source, Verdict
from bot.values.finding import ALSO_BROKEN, MAY_BREAK

Place = tuple[str, int]


def merge_checker_errors(found: Mapping[str, Sequence[Finding]], checkers: Collection[str]) -> dict[str, list[Finding]]:
    """Return the findings by analyzer name, with each line reported once.

    If a checker proves an error on the line of another check's finding, that finding is proven. It keeps its
    quote and fix. If it was only likely, it takes over the checker's text. On all other lines, checkers keep
    their own errors.
    """
    joined = {name: list(findings) for name, findings in found.items()}
    errors: dict[Place, Finding] = {}
    for name in sorted(checkers & joined.keys()):
        for finding in joined[name]:
            for item in finding.places:
                errors.setdefault((item.path, item.line), finding)
    told: set[Place] = set()
    for name in sorted(joined.keys() - checkers):
        for index, finding in enumerate(joined[name]):
            if finding.category == "broken-caller" and finding.side == "head" and errors:
                joined[name][index] = _confirmed(finding, errors, told)
    for name in checkers & joined.keys():
        joined[name] = [left for finding in joined[name] if (left := _without(finding, told)) is not None]
    return joined


def _confirmed(finding: Finding, errors: Mapping[Place, Finding], told: set[Place]) -> Finding:
    """Return the finding with the checkers that have an error on its lines, which are added to `told`."""
    own = errors.get((finding.path, finding.start))
    if own is None and not finding.proven:
        return finding
    evidence = tuple(_proven(item, errors) for item in finding.evidence)
    lines = {(finding.path, finding.start), *(item.location for item in evidence if item.is_place)} & errors.keys()
    told |= lines
    names = sorted({source.name for line in lines for source in errors[line].basis.sources})
    if finding.proven or own is None or not own.proven:
        sources = (*finding.basis.sources, *(Source("analyser", name) for name in names))
        return replace(finding, evidence=evidence, basis=replace(finding.basis, sources=sources))
    basis = replace(
        finding.basis,
        sources=(*own.basis.sources, *finding.basis.sources),
        verdict=Verdict.PROVEN,
        unconfirmed=False,
        unsettled="",
    )
    return replace(
        finding,
        title=own.title,
        why=own.why,
        consequence=own.consequence,
        severity=own.severity,
        evidence=evidence,
        basis=basis,
    )


def _proven(item: Evidence, errors: Mapping[Place, Finding]) -> Evidence:
    """Return a line that may break, marked as broken if a checker has an error there."""
    return replace(item, note=ALSO_BROKEN) if item.note == MAY_BREAK and item.location in errors else item


def _without(finding: Finding, told: Collection[Place]) -> Finding | None:
    """Return a checker's finding without the lines that another finding reports; None if no line is left."""
    left = [item for item in finding.places if item.location not in told]
    if not left:
        return None
    first, *others = left
    rest = tuple(item for item in finding.evidence if not item.is_place)
    return replace(
        finding,
        path=first.path,
        quote=first.quote,
        start=first.line,
        end=first.line,
        evidence=(*rest, *others),
    )
