"""An analyzer that returns the findings about consumers, which were computed before the analyzers run."""

from collections.abc import Collection, Sequence

from bot.values import Absence, ChangedFile, Dependents, Finding, Judgement
from deeprepo.impact.ports import Tree


class ConsumerFindings:
    """The findings about the checked consumers. Implements `ports.Analyzer`."""

    NAME, READS = "consumers", "references to changed definitions in other repositories"

    def __init__(self, findings: Sequence[Finding], checked_names: Collection[str]) -> None:
        self._findings, self._checked_names = tuple(findings), checked_names
        self._paths = {finding.path for finding in findings}

    def wants(self, file: ChangedFile) -> bool:
        """Return whether a definition in this file breaks a consumer."""
        return not self._paths.isdisjoint({file.path, file.old_path})

    async def check(
        self,
        tree: Tree,  # noqa: ARG002 - protocol
        files: Sequence[ChangedFile],
        dependents: Dependents,  # noqa: ARG002 - protocol
    ) -> Judgement:
        """Return the findings about these files."""
        paths = {path for file in files for path in (file.path, file.old_path) if path}
        return Judgement(
            tuple(finding for finding in self._findings if finding.path in paths),
            frozenset(file.path for file in files),
        )

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002 - protocol
        """Return "fixed" if the consumer was fully checked again, else "unseen"."""
        return "fixed" if finding.consumer in self._checked_names else "unseen"
