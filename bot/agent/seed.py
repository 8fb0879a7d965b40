"""What the root starts with: the change itself where it fits, else its risk map; the findings so far; who uses what changed. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from bot import render
from bot.diff import told
from bot.text.paths import decides_nothing
from bot.values import ChangedFile, Dependents, Finding, LinkedIssue, PullRequest, Reference, Unit, tokens

DIFF_TOKENS = 30_000  # above this the root sees the risk map and the heads of the riskiest units
AROUND = 5  # unchanged lines beside a change
MAP_UNITS = 120
HEAD_LINES = 12  # of a unit, in the risk map
MAX_SITES = 60
MAX_GUESSED = 20  # files in which only a name matches
FEW_FILES = 12  # a name that matches by itself in more of them is everywhere
MAX_TESTS = 2  # lines of tests that may use what changed, by their name only
LINES = 6  # of one such name in one file
MAX_FILES = 200
BODY_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Seed:
    """The first message of the root and what did not fit into it."""

    text: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NameInFile:
    """How often a file writes a name, and the first of these lines."""

    name: str
    times: int
    lines: tuple[int, ...]


def gather(
    pull: PullRequest,
    files: Sequence[ChangedFile],
    units: Sequence[Unit],
    dependents: Dependents,
    findings: Sequence[Finding] = (),
    question: str = "",
    issues: Sequence[LinkedIssue] = (),
    undecided: Collection[str] = (),
) -> Seed:
    """The seed under its limits; riskiest first where something is cut.

    `issues`: those of which the root is to say whether they are done; `undecided`: fingerprints of findings that a second opinion could
    not settle.
    """
    reviewable = [file for file in files if not file.skip]
    diffs = told(units, reviewable, AROUND)
    size = sum(tokens(part.body) for part in diffs)
    whole = size <= DIFF_TOKENS
    kinds = {"", *(decides_nothing(file.path) for file in files)}
    references = [row for row in dependents.references if row.sure or row.missing or decides_nothing(row.path) in kinds]
    known = _telling(row for row in references if not row.guessed)
    known.sort(key=lambda r: (r.path, r.line, not r.sure, not r.call))
    first = {(row.path, row.line): row for row in reversed(known)}.values()  # one use of each line
    sites = sorted(first, key=lambda r: (not r.sure, r.test, not r.call, r.path, r.line))
    guessed, everywhere = _guessed(references)
    left_out = [] if whole else [f"the diff: about {size:,} tokens; use diff(path)"]
    left_out += [f"{len(units) - MAP_UNITS} units of low risk"] if not whole and len(units) > MAP_UNITS else []
    left_out += [f"{len(sites) - MAX_SITES} call sites"] if len(sites) > MAX_SITES else []
    left_out += (
        [f"{len(guessed) - MAX_GUESSED} files in which only a name matches"] if len(guessed) > MAX_GUESSED else []
    )
    left_out += (
        [f"uses, found by the name alone, of {', '.join(everywhere[:LINES])}: words that are everywhere"]
        if everywhere
        else []
    )
    text = render.text(
        "prompts/seed.md.j2",
        pull=pull,
        body=pull.body[:BODY_CHARS],
        files=files[:MAX_FILES],
        more_files=max(0, len(files) - MAX_FILES),
        diffs=diffs if whole else [],
        units=[] if whole else [(unit, _head(unit)) for unit in units[:MAP_UNITS]],
        sites=sites[:MAX_SITES],
        guessed=guessed[:MAX_GUESSED],
        findings=findings,
        undecided=undecided,
        left_out=left_out,
        question=question,
        issues=issues,
    )
    return Seed(text, tuple(left_out))


def _telling(rows: Iterable[Reference]) -> list[Reference]:
    """Without the methods that every class has, and with few tests, where only the name says that a use is meant."""
    kept, tests = [], 0
    for row in rows:
        unsure = not row.sure and not row.missing
        tests += unsure and row.test
        if not unsure or not (row.everyday or (row.test and tests > MAX_TESTS)):
            kept.append(row)
    return kept


def _guessed(references: Iterable[Reference]) -> tuple[list[tuple[str, list[NameInFile]]], list[str]]:
    """What only a name speaks for, by file, tests last; and the names that are everywhere, of which no place is listed."""
    rows = [row for row in references if row.guessed]
    files = Counter(name for name, _ in {(row.name, row.path) for row in rows})
    everywhere = {name for name, times in files.items() if times > FEW_FILES}
    told = [row for row in rows if not row.everyday and row.name not in everywhere]
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for _, path, name, line in sorted({(row.test, row.path, row.name, row.line) for row in told}):
        found[path][name].append(line)
    by_file = [
        (path, [NameInFile(name, len(lines), tuple(lines[:LINES])) for name, lines in names.items()])
        for path, names in found.items()
    ]
    return by_file, sorted(everywhere | {row.name for row in rows if row.everyday})


def _head(unit: Unit) -> str:
    rest = len(unit.rows) - HEAD_LINES
    return "\n".join(map(str, unit.rows[:HEAD_LINES])) + (
        f"\n[... {rest} more lines: read() or diff() shows them ...]" if rest > 0 else ""
    )
