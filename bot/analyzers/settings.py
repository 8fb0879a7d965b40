"""deeprepo's own settings, in the change that writes them: what would be refused or ignored once the change is merged.

Settings are read from the base branch, so a mistake shows nothing in the pull request that makes it, and stops every one after it.
"""

from collections.abc import Iterator, Sequence

from bot import config
from bot.ports import Tree
from bot.values import ChangedFile, Dependents, Finding, Severity

NAME = "settings"
READS = "deeprepo's own settings"


def wants(file: ChangedFile) -> bool:
    """The settings, and files that somebody may take for them."""
    return file.status != "deleted" and file.path in (config.FILE, *config.OTHER_NAMES)


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> tuple[Finding, ...]:  # noqa: ARG001
    """One finding for each problem of the new version."""
    found: list[Finding] = []
    for file in files:
        text = await tree.read(file.path) if wants(file) else None
        if text is not None:
            found += _problems(file.path, text)
    return tuple(found)


def _problems(path: str, text: bytes) -> Iterator[Finding]:
    lines = text.decode("utf-8", "replace").splitlines()
    if path == config.FILE:
        for problem in config.check(text)[1]:
            if problem.fatal:
                after = "Once this is on the base branch, no pull request is reviewed until it is corrected."
                yield _finding(path, lines, problem.line, f"{path}: {problem.said}", after, "high")
            else:
                after = "The key has no effect."
                yield _finding(path, lines, problem.line, f"{path}: {problem.said}", after, "medium")
    else:
        after = f"Settings are read from {config.FILE} only: rename the file."
        yield _finding(path, lines, None, f"{path} is not read", after, "medium")


def _finding(
    path: str, lines: Sequence[str], line: int | None, title: str, consequence: str, severity: Severity
) -> Finding:
    filled = [number for number, each in enumerate(lines, 1) if each.strip()] or [1]
    at = filled[0] if line is None else max([number for number in filled if number <= line], default=filled[0])
    quote = lines[at - 1] if lines else ""
    return Finding(
        path=path,
        quote=quote,
        title=title,
        why="This is how deeprepo reads the new version of the file.",
        consequence=consequence,
        severity=severity,
        category="settings",
        source=NAME,
        rule="settings",
        start=at,
        end=at,
        verdict="proven",
    )
