"""Apply fixes of findings to files: rewrites made by static checks, or else the model's suggestion.

A fix is applied completely or not at all. If a cause has several locations, the fix is complete in each file,
and the files that need a decision are listed. Before a fix counts, its lines must be unchanged, no other line
may change, and each file must parse as before.
"""

import difflib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from bot.findings.quotes import fold
from bot.values import PlacedFinding, Rewrite
from bot.values.fixing import Fix
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.faults import faults

MAX_FIXED_FILES, MAX_FIXED_LINES = 100, 2_000  # maximum per commit
LINE = re.compile(r"[^\n]*\n|[^\n]+")
# A path that a patch header can contain unchanged, so that no file name can add a line to the patch
PLAIN_PATH = re.compile(r'[^\x00-\x1f\x7f"\\]+')
WORKFLOWS = ".github/workflows/"  # GitHub Apps need a special permission to change these files


class _CannotApply(Exception):  # noqa: N818 - an outcome
    """The reason why a fix is left out."""


def _reason_without_fix(placed_finding: PlacedFinding) -> str:
    return "none" if placed_finding.finding.is_sure or placed_finding.replacement is None else "unconfirmed"


async def fix(placed_findings: Iterable[PlacedFinding], tree: Tree) -> Fix:
    """Apply every fix that can be applied, in the order of the findings.

    A fix that contradicts an earlier one is left out.
    """
    rows = [(each, each.rewrites) for each in placed_findings]
    paths = sorted({rewrite.path for _, rewrites in rows for rewrite in rewrites})
    entries = await tree.entries()
    known = {path for path in paths if path in entries and entries[path].kind == "file"}
    heads = dict(await tree.read_many(sorted(known)))
    rewrites_by_path: dict[str, set[Rewrite]] = defaultdict(set)
    mended_findings, refusals = [], []
    for placed_finding, rewrites in rows:
        finding = placed_finding.finding
        try:
            _add(rewrites_by_path, rewrites, heads, _reason_without_fix(placed_finding))
        except _CannotApply as reason:
            refusals.append((finding, str(reason)))
        else:
            mended_findings.append(finding)
            refusals += [
                (replace(finding, path=item.path, start=item.line, end=item.line), "part")
                for item in finding.unfixed_lines
            ]
    contents = {path: _applied(heads[path], mine) for path, mine in rewrites_by_path.items()}
    patch = "".join(_patch(path, heads[path], contents[path]) for path in sorted(contents))
    return Fix(contents, {path: heads[path] for path in contents}, tuple(mended_findings), tuple(refusals), patch)


def _add(
    rewrites_by_path: dict[str, set[Rewrite]],
    rewrites: Sequence[Rewrite],
    heads: Mapping[str, bytes],
    why_none: str,
) -> None:
    """Add one finding's rewrites. Raises _CannotApply, and then adds none of them."""
    if not rewrites:
        raise _CannotApply(why_none)
    more: dict[str, set[Rewrite]] = defaultdict(set)
    for rewrite in rewrites:
        if rewrite.path not in heads or rewrite.path.startswith(WORKFLOWS) or not PLAIN_PATH.fullmatch(rewrite.path):
            raise _CannotApply("place")
        more[rewrite.path].add(rewrite)
    for path, mine in more.items():
        both = rewrites_by_path.get(path, set()) | mine
        content = _applied(heads[path], both)
        before, after = faults(path, heads[path]), faults(path, content)
        if before is not None and len(after or ()) > len(before):
            raise _CannotApply("syntax")
    files = {*rewrites_by_path, *more}
    if len(files) > MAX_FIXED_FILES or sum(map(len, rewrites_by_path.values())) + len(rewrites) > MAX_FIXED_LINES:
        raise _CannotApply("long")
    for path, mine in more.items():
        rewrites_by_path[path] |= mine


def _applied(head: bytes, rewrites: Collection[Rewrite]) -> bytes:
    """Raises _CannotApply if the old lines are missing or rewrites overlap."""
    lines = head.decode("utf-8", "surrogateescape").split("\n")
    pieces, at = [], 0
    for rewrite in sorted(rewrites, key=lambda one: one.line):
        old = rewrite.old.split("\n")
        start = rewrite.line - 1
        old_rows = lines[start : start + len(old)]
        if start < at:
            raise _CannotApply("clash")
        if [fold(line) for line in old_rows] != [fold(line) for line in old]:
            raise _CannotApply("moved")
        ending = "\r" if old_rows[-1].endswith("\r") else ""
        new = [line.removesuffix("\r") + ending for line in rewrite.new.split("\n")] if rewrite.new else []
        pieces += [*lines[at:start], *new]
        at = start + len(old)
    return "\n".join([*pieces, *lines[at:]]).encode("utf-8", "surrogateescape")


def _patch(path: str, before: bytes, after: bytes) -> str:
    """Return one file's patch for `git apply`. Only a line feed ends a line."""
    old, new = (LINE.findall(side.decode("utf-8", "replace")) for side in (before, after))
    rows = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return f"diff --git a/{path} b/{path}\n" + "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in rows
    )
