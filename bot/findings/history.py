"""Find secrets that a commit of the change adds and a later one removes.

The diff doesn't show them, but everybody can still fetch them.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.findings import merge, rounds
from bot.secrets.patterns import KEY, Hit, LocatedSecret, identified, new_secrets, secrets_in
from bot.values import Basis, ChangedFile, CommitLines, Finding, Source, Verdict
from deeprepo.impact.in_hand import reading
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines

MAX_QUOTE = 1_000  # characters of the quoted line
SECRETS = "secrets"

_Row = tuple[str, str, LocatedSecret]  # the commit, the line, and the secret that the commit adds to it


@dataclass(frozen=True, slots=True)
class HistoryLeaks:
    """One finding for each location that has a secret only in an earlier commit of the change."""

    findings: tuple[Finding, ...]
    values: frozenset[str]  # all secrets, including those that share a finding

    def __repr__(self) -> str:
        """Show the number of secrets, but none of them."""
        return f"Leaked({len(self.values)})"


async def find_leaks(commits: Sequence[CommitLines], tree: Tree, files: Sequence[ChangedFile]) -> HistoryLeaks:
    """Find secrets that these commits of the change add and its head no longer shows, each in its location.

    If the head shows a secret in the same line, it is judged there. A copy in another location doesn't count,
    because that location may be silenced.
    """
    reading("")  # no file of the head is responsible for the cost of scanning commits
    known, shown = set[str](), set[tuple[str, str, str]]()
    for file in files:
        known.update(secret.whole for secret, _ in _secrets_of(file, "+"))
        shown.update((file.path, secret.whole, line) for secret, line in _secrets_of(file, "-") if file.has_text)
    rows_by_path: dict[str, list[_Row]] = {}
    for lines, secret in _committed(commits):
        row = (lines.commit, lines.lines[secret.at], secret)
        if secret.whole not in known and (lines.path, secret.whole, row[1]) not in shown:
            rows_by_path.setdefault(lines.path, []).append(row)
    analyzed_paths = {file.path for file in files if file.has_text}
    leaks: dict[tuple[str, str], tuple[str, str, str, Hit]] = {}
    for path, rows in rows_by_path.items():
        base = file_lines(await tree.read(path, "base"))
        head = file_lines(await tree.read(path)) if path in analyzed_paths else ()
        for commit, line, secret in await asyncio.to_thread(_gone, path, rows, base, head):
            leaks.setdefault((path, secret.whole), (commit, path, line, replace(secret.hit, value=secret.whole)))
    found = await asyncio.to_thread(_findings, leaks.values())
    return HistoryLeaks(tuple(map(merge.identify, found)), frozenset(text for _, text in leaks))


def _gone(path: str, rows: Sequence[_Row], base: Sequence[str], head: Sequence[str]) -> list[_Row]:
    """Return the rows whose secret is not in the base file, and not in the same line at the head.

    Whole files are compared.
    """
    values_before = {secret.whole for secret in secrets_in(path, base)}
    rows_now = {(secret.whole, head[secret.at]) for secret in secrets_in(path, head)}
    rest = [row for row in rows if row[2].whole not in values_before and (row[2].whole, row[1]) not in rows_now]
    # If a key grows, an earlier commit contains only part of it.
    before, now = sorted(values_before), dict[str, list[str]]()  # secrets at the head, by line
    for whole, line in sorted(rows_now):
        now.setdefault(line, []).append(whole)
    return [
        (commit, line, secret)
        for commit, line, secret in rest
        if secret.hit.rule != KEY or not (secret.is_in(before) or secret.is_in(now.get(line, ())))
    ]


def _committed(commits: Sequence[CommitLines]) -> Iterator[tuple[CommitLines, LocatedSecret]]:
    """Yield what each commit adds or completes."""
    for lines in commits:
        for secret in new_secrets(lines.path, lines.lines, lines.is_added, [lines.before]):
            yield lines, secret


def _secrets_of(file: ChangedFile, without: str) -> Iterator[tuple[LocatedSecret, str]]:
    """Yield the secrets in a file's hunks, each with its line, ignoring lines with this sign.

    Without "+", these are the secrets in the base.
    """
    for hunk in file.hunks:
        lines = [line.text for line in hunk.lines if line.kind != without]
        yield from ((secret, lines[secret.at]) for secret in secrets_in(file.path, lines))


def _findings(hits_found: Iterable[tuple[str, str, str, Hit]]) -> list[Finding]:
    leak_findings = list[Finding]()
    for proof, rows in identified((row[1], row[3].value, row[3], row) for row in hits_found):
        one = _finding(*rows[0], proof)
        more = f" {len(rows) - 1} more of the kind were added to the file." if rows[1:] else ""
        leak_findings.append(replace(one, why=one.why + more))
    return leak_findings


def _finding(commit: str, path: str, line: str, hit: Hit, proof: str) -> Finding:
    return rounds.lasting(
        Finding(
            path=path,
            quote=line[:MAX_QUOTE],
            title=f"{hit.what} was committed",
            why=f"A commit of the change added a line with {hit.how}.",
            consequence="Everyone who can read the repository can use it, now or later.",
            severity=hit.severity,
            category="secret",
            basis=Basis(
                (Source("analyser", SECRETS, proof=f"{hit.rule} {proof}"),),
                verdict=Verdict.PROVEN if hit.exact else Verdict.UNPROVEN,
            ),
            rule=hit.rule,
        ),
        commit,
    )
