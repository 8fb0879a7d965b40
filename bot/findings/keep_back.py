"""Which findings are severe enough to be posted. The others are kept: they are in the JSON output and are remembered in the next round."""

from dataclasses import replace

from bot.findings.judge import JudgedFindings
from bot.values import Finding, Severity, at_least


def keep_back(judgement: JudgedFindings, least: Severity) -> tuple[JudgedFindings, tuple[Finding, ...]]:
    """The findings of at least this severity, and the open ones below it.

    A finding without a number was never shown: once it is severe enough it is a new one, and nobody is told that it is fixed.
    """
    unseen = tuple(replace(finding, status="new") for finding in judgement.still if not finding.number)
    reportable, still = (
        (*judgement.reportable_findings, *unseen),
        tuple(finding for finding in judgement.still if finding.number),
    )
    kept_judgement = replace(
        judgement,
        reportable_findings=tuple(finding for finding in reportable if at_least(finding.severity, least)),
        still=tuple(finding for finding in still if at_least(finding.severity, least)),
        fixed_findings=tuple(finding for finding in judgement.fixed_findings if finding.number),
    )
    return kept_judgement, tuple(finding for finding in (*reportable, *still) if not at_least(finding.severity, least))
