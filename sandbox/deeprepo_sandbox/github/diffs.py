"""The diff of a pull request as GitHub shows it: which lines may carry a comment, and where a line is after a push."""

import re
from dataclasses import dataclass
from pathlib import Path

from deeprepo_sandbox.github import git
from deeprepo_sandbox.github.things import Side

STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
FORM = ("-M", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index")
_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")
KEPT = 512  # diffs, which never change
MOST_LINES, MOST_BYTES = 20_000, 1_000_000  # of one file's diff that GitHub shows


_diffs: "dict[tuple[Path, str, str, int], tuple[File, ...]]" = {}


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk: its header and its lines, each with its sign."""

    header: str
    old: int
    new: int
    lines: tuple[str, ...]

    def numbers(self) -> tuple[tuple[int | None, int | None], ...]:
        """For each line its number before and after the change; None where the line is not there."""
        old, new, found = self.old, self.new, []
        for line in self.lines:
            before, after = line[:1] in " -", line[:1] in " +"
            found.append((old if before else None, new if after else None))
            old, new = old + before, new + after
        return tuple(found)

    def index(self, line: int, side: Side) -> int | None:
        """Where in the hunk a line may be commented on: RIGHT takes added and context lines, LEFT also removed ones."""
        at = 1 if side == "RIGHT" else 0
        return next((index for index, pair in enumerate(self.numbers()) if pair[at] == line), None)


@dataclass(frozen=True, slots=True)
class File:
    """One file of a diff. `patch` is empty where git shows no text: binary files, a bare rename, a change of the mode."""

    path: str
    old_path: str
    status: str
    sha: str
    patch: str

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks of the patch."""
        return read(self.patch)

    def count(self, sign: str) -> int:
        """How many lines were added (+) or removed (-)."""
        return sum(line.startswith(sign) for hunk in self.hunks for line in hunk.lines)

    @property
    def is_too_large(self) -> bool:
        """Whether GitHub shows nothing of it, and takes no comment on its lines."""
        return self.count("+") + self.count("-") > MOST_LINES or len(self.patch.encode()) > MOST_BYTES

    def hunk(self, line: int, side: Side) -> Hunk | None:
        """The hunk in which a line may be commented on."""
        return next((hunk for hunk in self.hunks if hunk.index(line, side) is not None), None)


def read(patch: str) -> tuple[Hunk, ...]:
    """The hunks of a patch of one file."""
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in patch.split("\n"):
        head = _HEAD.fullmatch(line)
        if head:
            found.append((head, []))
        elif found and line[:1] in {" ", "+", "-"}:  # "\ No newline at end of file" is no line
            found[-1][1].append(line)
    return tuple(Hunk(head[0], int(head[1]), int(head[3]), tuple(lines)) for head, lines in found)


def excerpt(hunk: Hunk, line: int, side: Side) -> str:
    """The `diff_hunk` of a comment: the hunk down to the line that is commented on."""
    return "\n".join([hunk.header, *hunk.lines[: (hunk.index(line, side) or 0) + 1]])


async def diff(folder: Path, base: str, head: str, context: int = 3) -> tuple[File, ...]:
    """The files that differ between two commits, as `git diff -M` tells them."""
    key = (folder, base, head, context)
    if key not in _diffs:
        if len(_diffs) > KEPT:
            _diffs.clear()
        _diffs[key] = await _diff(folder, base, head, context)
    return _diffs[key]


async def _diff(folder: Path, base: str, head: str, context: int) -> tuple[File, ...]:
    out = await git.run(folder, "diff", "--patch-with-raw", "-z", f"-U{context}", *FORM, base, head)
    raw, _, patch = out.partition(b"\0\0")
    fields = raw.decode(errors="replace").split("\0")
    sections = iter(split(patch.decode(errors="replace")))
    found, at = [], 0
    while at < len(fields) and fields[at].startswith(":"):
        *_, sha, state = fields[at].split(" ")
        moved = state[0] in "RC"
        old, new = fields[at + 1], fields[at + 1 + moved]
        at += 2 + moved
        section = next(sections, "") + (next(sections, "") if state[0] == "T" else "")
        found.append(File(new, old, STATUS[state[0]], sha, hunks_of(section)))
    return tuple(found)


async def changed_lines(folder: Path, base: str, head: str) -> int:
    """How many lines differ between two commits."""
    stat = (await git.cached_output(folder, "diff", "--shortstat", *FORM, base, head)).decode()
    return sum(int(count) for count in re.findall(r"(\d+) (?:insertion|deletion)", stat))


def split(patch: str) -> list[str]:
    """The parts of a diff, each of one file."""
    return re.split(r"^(?=diff --git )", patch, flags=re.MULTILINE)[1:]


def hunks_of(section: str) -> str:
    """The hunks of such a part, without what stands above them."""
    start = section.find("\n@@ ")
    return section[start + 1 :].rstrip("\n") if start >= 0 else ""


async def moved_line(folder: Path, path: str, line: int, before: str, after: str) -> int | None:
    """Where a line of a file is in a later commit; None where it was changed or is gone."""
    files = await diff(folder, before, after, context=0)
    file = next((file for file in files if file.old_path == path), None)
    if file is None:
        return line
    shift = 0
    for hunk in file.hunks:
        removed = sum(text.startswith("-") for text in hunk.lines)
        added = len(hunk.lines) - removed
        first = hunk.old if removed else hunk.old + 1
        if line < first:
            break
        if line < first + removed:
            return None
        shift += added - removed
    return line + shift if file.status != "removed" else None
