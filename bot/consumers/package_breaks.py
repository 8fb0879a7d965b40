"""Find what a change breaks in a consumer that uses a package, by checking references in a tree of both."""

from collections.abc import Sequence
from dataclasses import replace

from bot.checkout import Checkout
from bot.ports import Analyzer
from bot.values import (
    Basis,
    Dependents,
    DiffRow,
    Evidence,
    Excerpt,
    Finding,
    Reference,
    Source,
    less_severe,
)
from bot.values.consumer import Clone, ConsumerImpact, ConsumerReport, label
from bot.values.finding import BREAKS, MAY_BREAK
from deeprepo.impact.consumers.manifests import holding
from deeprepo.impact.consumers.offered_change import OfferedChange
from deeprepo.impact.consumers.overlay import OverlayTree, mount_of
from deeprepo.impact.consumers.uses import certain_uses, consumer_uses
from deeprepo.impact.packages import Requirement
from deeprepo.impact.text.lines import file_lines

MAX_EXCERPTS = 40  # references in a consumer that models are shown
LINES_AROUND = 3  # lines around each reference
MAX_MANIFEST_LINE = 300  # characters per line
MAX_QUOTED_LINES = 12  # lines of one consumer quoted by a finding


async def package_breaks(
    change: OfferedChange,
    consumer: Clone,
    tree: Checkout,
    contracts: Analyzer,
    report: ConsumerReport,
) -> ConsumerImpact:
    """Return what breaks in the consumer's code. `report` lists the packages that it uses."""
    takes = report.takes
    found = await consumer_uses(change, tree, mount_of(consumer.name), takes)
    if found is None:
        return ConsumerImpact((report,))
    joined, users = found.tree, found.users
    judged = await contracts.check(joined, found.files, users)
    theirs = [finding for finding in judged.findings if joined.inside(finding.path) is not None]
    findings = []
    for one in theirs:
        at = await _anchor(joined, users, one)
        package = holding(change.packages, at.path)
        taken_as = next(
            (requirement for requirement in takes if package is not None and requirement.name == package.name), takes[0]
        )
        findings.append(_finding(at, one, consumer, taken_as, joined))
    uses = certain_uses(users)
    partly = (*tree.stopped_searches, *found.missed)
    report = replace(
        report,
        state="unread" if partly else "checked",
        reason=f"it was only partly checked: {sentence(partly[0])}" if partly else "",
        uses=len({(use.path, use.line) for use in uses}),
    )
    shown = () if consumer.settings else await _excerpts(joined, consumer, uses)
    return ConsumerImpact((report,), tuple(findings), excerpts=shown)


async def _excerpts(
    overlay: OverlayTree, consumer: Clone, rows: Sequence[Reference]
) -> tuple[tuple[str, Excerpt], ...]:
    """Return pairs of a changed definition and the lines around a reference to it, for prompts."""
    chosen = sorted(rows, key=lambda use: (use.test, use.form == "import", use.path, use.line))[:MAX_EXCERPTS]
    texts = dict(await overlay.read_many([use.path for use in chosen]))
    found = []
    for use in chosen:
        lines = file_lines(texts.get(use.path, b""))
        first, last = max(1, use.line - LINES_AROUND), min(len(lines), use.line + LINES_AROUND)
        numbered = tuple(
            DiffRow("", lines[number - 1].rstrip("\r")[:MAX_MANIFEST_LINE], number) for number in range(first, last + 1)
        )
        path = label(consumer.name, overlay.inside(use.path) or use.path)
        title = f"uses {use.name}, in the repository {consumer.name}, which uses this one"
        found.append((use.symbol, Excerpt(path, first, last, numbered, title=title)))
    return tuple(found)


async def _anchor(overlay: OverlayTree, users: Dependents, finding: Finding) -> Evidence:
    """Return the changed line that a finding is about: the new definition, the old one, or a deleted file."""
    product_evidence = {item.note: item for item in finding.evidence if overlay.inside(item.path) is None}
    if at := product_evidence.get("after") or product_evidence.get("before"):
        return at
    place = finding.path, finding.start
    home = next(
        reference.symbol.rpartition(":")[0]
        for reference in users.references
        if (reference.path, reference.line) == place
    )
    lines = [line.rstrip("\r") for line in file_lines(await overlay.read(home, "base"))]
    at_line = next((number for number, line in enumerate(lines, 1) if line.strip()), 0)
    return Evidence(home, lines[at_line - 1] if at_line else finding.quote, at_line, "base")


def _finding(at: Evidence, found: Finding, consumer: Clone, taken_as: Requirement, overlay: OverlayTree) -> Finding:
    """Move a finding from the consumer's line to the changed line, with the consumer's lines as evidence."""
    # The title starts with the product's side, so the proof stays if the consumer's file is renamed.
    proof = f"consumer-{found.rule} {consumer.name} {found.title.partition(', ')[0]}"

    def phrase(text: str) -> str:
        return text.replace(mount_of(consumer.name), label(consumer.name, ""))

    return Finding(
        path=at.path,
        quote=at.quote,
        title=phrase(found.title),
        why=f"{phrase(found.why)} {_requires(consumer.name, taken_as)}",
        consequence=phrase(found.consequence),
        severity=less_severe(found.severity, 1),
        category=found.category,
        basis=Basis(
            (
                Source(
                    "analyser",
                    "consumers",
                    proof=proof if found.proven else "",
                    breaks=tuple(sorted({*found.basis.breaks})),
                ),
            ),
            verdict=found.verdict,
        ),
        rule=f"consumer-{found.rule}",
        start=at.line,
        end=at.line,
        side=at.side,
        evidence=tuple(_evidence(at, found, consumer, overlay)),
        consumer=consumer.name,
    )


def _evidence(at: Evidence, found: Finding, consumer: Clone, overlay: OverlayTree) -> list[Evidence]:
    own: list[Evidence] = []
    theirs: list[Evidence] = []
    for item in (Evidence(found.path, found.quote, found.start, found.side), *found.evidence):
        inside = overlay.inside(item.path)
        if inside is None:
            own += [item] if item != at else []
        else:
            note = MAY_BREAK if item.note == MAY_BREAK else BREAKS
            path, commit = label(consumer.name, inside), consumer.pull.head
            theirs.append(replace(item, path=path, note=note, repository=consumer.name, commit=commit))
    return theirs[:MAX_QUOTED_LINES] + own[:MAX_QUOTED_LINES]


def _requires(name: str, requirement: Requirement) -> str:
    return (
        f"{name} breaks when it takes this version of {requirement.name}. {requirement.path} says: `{requirement.line}`"
    )


def sentence(error: object) -> str:
    """Return the first line of an error."""
    return str(error).split("\n")[0][:300]
