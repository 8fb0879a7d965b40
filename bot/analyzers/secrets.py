"""Secrets in added lines, found by detect-secrets in memory: no baseline, no verification over the network.

Precision first: exact forms of real tokens everywhere; passwords and random-looking values only if the name suggests it, and not
in tests and documents. No finding repeats the secret in its words; its quote is verbatim, and the outputs mask it.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.machine import limits
from bot.masking.forms import (
    KEY,
    KEY_LABELS,
    MOST_SLOW,
    Hit,
    identity,
    is_allowed,
    is_readable,
    keys_in,
    new_secrets,
    secrets_in,
    shared_identity,
)
from bot.ports import Tree
from bot.text.lines import file_lines
from bot.values import ChangedFile, Dependents, DiffLine, Evidence, Finding, Judgement, Silence, Source, Verdict
from bot.values.finding import SAME_VALUE

NAME = "secrets"
READS = "every text file"

UNREAD = "it has a line with thousands of names that may stand before a secret"
RUN = 100  # characters beside a value that tell that it is a part of something encoded
ENCODED = re.compile(rf"[A-Za-z0-9+/]{{{RUN}}}")
LONG = 1_000  # characters; of a longer line the secret alone is quoted

_Secret = tuple[
    DiffLine, str, Hit, bool
]  # its line, what tells it from others, and whether the base already allowed it there
_Row = tuple[ChangedFile, DiffLine, Hit, bool]  # where a secret is, and whether the base already allowed it there


def wants(file: ChangedFile) -> bool:
    """Every file to which the change adds lines, whatever it says of itself."""
    return file.has_text and bool(file.added_lines)


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
        for line, body, hit, is_allowlisted in await _secrets(tree, file) if wants(file) else ():
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


async def _secrets(tree: Tree, file: ChangedFile) -> list[_Secret]:
    """What the change brings into a file.

    A private key is as long as a file may be: its marks and its rows are in no one hunk, so the whole file is looked through for it.
    """
    head, before = await tree.read(file.path) or b"", b""
    has_key = any(label.encode() in head for label in KEY_LABELS)
    if has_key and file.old_path is not None:
        before = await tree.read(file.old_path, "base") or b""
    # In a thread: a large file must not hold up everyone else.
    rows = await asyncio.to_thread(lambda: list(_in_hunks(file, with_keys=not has_key)))
    if has_key:
        rows += await asyncio.to_thread(lambda: list(_keys(file, file_lines(head), file_lines(before))))
    return sorted(rows, key=lambda row: row[0].new or 0)


def _in_hunks(file: ChangedFile, *, with_keys: bool) -> Iterator[_Secret]:
    for hunk in file.hunks:
        after = [line for line in hunk.lines if line.kind != "-"]
        texts, before = [line.text for line in after], [line.text for line in hunk.lines if line.kind != "+"]
        added_indexes = {at for at, line in enumerate(after) if line.kind == "+"}
        former = _former(hunk.lines)
        for secret in new_secrets(secrets_in, file.path, texts, added_indexes.__contains__, [before]):
            line = after[secret.at]
            if (with_keys or secret.hit.rule != KEY) and not _is_encoded(line.text, secret.hit.value):
                yield line, secret.text, secret.hit, _stays_allowed(file, texts, secret.at, former.get(line.new or 0))


def _is_encoded(line: str, value: str) -> bool:
    """Whether a value stands only inside of long runs of letters and digits: a program or a picture as text has every short form by chance."""
    found = re.finditer(re.escape(value), line)
    beside = [(line[max(0, one.start() - RUN) : one.start()], line[one.end() : one.end() + RUN]) for one in found]
    return bool(beside) and all(any(ENCODED.fullmatch(side) for side in sides) for sides in beside)


def _keys(file: ChangedFile, head: Sequence[str], before: Sequence[str]) -> Iterator[_Secret]:
    """The private keys of the whole file, each at its first line, which may be an old one."""
    added_indexes = {number - 1 for number in file.added_lines}
    former = {number: was for hunk in file.hunks for number, was in _former(hunk.lines).items()}
    for secret in new_secrets(keys_in, file.path, head, added_indexes.__contains__, [before]):
        line = DiffLine("+" if secret.at in added_indexes else " ", head[secret.at], None, secret.at + 1)
        yield line, secret.text, secret.hit, _stays_allowed(file, head, secret.at, former.get(secret.at + 1))


def _stays_allowed(file: ChangedFile, lines: Sequence[str], at: int, was: tuple[str, str] | None) -> bool:
    """Whether a comment allows a secret on this line, and already did on the line of the base whose place it takes."""
    above = lines[at - 1] if at else ""
    return was is not None and is_allowed(file.path, *was) and is_allowed(file.path, lines[at], above)


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
