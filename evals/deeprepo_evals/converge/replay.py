"""One pull request played again: each push is reviewed on top of the last review, and the author mends what was said before the next."""

import re
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from bot.errors import GitError, NothingToReview
from bot.outputs import json_file
from bot.values import Finding, PlacedFinding, Review
from deeprepo_evals.clones import blobs
from deeprepo_evals.converge.series import Series
from deeprepo_evals.reviews.build import Store
from deeprepo_evals.reviews.cases import Edit

DATE = "2026-01-01"
MOST_ROUNDS = 8
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_WORD, _QUOTED = re.compile(r"\w{3,}"), re.compile(r"`([^`]+)`")
Reader = Callable[[Path, bytes | None, str], Awaitable[Review]]  # repository, last review, a folder to throw away


@dataclass(frozen=True, slots=True)
class Round:
    """What the review of one push said for the first time, shown in full."""

    comments: int
    untouched: tuple[str, ...]  # those about code that the push did not touch, as "path:line severity title"
    fixes: int = 0  # those that name the finding whose fix introduced them
    uncaused: int = 0  # those of a later review that name no cause


@dataclass(frozen=True, slots=True)
class Played:
    """A pull request and its rounds. The last is silent, unless there were as many as there may be."""

    series: Series
    rounds: tuple[Round, ...]

    @property
    def was_silent(self) -> bool:
        """Whether the last review said nothing new."""
        return not self.rounds[-1].comments

    @property
    def silent_from(self) -> int:
        """The review from which on nothing new was said: 1 where there never was a comment."""
        return max((number for number, row in enumerate(self.rounds, 1) if row.comments), default=0) + 1


async def play(series: Series, read: Reader) -> Played:
    """Play it. Raises GitError if the clone lacks a part of it."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-converge-") as folder:
        store = Store(Path(folder, "repo"))
        store.folder.mkdir()
        await store.begin(series.clone)
        trees = [await store.whole(await store.tree(commit)) for commit in (series.base, *series.pushes)]
        pushed = head = await store.commit("base", trees[0], "base", DATE)
        await store.git("symbolic-ref", "HEAD", "refs/heads/head")
        rounds: list[Round] = []
        last: bytes | None = None
        said: Sequence[PlacedFinding] = ()
        while len(rounds) < MOST_ROUNDS:
            reviewed, number = head, len(rounds) + 1
            if said:
                tree = await store.edit_tree(f"{head}^{{tree}}", await _mended(store, head, trees[-1], said))
                head = await store.commit("head", tree, "Mend what the review said", DATE, head)
            if number < len(trees):
                push = await store.commit("push", trees[number], f"Push {number}", DATE, pushed)
                head = await _joined(store, head, pushed, push, number)
                pushed = push
            elif not said:
                break
            try:
                review = await read(store.folder, last, folder)
            except NothingToReview:
                rounds.append(Round(0, ()))
                said = ()
                continue
            is_first, last = last is None, json_file.render(review).encode()
            said = [row for row in review.reported if row.finding.status == "new" and row.place != "folded"]
            touched = await _touched(store, reviewed, head)
            beyond = [] if is_first else [row for row in said if not touched.has(row)]
            tracked = [row.finding.tracking for row in said if not is_first]
            fixes, uncaused = sum(bool(one.fix_of) for one in tracked), sum(not one.origin for one in tracked)
            rounds.append(Round(len(said), tuple(map(_place, beyond)), fixes, uncaused))
        return Played(series, tuple(rounds))


async def _joined(store: Store, head: str, before: str, push: str, number: int) -> str:
    """The author's branch with the next real push on it. Where both write the same lines, the push is what stands."""
    if head == before:
        return await store.commit("head", f"{push}^{{tree}}", f"Push {number}", DATE, head)
    try:
        tree = (await store.git("merge-tree", "--write-tree", head, push)).split("\n")[0]
    except GitError:
        tree = f"{push}^{{tree}}"
    return await store.commit("head", await store.git("rev-parse", tree), f"Push {number}", DATE, head, push)


async def _mended(store: Store, head: str, final: str, said: Sequence[PlacedFinding]) -> list[Edit]:
    """What the author does about each finding: takes the suggestion, else what the pull request itself has in the end, else nothing.

    No line is edited twice.
    """
    edits: list[Edit] = []
    taken: dict[str, set[int]] = defaultdict(set)
    for row in said:
        suggested = [
            Edit(one.path, tuple(one.new.split("\n")), one.line, one.line + one.old.count("\n")) for one in row.rewrites
        ]
        for edit in suggested or await _in_the_end(store, head, final, row.finding):
            lines = set(range(edit.start, max(edit.start, edit.end) + 1))
            if not lines & taken[edit.path]:
                taken[edit.path] |= lines
                edits.append(edit)
    return edits


async def _in_the_end(store: Store, head: str, final: str, finding: Finding) -> list[Edit]:
    """The lines of a finding as the last push of the pull request has them; none where it leaves them as they are."""
    own = [(finding.path, finding.start, finding.end)] if finding.side == "head" and finding.start else []
    broken = [(item.path, item.line, item.line) for item in finding.evidence if item.is_broken and item.line]
    edits: list[Edit] = []
    for path, start, end in broken or own:
        texts = await blobs(store.folder, [f"{head}:{path}", f"{final}:{path}"])
        if len(texts) > 1:
            now, then = (_lines(blob) for blob in texts.values())
            edits += [
                Edit(path, tuple(then[to:stop]), at + 1, until)
                for tag, at, until, to, stop in SequenceMatcher(None, now, then).get_opcodes()
                if tag != "equal" and at < end + (at == until) and start <= until + (at == until)
            ]
    return edits


def _lines(blob: bytes) -> list[str]:
    return blob.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")


@dataclass(frozen=True, slots=True)
class Touched:
    """What a push changed: path -> the lines that it wrote (of lines that it took away, those that now meet there), and its words."""

    lines: Mapping[str, set[int]]
    words: frozenset[str]

    def has(self, row: PlacedFinding) -> bool:
        """Whether a finding is about it: by a line of its own or of its evidence, or by a name that the push added or took away."""
        finding = row.finding
        places = [(finding.path, finding.start, finding.end, finding.side)]
        places += [(item.path, item.line, item.line, item.side) for item in finding.evidence]
        names = {word for quoted in _QUOTED.findall(finding.title) for word in _WORD.findall(quoted)}
        return bool(names & self.words) or any(self._has_lines(*place) for place in places)

    def _has_lines(self, path: str, start: int, end: int, side: str) -> bool:
        lines = self.lines.get(path)
        if lines is None or side == "base" or not start:
            return lines is not None
        return bool(lines & set(range(start, max(start, end) + 1)))


async def _touched(store: Store, before: str, after: str) -> Touched:
    told = await store.git("diff", "-U0", "--no-renames", "--no-ext-diff", before, after)
    lines: dict[str, set[int]] = defaultdict(set)
    words: set[str] = set()
    path = ""
    for line in told.split("\n"):
        if line.startswith(("--- a/", "+++ b/")):
            path = line[6:]
            lines[path] |= set()
        elif hunk := _HUNK.match(line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            lines[path] |= set(range(start, start + count)) if count else {start, start + 1}
        elif line.startswith(("+", "-")):
            words |= {*_WORD.findall(line)}
    return Touched(lines, frozenset(words))


def _place(row: PlacedFinding) -> str:
    return f"{row.finding.path}:{row.finding.start} {row.finding.severity} {row.finding.title}"
