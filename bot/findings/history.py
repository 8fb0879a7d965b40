"""Secrets that a commit of the change adds and a later one removes: no line of the change shows them, and everybody can fetch them."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from bot.findings import memory
from bot.masking.forms import MOST_SLOW, Hit, identity, secrets_in, shared_identity
from bot.values import ChangedFile, Finding, Source, Verdict

MAX_QUOTE = 1_000  # characters of its line
MOST_COMMITS = 100  # that are looked through
NAME = "secrets"


class History(Protocol):
    """What a repository tells about the commits between base and head."""

    async def additions(self, most: int) -> tuple[Sequence[tuple[str, str, str]], str]:
        """(commit, path, added line) of the commits of the change, oldest first; and why some are missing, if any are."""


@dataclass(frozen=True, slots=True)
class HistoryLeaks:
    """One finding for each place in which only an earlier commit of the change holds a secret."""

    findings: tuple[Finding, ...] = ()
    missing: str = ""  # why some commits were not looked at
    values: frozenset[str] = frozenset()  # all secrets, also those that share a finding

    def __repr__(self) -> str:
        """How many there are, and not one of them."""
        return f"Leaked({len(self.values)})"


async def find_leaks(history: History, files: Sequence[ChangedFile]) -> HistoryLeaks:
    """Look for secrets that the commits of the change add where its head no longer shows them, in each of their places.

    What the head shows in the same line is judged there. A copy elsewhere takes nothing away, because that place may be silenced.
    """
    rows, missing = await history.additions(MOST_COMMITS)
    known, shown = set[str](), set[tuple[str, str, str]]()
    for file in files:
        known.update(text for text, _ in _secrets_of(file, "+"))
        shown.update((file.path, text, line) for text, line in _secrets_of(file, "-") if file.is_analyzed)
    hits_by_place: dict[tuple[str, str], tuple[str, str, str, Hit]] = {}
    for (commit, path), added_rows in groupby(rows, key=itemgetter(0, 1)):
        lines = [line for _, _, line in added_rows]
        for at, hit, text in secrets_in(path, lines):
            if text not in known and (path, text, lines[at]) not in shown:
                hits_by_place.setdefault((path, text), (commit, path, lines[at], replace(hit, value=text)))
    return HistoryLeaks(
        tuple(await asyncio.to_thread(_findings, hits_by_place.values())),
        missing,
        frozenset(text for _, text in hits_by_place),
    )


def _secrets_of(file: ChangedFile, without: str) -> Iterator[tuple[str, str]]:
    """The secrets that the hunks of a file show without lines of this sign, each with its line: without "+" those of the base."""
    for hunk in file.hunks:
        lines = [row.text for row in hunk.lines if row.kind != without]
        yield from ((text, lines[at]) for at, _, text in secrets_in(file.path, lines))


def _findings(hits_found: Iterable[tuple[str, str, str, Hit]]) -> list[Finding]:
    """One for each; after the first guessable ones, those of one file and kind share one, as each identity costs the time of scrypt."""
    leak_findings, slow = list[Finding](), 0
    rest: dict[tuple[str, str], list[tuple[str, str, str, Hit]]] = {}
    for row in hits_found:
        _, path, _, hit = row
        slow += not hit.exact
        if not hit.exact and slow > MOST_SLOW:
            rest.setdefault((path, hit.rule), []).append(row)
        else:
            leak_findings.append(_finding(*row, identity(hit.value, exact=hit.exact)))
    for rows in rest.values():
        one = _finding(*rows[0], shared_identity(row[3].value for row in rows))
        more = f" {len(rows) - 1} more of the kind were added to the file." if rows[1:] else ""
        leak_findings.append(replace(one, why=one.why + more))
    return leak_findings


def _finding(commit: str, path: str, line: str, hit: Hit, proof: str) -> Finding:
    return memory.lasting(
        Finding(
            path=path,
            quote=line[:MAX_QUOTE],
            title=f"{hit.what} was committed",
            why=f"A commit of the change added a line with {hit.how}.",
            consequence="Everyone who can read the repository can use it, now or later.",
            severity=hit.severity,
            category="secret",
            sources=(Source("analyser", NAME, proof=f"{hit.rule} {proof}"),),
            rule=hit.rule,
            verdict=Verdict.PROVEN if hit.exact else Verdict.UNPROVEN,
        ),
        commit,
    )
