"""Find what a schema change breaks, and the lines that name what is broken.

Schemas are SQL and migrations, OpenAPI, Protocol Buffers, GraphQL and JSON Schema
(`deeprepo/impact/schemas`).
"""

import re
from collections.abc import Sequence

from bot.values import Absence, ChangedFile, Dependents, Finding, Judgement
from deeprepo.impact.ports import Tree

# Paths that a schema language may apply to. A change without any loads no language.
POSSIBLE = re.compile(
    r"\.(?:sql|ddl|psql|proto|graphqls?|gql|json|jsonschema|ya?ml)$|migrat|alembic/versions/",
    re.IGNORECASE,
)


class Schemas:
    """The check for the schema languages. Implements `ports.Analyzer`."""

    NAME, READS = "schemas", "schemas and migrations"

    def __init__(self) -> None:
        self._other_paths: frozenset[str] = frozenset()  # files that were read and are no schema

    def wants(self, file: ChangedFile) -> bool:
        """Return whether the file may be a schema, or is one if it was already read."""
        if not any(POSSIBLE.search(path) for path in (file.path, file.old_path) if path):
            return False
        from deeprepo.impact.schemas import check

        return file.path not in self._other_paths and check.wants(file)

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG002
        """Return the breaks, with the lines that name what is broken as evidence."""
        from bot.render.wording.schemas import findings
        from deeprepo.impact.schemas import check

        change = await check.compare(tree, files)
        self._other_paths |= change.other_paths
        rows, open_rows = await findings(tree, change)
        return Judgement(rows, change.complete | change.other_paths, (*change.open, *open_rows))

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed, because both sides and all references are compared each time."""
        return "fixed"


def build() -> Schemas:
    """Return a separate check for each review."""
    return Schemas()
