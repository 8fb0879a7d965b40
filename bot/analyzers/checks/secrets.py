"""Find secrets in added lines, with the patterns of detect-secrets and our own, without network access.

Precision comes first: exact forms of real tokens are reported everywhere. Passwords and random-looking values
are only reported if the name suggests them, and not in tests and documents. A finding's words never repeat the secret. Its quote is verbatim, and the outputs mask it.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence

from bot.secrets.patterns import Hit, identified, new_secrets, role_of
from bot.values import Absence, Basis, ChangedFile, Dependents, DiffLine, Evidence, Finding, Judgement, Source, Verdict
from bot.values.finding import SAME_VALUE
from deeprepo.impact.in_hand import reading
from deeprepo.impact.ports import Tree

NAME = "secrets"

RUN = 100  # characters next to a value that mark it as part of encoded data
ENCODED = re.compile(rf"[A-Za-z0-9+/]{{{RUN}}}")
LONG = 1_000  # characters; in a longer line only the secret is quoted

_Secret = tuple[DiffLine, str, Hit]  # line, identity and hit
_Row = tuple[ChangedFile, DiffLine, Hit]  # where a secret is


def wants(file: ChangedFile) -> bool:
    """Return whether the change adds lines to the file, even if the file is marked as generated."""
    return file.has_text and bool(file.added_lines)


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG001
    """Return one finding per secret. Other lines with the same secret are evidence."""
    rows_by_value: dict[str, list[_Row]] = {}
    for file in files:
        reading(file.path)
        # In a thread, because a large file would block everything else.
        found = await asyncio.to_thread(list, _secrets(file)) if wants(file) else []
        for line, value, hit in found:
            rows_by_value.setdefault(value, []).append((file, line, hit))
    for rows in rows_by_value.values():
        # code comes before copies in tests and documents
        rows.sort(key=lambda row: role_of(row[0].path) != "code")
    values = [(rows[0][0].path, value, rows[0][2], rows) for value, rows in rows_by_value.items()]
    identities = await asyncio.to_thread(list, identified(values))
    return Judgement(
        tuple(_finding(proof, groups) for proof, groups in identities), frozenset(file.path for file in files)
    )


def absence(finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG001
    """Return lasting, because everyone who fetched the commit still has the secret."""
    return "lasting"


def _secrets(file: ChangedFile) -> Iterator[_Secret]:
    """Yield the secrets that the change adds to a file. A token that moves within the file is not new."""
    before = [[line.text for line in hunk.lines if line.kind != "+"] for hunk in file.hunks]
    for hunk in file.hunks:
        after = [line for line in hunk.lines if line.kind != "-"]
        texts = [line.text for line in after]
        added_indexes = {index for index, line in enumerate(after) if line.kind == "+"}
        for secret in new_secrets(file.path, texts, added_indexes.__contains__, before):
            line = after[secret.at]
            if not _is_encoded(line.text, secret.hit.value):
                yield line, secret.whole, secret.hit


def _is_encoded(line: str, value: str) -> bool:
    """Return whether a value only occurs inside encoded data, where short patterns occur by chance."""
    found = re.finditer(re.escape(value), line)
    beside = [
        (line[max(0, match.start() - RUN) : match.start()], line[match.end() : match.end() + RUN]) for match in found
    ]
    return bool(beside) and all(any(ENCODED.fullmatch(side) for side in sides) for sides in beside)


def _quote(line: DiffLine, hit: Hit) -> str:
    return line.text if len(line.text) <= LONG else hit.value


def _finding(proof: str, groups: Sequence[Sequence[_Row]]) -> Finding:
    """Return one finding for one secret, or for many guessable values in a file."""
    (file, line, hit), *others = (row for rows in groups for row in rows)
    note = SAME_VALUE if len(groups) == 1 else "one more"
    return Finding(
        path=file.path,
        quote=_quote(line, hit),
        title=f"{hit.what} is committed",
        why=f"The change adds a line with {hit.how}.",
        consequence="Everyone who can read the repository can use it. Revoke it, create a new one, and read the new one from the environment or a "
        "secret store. Removing the line is not enough, because the history still contains it.",
        severity=hit.severity,
        category="secret",
        basis=Basis(
            (Source("analyser", NAME, proof=f"{hit.rule} {proof}"),),
            verdict=Verdict.PROVEN if hit.exact else Verdict.UNPROVEN,
        ),
        rule=hit.rule,
        start=line.new or 0,
        end=line.new or 0,
        evidence=tuple(Evidence(other.path, _quote(at, one), at.new or 0, note=note) for other, at, one in others),
    )
