"""Which findings are severe enough to be posted. The others are kept: they are in the JSON output and are remembered in the next round."""

from dataclasses import replace

from bot.findings.judge import Judged
from bot.values import Finding, Severity, at_least


def keep_back(judged: Judged, least: Severity) -> tuple[Judged, tuple[Finding, ...]]:
    """The findings of at least this severity, and the open ones below it.

    A finding without a number was never shown: once it is severe enough it is a new one, and nobody is told that it is fixed.
    """
    unseen = tuple(replace(finding, status="new") for finding in judged.still if not finding.number)
    said, still = (*judged.said, *unseen), tuple(finding for finding in judged.still if finding.number)
    kept = replace(
        judged,
        said=tuple(finding for finding in said if at_least(finding.severity, least)),
        still=tuple(finding for finding in still if at_least(finding.severity, least)),
        fixed=tuple(finding for finding in judged.fixed if finding.number),
    )
    return kept, tuple(finding for finding in (*said, *still) if not at_least(finding.severity, least))
