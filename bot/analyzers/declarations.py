"""Check names that data files declare and others use.

Covers Terraform, charts, workflows, Makefiles, package scripts, dependencies and environment variables.
"""

import re
from collections.abc import Sequence

from bot.values import Absence, ChangedFile, Dependents, Finding, Judgement
from deeprepo.impact.ports import Tree

# Paths that a format may apply to. A change without any loads no format.
POSSIBLE = re.compile(r"\.(?:tf|tofu|mk|ya?ml|tpl|txt|json)$|makefile$", re.IGNORECASE)
# Paths that may be manifests with dependencies.
MANIFEST = re.compile(
    r"(?:^|/)(?:go\.mod|setup\.(?:py|cfg)|Pipfile|Gemfile|gems\.rb|mix\.exs|pom\.xml|packages\.config)$"
    r"|\.(?:toml|json|txt|in|gemspec|gradle|kts|csproj|props|targets|sbt)$"
)
VARIABLE = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]*+_[A-Z0-9_]++")


class Declarations:
    """The check for the formats of `deeprepo/impact/declarations`. Implements `ports.Analyzer`."""

    NAME, READS = (
        "declarations",
        "Terraform, charts, workflows, Makefiles, package scripts, dependencies in manifests and environment variables",
    )

    def __init__(self) -> None:
        self._other_paths: frozenset[str] = frozenset()  # files that were read and have no known format

    def wants(self, file: ChangedFile) -> bool:
        """Return whether the file may declare or use names, or does so if it was already read."""
        if file.is_ignored or not (file.has_text or file.status in ("deleted", "renamed")):
            return False
        if _names_variable(file):
            return True
        paths = [path for path in (file.path, file.old_path) if path and POSSIBLE.search(path)]
        if _lists_dependencies(file):
            return True
        if not paths or file.path in self._other_paths:
            return False
        from deeprepo.impact.declarations import format_of

        return any(map(format_of, paths))

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG002
        """Return the undeclared names, with the lines that use them as evidence."""
        from bot.render.wording import declarations
        from bot.render.wording import environment as renamed
        from deeprepo.impact.declarations import check
        from deeprepo.impact.uses.texts import half_renamed

        change = await check.compare(tree, files)
        listed = await _dependencies(tree, files)
        self._other_paths |= change.other_files
        left = await half_renamed(tree, files)
        findings = (*declarations.findings(change, files), *map(renamed.finding, left), *listed.findings)
        still_open = (*change.open, *listed.unjudged)
        complete = change.complete | change.other_files | listed.complete
        return Judgement(findings, complete - {path for path, _ in still_open}, still_open)

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed, because both sides and all references are compared each time."""
        return "fixed"


def _lists_dependencies(file: ChangedFile) -> bool:
    """Return whether a file is a manifest. The name is tested first, to avoid loading the languages."""
    paths = [path for path in (file.path, file.old_path) if path and MANIFEST.search(path)]
    if not paths:
        return False
    from deeprepo.impact.dropped import is_manifest

    return any(map(is_manifest, paths))


async def _dependencies(tree: Tree, files: Sequence[ChangedFile]) -> Judgement:
    """Compare the dependencies in changed manifests with the imports in code."""
    mine = [file for file in files if _lists_dependencies(file)]
    if not mine:
        return Judgement((), frozenset())
    from bot.render.wording import dependencies
    from deeprepo.impact.dropped import compare
    from deeprepo.impact.text.lines import file_lines

    found = await compare(tree, mine)
    sources = await tree.read_many(sorted({row.manifest for row in found.dropped}), "base")
    texts = {path: file_lines(source) for path, source in sources.items()}
    return Judgement(tuple(dependencies.findings(found.dropped, texts)), found.compared, found.open)


def _names_variable(file: ChangedFile) -> bool:
    """Return whether changed lines rename an environment variable.

    The name test avoids slow imports.
    """
    if not any(VARIABLE.search(line.text) for hunk in file.hunks for line in hunk.lines if line.kind != " "):
        return False
    from deeprepo.impact.uses.texts import renamings

    return bool(renamings([file]))


def build() -> Declarations:
    """Return a separate check for each review."""
    return Declarations()
