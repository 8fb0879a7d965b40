"""Secrets that a commit of the change adds and a later one removes: no line of the change shows them, and everybody can fetch them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from bot.findings import memory
from bot.masking.forms import hits, identity
from bot.paths import is_prose, is_sample, is_test
from bot.values import ChangedFile, Finding, Source

MAX_QUOTE = 1_000  # characters of its line
MOST_COMMITS = 100  # that are looked through
NAME = "secrets"


class History(Protocol):
    """What a repository tells about the commits between base and head."""

    async def additions(self, most: int) -> tuple[Sequence[tuple[str, str, str]], str]:
        """(commit, path, added line) of the commits of the change, oldest first; and why some are missing, if any are."""


async def leaked(history: History, files: Sequence[ChangedFile]) -> tuple[tuple[Finding, ...], str]:
    """One finding for each secret that only an earlier commit of the change holds, and why some commits were not looked at."""
    rows, missing = await history.additions(MOST_COMMITS)
    there = _values((file.path, line.text) for file in files for hunk in file.hunks for line in hunk.lines)
    found: dict[str, Finding] = {}
    for commit, path, line in rows:
        for hit in hits(path, line, sample=_sample(path)):
            if hit.rule != "private-key" and hit.value not in there and hit.value not in found:
                found[hit.value] = memory.lasting(
                    Finding(
                        path=path,
                        quote=line[:MAX_QUOTE],
                        title=f"{hit.what} was committed",
                        why=f"A commit of the change added a line with {hit.how}.",
                        consequence="Everyone who can read the repository can use it, now or later.",
                        severity=hit.severity,
                        category="secret",
                        sources=(Source("analyser", NAME, proof=f"{hit.rule} {identity(hit.value, exact=hit.exact)}"),),
                        rule=hit.rule,
                        verdict="proven" if hit.exact else "unproven",
                    ),
                    commit,
                )
    return tuple(found.values()), missing


def _values(rows: Iterable[tuple[str, str]]) -> Collection[str]:
    return {hit.value for path, line in rows for hit in hits(path, line, sample=_sample(path))}


def _sample(path: str) -> bool:
    return is_test(path) or is_sample(path) or is_prose(path)
