"""Helpers that run the contract checks on a change and return what they found."""

from dataclasses import replace

import step

from bot.analyzers.checks import contracts
from bot.checkout import Checkout
from bot.findings.quotes import check_quotes
from bot.review import coverage
from bot.values import Evidence, Finding, PullRequest
from bot.values.finding import ALSO_BROKEN
from deeprepo.impact import uses
from deeprepo.impact.text.paths import is_test


def look(pull: PullRequest) -> list[Finding]:
    """Return the findings, one per broken file; high severity first, then by path and line."""
    found = [place for finding in causes(pull) for place in _by_file(finding)]
    return sorted(found, key=lambda finding: (finding.severity != "high", finding.path, finding.start))


def _by_file(finding: Finding) -> list[Finding]:
    """Split a finding that covers several files into one finding per file, all with the same wording."""
    if not finding.cause:
        return [finding]
    broken = [Evidence(finding.path, finding.quote, finding.start, note=ALSO_BROKEN)]
    broken += [item for item in finding.evidence if item.note == ALSO_BROKEN]
    rest = tuple(item for item in finding.evidence if item.note != ALSO_BROKEN)
    places = []
    for path in dict.fromkeys(item.path for item in broken):
        first, *more = (item for item in broken if item.path == path)
        mine = tuple(item for item in more)
        one = replace(finding, path=path, quote=first.quote, start=first.line, end=first.line, evidence=(*rest, *mine))
        severity = finding.severity if path == finding.path or not is_test(path) else "medium"
        title = finding.title.split(" (and ")[0].replace(finding.path, path)
        rewrites = tuple(row for row in finding.rewrites if row.path == path)
        places.append(replace(one, severity=severity, title=title, rewrites=rewrites))
    return places


def causes(pull: PullRequest) -> list[Finding]:
    """Return the findings about a change, after asserting that every quote matches the checkout."""

    async def run(tree: Checkout, files: step.Files) -> list[Finding]:
        found = await contracts.check(tree, files, await uses.find(tree, files))
        for finding in found:
            verified = await check_quotes(finding, tree)
            assert isinstance(verified, Finding), verified
            assert (verified.start, len(verified.evidence)) == (finding.start, len(finding.evidence))
        return list(found)

    return step.over(pull, run)


def open_uses(pull: PullRequest) -> tuple[coverage.ObligedUse, ...]:
    """Return the changed definitions' references that static analysis could not decide about."""

    async def run(tree: Checkout, files: step.Files) -> tuple[coverage.ObligedUse, ...]:
        users = await uses.find(tree, files)
        tracker = coverage.CoverageTracker((), files, users, by_model=False)
        tracker.note_comparisons(contracts.compare(users))
        return tracker.open_uses()

    return step.over(pull, run)
