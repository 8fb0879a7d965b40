"""Check deeprepo's own settings in a change: what would be refused or ignored after the merge.

Settings are read from the base branch, so a mistake does not affect the pull request that makes it, only
later ones.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot import config
from bot.config import defaults
from bot.config.repository import Problem
from bot.values import Absence, Basis, ChangedFile, Dependents, Finding, Judgement, Source, Verdict
from bot.values.finding import proof_id
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import YAML_BREAKS, Places

NAME = "settings"


FATAL_CONSEQUENCE = (
    "Once this is merged, reviews use the default settings instead of this file, and the deeprepo check on every "
    "pull request does not pass until the file is corrected."
)
CONSEQUENCE = "Once this is merged, every review warns about it."


def wants(file: ChangedFile) -> bool:
    """Return whether the file is a settings file, or could be mistaken for one."""
    return file.status != "deleted" and file.path in {defaults.FILE, *defaults.TEMPLATES, *defaults.OTHER_NAMES}


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG001
    """Return one finding per problem in the new version."""
    findings: list[Finding] = []
    judged_paths: set[str] = set()
    for file in files:
        text = await tree.read(file.path) if wants(file) else None
        judged_paths |= {file.path} if text is not None else set()
        if text is not None and file.path in config.TEMPLATES:
            findings += await _template(file.path, text)
        elif text is not None:
            findings += _problems(file.path, text)
    return Judgement(tuple(findings), frozenset(judged_paths))


def absence(finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG001
    """Return fixed, because changed settings are checked each time."""
    return "fixed"


async def _template(path: str, text: bytes) -> list[Finding]:
    """Return a finding for a comment template that cannot be compiled. Rendering errors are not found."""
    from bot.render import sandbox

    source = text.decode("utf-8", "replace")
    problem = await asyncio.to_thread(sandbox.check, source)
    if problem is None:
        return []
    after = "Once this is merged, comments use the default templates and a note explains why."
    title = f"{path} cannot be used: {problem[1]}"
    return [_finding(path, source, Places(source), Problem(problem[0], title), after)]


def _problems(path: str, text: bytes) -> Iterator[Finding]:
    source = text.decode("utf-8", "replace")
    places = Places(source, YAML_BREAKS)
    if path in defaults.OTHER_NAMES:
        after = f"deeprepo only reads {defaults.FILE}. Rename the file."
        yield _finding(path, source, places, Problem(None, f"{path} is not read"), after)
        return
    problems = tuple(sorted(config.check(text)[1], key=lambda one: not one.fatal))
    for problem in problems:
        consequence = FATAL_CONSEQUENCE if problem.fatal else CONSEQUENCE
        yield _finding(path, source, places, replace(problem, sentence=f"{path}: {problem.sentence}"), consequence)


def _finding(path: str, source: str, places: Places, problem: Problem, consequence: str) -> Finding:
    lines = source.split("\n")
    filled_lines = [number for number, each in enumerate(lines, 1) if each.strip()] or [1]
    at = filled_lines[
        max(bisect_right(filled_lines, places.row(problem.line)) - 1, 0) if problem.line is not None else 0
    ]
    quote = lines[at - 1].rstrip("\r")
    return Finding(
        path=path,
        quote=quote,
        title=problem.sentence,
        why="This check reads the new version of the file, which reviews use only after the merge.",
        consequence=consequence,
        severity="medium",
        category="settings",
        basis=Basis((Source("analyser", NAME, proof=proof_id(NAME, problem.about)),), verdict=Verdict.PROVEN),
        rule=NAME,
        start=at,
        end=at,
    )
