"""Secrets in added lines, found by detect-secrets in memory: no baseline, no verification over the network.

Precision first: exact forms of real tokens everywhere; passwords and random-looking values only if the name suggests it, and not
in tests and documents. No finding repeats the secret in its words; its quote is verbatim, and the outputs mask it.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from bot.diff.skip import LOCK
from bot.machine import limits
from bot.masking.forms import (
    KEY,
    KEY_HEAD,
    MOST_SLOW,
    Hit,
    Role,
    identity,
    is_allowed,
    is_readable,
    role_of,
    secrets_in,
    shared_identity,
)
from bot.ports import Tree
from bot.values import ChangedFile, Dependents, DiffLine, Evidence, Finding, Judgement, Silence, Source, Verdict
from bot.values.finding import SAME_VALUE

NAME = "secrets"
READS = "every text file"
ROWS: Literal["git", "other"] = "git"

UNREAD = "it has a line with thousands of names that may stand before a secret"
LONG = 1_000  # characters; of a longer line the secret alone is quoted
KEY_LINES = 200  # of a private key: one of 16,384 bits has 140
PEM_LINE = re.compile(r"\s*+[\"']?[A-Za-z0-9+/=]{8,100}(?:\\n)?[\"'+,\\]*\s*+")
_ENDS = re.compile(r"-----(?:BEGIN|END) ")

_Row = tuple[ChangedFile, DiffLine, Hit, bool]  # where a secret is, and whether the base already allowed it there


def wants(file: ChangedFile) -> bool:
    """Every file to which the change adds lines, whatever it says of itself."""
    return file.is_analyzed and bool(file.added_lines)


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG001
    """One finding for each secret; the other lines that hold the same one are its evidence.

    After the first guessable ones, those of one file and kind share a finding: each identity of its own costs the time of scrypt.
    """
    findings: dict[str, Finding] = {}
    rest: dict[tuple[str, str], dict[str, list[_Row]]] = {}  # of a file and a kind: each value and its lines
    known_rest: dict[str, list[_Row]] = {}
    slow = 0
    for file in files:
        limits.reading(file.path)
        lines = (
            await asyncio.to_thread(_lines, file) if wants(file) else []
        )  # a large file must not hold up everyone else
        if _key_lines(file):
            blob = await tree.read(file.path)
            lines += await asyncio.to_thread(_keys, file, (blob or b"").decode("utf-8", "replace").split("\n"))
        for line, body, hit, is_allowlisted in lines:
            earlier = findings.get(body)
            if earlier is None and not hit.exact and slow >= MOST_SLOW:
                if body not in known_rest:
                    known_rest[body] = rest.setdefault((file.path, hit.rule), {}).setdefault(body, [])
                known_rest[body].append((file, line, hit, is_allowlisted))
            elif earlier is None:
                slow += not hit.exact
                proof = await asyncio.to_thread(identity, body, exact=hit.exact)
                findings[body] = _finding(file, line, hit, proof, is_allowlisted=is_allowlisted)
            else:
                also = Evidence(file.path, _quote(line, hit), line.new or 0, note=SAME_VALUE)
                both = earlier.allowlisted and is_allowlisted
                findings[body] = replace(earlier, evidence=(*earlier.evidence, also), allowlisted=both)
    shared_findings = [await asyncio.to_thread(_share, values) for values in rest.values()]
    unread = {file.path for file in files if not all(is_readable(line.text) for h in file.hunks for line in h.lines)}
    complete = frozenset(file.path for file in files) - unread
    return Judgement((*findings.values(), *shared_findings), complete, tuple((path, UNREAD) for path in sorted(unread)))


def silence(finding: Finding, dependents: Dependents) -> Silence:  # noqa: ARG001
    """Lasting: everyone who fetched the commit still has the secret after its line is gone."""
    return "lasting"


def _lines(file: ChangedFile) -> list[tuple[DiffLine, str, Hit, bool]]:
    """The secrets that added lines hold, each with its line, what tells it from others, and whether the base already allowed it there."""
    rows: list[tuple[DiffLine, str, Hit, bool]] = []
    for hunk in file.hunks:
        after = [line for line in hunk.lines if line.kind != "-"]
        former = _former(hunk.lines)
        for at, hit, text in secrets_in(file.path, [line.text for line in after], _role(file)):
            line, before = after[at], after[at - 1].text if at else ""
            if line.kind == "+":
                was = former.get(line.new or 0)
                both = was is not None and is_allowed(file.path, *was) and is_allowed(file.path, line.text, before)
                rows.append((line, text, hit, both))
    return rows


def _role(file: ChangedFile) -> Role:
    """What the file is to secrets. A lock file is full of random values that are public."""
    return "sample" if file.skip == LOCK else role_of(file.path)


def _key_lines(file: ChangedFile) -> list[int]:
    """Added lines that look like the body of a private key."""
    rows = (line for hunk in file.hunks for line in hunk.lines if line.kind == "+")
    return [line.new or 0 for line in rows if PEM_LINE.fullmatch(line.text)] if wants(file) else []


def _keys(file: ChangedFile, text: Sequence[str]) -> list[tuple[DiffLine, str, Hit, bool]]:
    """The private keys whose first line stays while lines of their body become others, each at that first line."""
    rows_by_line: dict[int, tuple[DiffLine, str, Hit, bool]] = {}
    first, last = 0, 0  # the lines of the key that was looked at before
    for row in _key_lines(file):
        if row > last:
            first = next((at for at in range(row - 1, max(0, row - KEY_LINES), -1) if _ENDS.search(text[at - 1])), 0)
            last = next((at for at in range(row, min(len(text), row + KEY_LINES)) if _ENDS.search(text[at - 1])), row)
        if first and first not in file.added_lines:
            line = DiffLine(" ", text[first - 1], None, first)
            for at, hit, body in secrets_in(file.path, text[first - 1 : first + KEY_HEAD], _role(file)):
                if at == 0 and hit.rule == KEY:
                    rows_by_line[first] = (line, body, hit, False)
    return list(rows_by_line.values())


def _former(lines: Sequence[DiffLine]) -> dict[int, tuple[str, str]]:
    """For each added line that takes the place of a line of the base: that line and the one before it in the base."""
    keys_by_line = dict[int, tuple[str, str]]()
    removed_rows, before = list[tuple[str, str]](), ""
    for line in lines:
        if line.kind == "+":
            if removed_rows:
                keys_by_line[line.new or 0] = removed_rows.pop(0)
            continue
        removed_rows = [*removed_rows, (line.text, before)] if line.kind == "-" else []
        before = line.text
    return keys_by_line


def _quote(line: DiffLine, hit: Hit) -> str:
    return line.text if len(line.text) <= LONG else hit.value


def _share(values: dict[str, list[_Row]]) -> Finding:
    """One finding for many guessable secrets of a file; no word about it covers another value than these."""
    (file, line, hit, is_allowlisted), *others = (row for rows in values.values() for row in rows)
    one = _finding(
        file, line, hit, shared_identity(values), is_allowlisted=is_allowlisted and all(row[3] for row in others)
    )
    also = (Evidence(row[0].path, _quote(row[1], row[2]), row[1].new or 0, note="one more") for row in others)
    return replace(one, evidence=tuple(also))


def _finding(file: ChangedFile, line: DiffLine, hit: Hit, proof: str, *, is_allowlisted: bool) -> Finding:
    return Finding(
        path=file.path,
        quote=_quote(line, hit),
        title=f"{hit.what} is committed",
        why=f"The change adds a line with {hit.how}.",
        consequence="Everyone who can read the repository can use it, now or later. "
        "Revoke it and take it from the environment or a secret store: removing the line leaves it in the history.",
        severity=hit.severity,
        category="secret",
        sources=(Source("analyser", NAME, proof=f"{hit.rule} {proof}"),),
        rule=hit.rule,
        start=line.new or 0,
        end=line.new or 0,
        verdict=Verdict.PROVEN if hit.exact else Verdict.UNPROVEN,
        allowlisted=is_allowlisted,
    )
