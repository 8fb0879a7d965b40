"""Find a consumer's lines that name removed schema elements, even if no manifest lists the schema."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.render.wording.schemas import finding
from bot.values import Finding, Source
from bot.values.consumer import Clone, label
from deeprepo.impact import structs
from deeprepo.impact.ports import Tree
from deeprepo.impact.schemas import check
from deeprepo.impact.schemas.breaks import SchemaBreak
from deeprepo.impact.schemas.check import SchemaChange


async def schema_findings(
    change: SchemaChange, quotes: Mapping[SchemaBreak, str], consumer: Clone, tree: Tree
) -> tuple[tuple[Finding, ...], str]:
    """Return a finding per broken schema element, and why the search for uses is incomplete, or ""."""
    lookup = await check.find_uses(tree, change, compare_base=False)
    rows = []
    left = next((reason for _, reason in lookup.open), "")
    for one, uses in lookup.uses.items():
        language = next(name for name, row in change.breaks if row is one)
        their_uses = [structs.replace(use, path=label(consumer.name, use.path)) for use in uses]
        proof_finding = finding(language, one, their_uses, quotes[one])
        proof = f"consumer-{one.rule} {consumer.name} {one.element}" if proof_finding.proven else ""
        source = Source("analyser", "consumers", proof=proof, breaks=breaks_of([proof_finding]))
        evidence = tuple(
            replace(item, repository=consumer.name, commit=consumer.pull.head) for item in proof_finding.evidence
        )
        rows.append(
            replace(
                proof_finding,
                rule=f"consumer-{proof_finding.rule}",
                basis=replace(proof_finding.basis, sources=(source,)),
                evidence=evidence,
                consumer=consumer.name,
            )
        )
    return tuple(rows), left


def breaks_of(rows: Sequence[Finding]) -> tuple[str, ...]:
    """Return the digests of all breaks that the findings report."""
    return tuple(sorted({each for finding in rows for source in finding.basis.sources for each in source.breaks}))
