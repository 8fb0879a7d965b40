"""The commits of a clone in an order that a seed decides, with what each one changes. Git objects are read, nothing is written."""

import random
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.checkout import git
from bot.errors import GitError
from deeprepo_evals.mine.grammar import node_names

PORTION = 60  # commits of one call of git
MOST_FILES, MOST_LINES = 20, 700  # of one commit that is looked at
LEAST_ORDINARY, MOST_ORDINARY = 2, 300  # lines
OLDEST = 30_000  # commits back
REVERTS = re.compile(r"This reverts commit ([0-9a-f]{7,40})")
NO_CHANGE = re.compile(r"^(revert|fixup!|squash!|merge|wip\b|bump|release|v?\d+\.\d+)", re.IGNORECASE)


@dataclass(slots=True)
class Patch:
    """One file of a commit."""

    path: str
    old: str
    status: str = "M"  # M, A, D, R
    removed_lines: list[str] = field(default_factory=list)
    added_lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit with one parent."""

    sha: str
    parent: str
    title: str
    date: str
    files: tuple[Patch, ...]

    @property
    def lines(self) -> int:
        """Changed lines."""
        return sum(len(file.removed_lines) + len(file.added_lines) for file in self.files)


async def ids(clone: Path, seed: int, name: str) -> list[str]:
    """The commits of the newest history that have one parent, shuffled."""
    out = await git.output(
        "rev-list", "--no-merges", "--min-parents=1", f"--max-count={OLDEST}", "HEAD", cwd=str(clone)
    )
    found = out.decode().split()
    random.Random(f"mine {seed} {name}").shuffle(found)  # noqa: S311 - data, not secrets
    return found


async def reverted_commits(clone: Path) -> frozenset[str]:
    """The first letters of the ids that a later commit takes back."""
    out = await git.output(
        "log", "--format=%b", f"--max-count={OLDEST}", "--grep=This reverts commit", "HEAD", cwd=str(clone)
    )
    return frozenset(sha[:10] for sha in REVERTS.findall(out.decode("utf-8", "replace")))


async def read(clone: Path, shas: Sequence[str]) -> AsyncIterator[Commit]:
    """These commits with their patches, without those that are too large or that the clone holds in part."""
    for at in range(0, len(shas), PORTION):
        try:
            part = await _small(clone, shas[at : at + PORTION])
            found = await _read(clone, part)
        except GitError:
            continue
        for commit in found:
            if commit.files and len(commit.files) <= MOST_FILES and commit.lines <= MOST_LINES:
                yield commit


async def _small(clone: Path, shas: Sequence[str]) -> list[str]:
    """Those that change few files, some of them code: told by the trees alone, before any content is compared."""
    out = await git.output(
        "log", "--no-walk=unsorted", "--stdin", "--raw", "--no-renames", "--no-abbrev", "--format=%x00%H",
        cwd=str(clone), stdin="\n".join(shas).encode(),
    )  # fmt: skip
    found = []
    for text in out.decode("utf-8", "replace").split("\0")[1:]:
        sha, *rows = [line for line in text.split("\n") if line]
        code = sum(node_names(row.rpartition("\t")[2]) is not None for row in rows)
        if code and len(rows) <= 2 * MOST_FILES:
            found.append(sha)
    return found


async def _read(clone: Path, shas: Sequence[str]) -> list[Commit]:
    if not shas:
        return []
    out = await git.output(
        "log", "--no-walk=unsorted", "--stdin", "-p", "-U0", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index",
        "--format=%x00%H%x01%P%x01%s%x01%cs", cwd=str(clone), stdin="\n".join(shas).encode(),
    )  # fmt: skip
    return [_commit(text) for text in out.decode("utf-8", "replace").split("\0")[1:]]


def _commit(text: str) -> Commit:
    head, _, rest = text.partition("\n")
    sha, parent, title, date = (head.split("\x01") + [""] * 4)[:4]
    return Commit(sha, parent.split()[0] if parent else "", title, date[:10], tuple(_patches(rest)))


def _patches(text: str) -> list[Patch]:
    """The files of a patch; more than are looked at, if it is too long."""
    found: list[Patch] = []
    rows = text.split("\n", MOST_LINES * 20)
    if len(rows) > MOST_LINES * 20:
        return [Patch("", "")] * (MOST_FILES + 1)
    for line in rows:
        if line.startswith("diff --git "):
            path = line.rpartition(" b/")[2]
            found.append(Patch(path, path))
        elif found:
            _line(found[-1], line)
    return found


def _line(file: Patch, line: str) -> None:
    for words, status in (("new file", "A"), ("deleted file", "D"), ("rename from ", "R")):
        if line.startswith(words):
            file.status = status
            file.old = line[len(words) :] if status == "R" else file.old
    if line.startswith("-") and not line.startswith("--- "):
        file.removed_lines.append(line[1:])
    elif line.startswith("+") and not line.startswith("+++ "):
        file.added_lines.append(line[1:])


async def blobs(clone: Path, names: Sequence[str]) -> dict[str, bytes]:
    """`commit:path` -> content, of those that there are."""
    if not names:
        return {}
    out = await git.output("cat-file", "--batch", cwd=str(clone), stdin=("\n".join(names) + "\n").encode())
    found, at = dict[str, bytes](), 0
    for name in names:
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        at = end + 1
        if not words[-1].isdigit():
            continue
        size = int(words[-1])
        found[name] = out[at : at + size]
        at += size + 1
    return found


async def holders(clone: Path, commit: str, word: str, endings: Sequence[str]) -> list[str]:
    """The files of a tree that hold a word, of these endings."""
    where = [f"*{ending}" for ending in endings]
    done = await git.run("grep", "-z", "-l", "-w", "-F", "-e", word, commit, "--", *where, cwd=str(clone))
    return [name.partition(":")[2] for name in done.out.decode("utf-8", "surrogateescape").split("\0") if name]


async def paths(clone: Path, commit: str) -> frozenset[str]:
    """Every file of a tree."""
    out = await git.output("ls-tree", "-r", "-z", "--name-only", commit, cwd=str(clone))
    return frozenset(out.decode("utf-8", "surrogateescape").split("\0")) - {""}


def ordinary(commit: Commit, reverted_commits: frozenset[str]) -> bool:
    """Whether a commit is a small change of code that was merged and kept."""
    code = [file for file in commit.files if node_names(file.path) is not None]
    return (
        bool(code)
        and LEAST_ORDINARY <= commit.lines <= MOST_ORDINARY
        and commit.sha[:10] not in reverted_commits
        and not NO_CHANGE.match(commit.title)
    )
