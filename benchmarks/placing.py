"""Placement judged from outside: hand-made cases, made-up changes, and GitHub's rules as the sandbox GitHub keeps them."""

import asyncio
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import Row
from bot import diff
from bot.checkout import Checkout
from bot.findings.placing import place
from bot.outputs import facts, posts
from bot.values import (
    Basis,
    ChangedFile,
    Coverage,
    Finding,
    PlacedFinding,
    PullRequest,
    RawChange,
    Review,
    Side,
    Source,
    StrategyChoice,
    Verdict,
)
from deeprepo.rlm.values import Cost
from deeprepo_sandbox.github import anchors, diffs

TABLE = Path(__file__).parents[1] / "tests/findings/placements.txt"
_FINDING = re.compile(r"(\S+?)(@base)? (\d+)(?:-(\d+))? `(.*)`( proven)? -> (\w+)(?: (\d+)(?:-(\d+))?)?\s+# (.*)")
FILES, FINDINGS = 40, 25  # made-up files of a repository, and findings for each of them
PULL = PullRequest("A change", "", "b" * 40, "c" * 40, "main", "feature", "/nowhere", url="https://example.invalid/o/n")


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table."""

    title: str
    patch: str
    finding: Finding
    expected: str  # "RIGHT 5-6", "file", "outside"


def table() -> Iterator[Case]:
    """The hand-made cases."""
    for part in TABLE.read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, *rows = part.rstrip("\n").split("\n")
        found = [(row, match) for row in rows if (match := _FINDING.fullmatch(row))]
        patch = "\n".join(row for row in rows if not _FINDING.fullmatch(row)).strip("\n") + "\n"
        for _, match in found:
            path, base, first, last, quote, proven, where, start, end, why = match.groups()
            text = quote.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
            finding = _finding(path, text, (int(first), int(last or first)), "base" if base else "head", bool(proven))
            lines = f" {start}{f'-{end}' if end else ''}" if start else ""
            yield Case(f"{title}: {why}", patch, finding, where + lines)


def phrase(placed: PlacedFinding) -> str:
    """A place in the words of the table."""
    if placed.spot is None:
        return placed.place
    lines = f"{placed.spot.start}" + (f"-{placed.spot.end}" if placed.spot.end > placed.spot.start else "")
    return f"{placed.spot.side} {lines}"


def change(patch: str) -> tuple[ChangedFile, ...]:
    """A diff as `diff.read` takes it, its status rows made up from its headers."""
    rows = []
    for section in diffs.split(patch):
        head = section.partition("\n@@")[0]
        new = _named(section)
        renamed = re.search(r"^rename from (.*)$", head, re.MULTILINE)
        letter = "A" if "\nnew file" in head else "D" if "\ndeleted file" in head else "R090" if renamed else "M"
        modes = {"A": ("000000", "100644"), "D": ("100644", "000000")}.get(letter, ("100644", "100644"))
        names = f"{renamed[1]}\0{new}" if renamed else new
        rows.append(f":{modes[0]} {modes[1]} {'1' * 40} {'2' * 40} {letter}\0{names}\0")
    return diff.read(RawChange(patch.encode(), "".join(rows).encode(), {}, {}))


def faults(findings: Sequence[Finding], changed: tuple[ChangedFile, ...], patch: str) -> tuple[int, int, list[str]]:
    """How many findings have an invalid place, how many are lost, and the first of them in words."""
    placed = place(findings, changed)
    known = [diffs.File(_named(part), _named(part), "", "", diffs.hunks_of(part)) for part in diffs.split(patch)]
    words = list[str]()
    lost = len(findings) - sum(row.finding is finding for row, finding in zip(placed, findings, strict=True))
    invalid = 0
    for at in range(0, len(placed), posts.MOST_POSTS):
        some = placed[at : at + posts.MOST_POSTS]
        made = posts.comments(review_of(some, changed))
        for post in made.posts:
            anchor: dict[str, Any] = {
                "path": post.path,
                "subject_type": post.subject,
                "line": post.line,
                "side": post.side,
                "start_line": post.start_line,
                "start_side": post.side if post.start_line else None,
            }
            _, why = anchors.place_in(known, anchor)
            invalid += bool(why)
            words += [f"{why}: {anchor}"] if why else []
        listed = [row for row in some if row.place == "outside" and row.spot is None]
        headings = set(re.findall(r"^#### \S+ \w+ · (?:\d+\. )?(.*)$", made.summary, re.MULTILINE))
        lost += (
            len(some) - sum(post.findings for post in made.posts) - sum(row.finding.title in headings for row in listed)
        )
        counted = facts.ENGLISH.say("posted", sum(post.findings for post in made.posts), listed=len(listed))
        if made.posts and counted not in made.summary:
            words.append(f"the counter does not say {counted!r}")
            invalid += 1
    return invalid, lost, words[:5]


def made_up(seed: int, size: int = 8) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Files before and after a change of every kind: edited, added, deleted, renamed; None: it is not there on that side."""
    chance = random.Random(seed)  # noqa: S311 - the same changes for everybody
    before: dict[str, str | None] = {}
    after: dict[str, str | None] = {}
    for number in range(size):
        name = f"d{number % 3}/f{seed}_{number}.py"
        lines = [f"line_{chance.randrange(30)} = {chance.randrange(9)}" for _ in range(chance.randrange(1, 60))]
        changed = list(lines)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(changed) + 1)
            kind = chance.choice(("insert", "delete", "edit"))
            if kind == "insert":
                changed[at:at] = [f"added_{chance.randrange(30)} = 1"] * chance.randrange(1, 4)
            else:
                changed[at : at + chance.randrange(1, 4)] = [] if kind == "delete" else [f"edit_{chance.randrange(9)}"]
        ending = chance.choice(("\n", "\n", "\r\n"))
        texts = [ending.join(rows) + chance.choice((ending, "")) if rows else "" for rows in (lines, changed)]
        before[name], after[name] = texts[0], texts[1]
        fate = chance.choice(("edited", "edited", "edited", "added", "deleted", "renamed"))
        if fate == "added":
            before[name] = None
        elif fate == "deleted":
            after[name] = None
        elif fate == "renamed":
            after[f"{name[:-3]}_moved.py"], after[name] = texts[1], None
    return before, after


def findings(seed: int, number: int, before: dict[str, str | None], after: dict[str, str | None]) -> list[Finding]:
    """Findings as careless models make them: right and wrong lines, sides, files and quotes."""
    chance = random.Random(seed)  # noqa: S311
    names = [*sorted({*before, *after}), "elsewhere.py"]
    made = []
    for at in range(number):
        path = chance.choice(names)
        side: Side = chance.choice(("head", "head", "base"))
        text = (after if side == "head" else before).get(path) or before.get(path) or "x"
        lines = text.replace("\r\n", "\n").split("\n")
        start = chance.randrange(1, len(lines) + 1)
        end = min(len(lines), start + chance.choice((0, 0, 0, 1, 2, 9, 60)))
        quote = "\n".join(lines[start - 1 : end]) if chance.random() < 0.9 else "never written anywhere"
        if chance.random() < 0.3:
            start, end = chance.choice(((0, 0), (start + 7, end + 7), (9999, 9999)))
        proven = chance.random() < 0.2
        made.append(_finding(path, quote, (start, end), side, proven, f"finding {at} of {seed}"))
    return made


def generated(number: int) -> list[Row]:
    """So many made-up findings, in repositories of 40 files. Real git makes the diffs; a judge that knows only GitHub's rules reads them."""
    total = invalid = lost = 0
    seed = 0
    while total < number:
        before, after = made_up(seed, FILES)
        found = findings(seed, min(FINDINGS * FILES, number - total), before, after)
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            raw, changed = _diffed(Path(folder), before, after)
        bad, gone, words = faults(found, changed, raw.patch.decode())
        total, invalid, lost, seed = total + len(found), invalid + bad, lost + gone, seed + 1
        for said in words:
            print(said)
    return [
        Row("placement: made-up findings", total, number, least=True),
        Row("  refused by GitHub's rules", invalid, 0),
        Row("  lost, or not counted", lost, 0),
    ]


def _named(section: str) -> str:
    """The new name of `diff --git a/OLD b/NEW`; the made names of tests hold no ` b/`, and a deleted file has one name."""
    return section.partition("\n")[0].rpartition(" b/")[2]


def _finding(
    path: str, quote: str, lines: tuple[int, int], side: Side, proven: bool, title: str = "finding"
) -> Finding:
    return Finding(
        path, quote, title, "why", "", "critical", "logic", Basis((Source("model", "m"),), verdict=Verdict.PROVEN if proven else Verdict.CONFIRMED), start=lines[0], end=lines[1], side=side,
        fingerprint=f"{title} {path}",
    )  # fmt: skip


def review_of(placed: Sequence[PlacedFinding], changed: tuple[ChangedFile, ...]) -> Review:
    """A review that says these findings."""
    return Review(
        pull=PULL, files=changed, strategy=StrategyChoice("parts"), findings=tuple(placed), coverage=Coverage(), cost=Cost(),
        seconds=1.0,
    )  # fmt: skip


def _diffed(
    folder: Path, before: dict[str, str | None], after: dict[str, str | None]
) -> tuple[RawChange, tuple[ChangedFile, ...]]:
    def git(*arguments: str) -> str:
        who = [part for key in ("name", "email") for part in ("-c", f"user.{key}=bench@example.invalid")]
        done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(files: dict[str, str | None]) -> str:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_bytes(text.encode())
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", "x")
        return git("rev-parse", "HEAD")

    git("init", "--quiet")
    git("config", "core.autocrlf", "false")
    pull = PullRequest("x", "", commit(before), commit(after), "base", "head", str(folder / ".git"))

    async def read() -> RawChange:
        async with Checkout(pull) as tree:
            return await tree.change()

    raw = asyncio.run(read())
    return raw, diff.read(raw)
