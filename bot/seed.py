"""What the root starts with: the change itself where it fits, else its risk map; the findings so far; who uses what changed. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot import render
from bot.diff import told
from bot.values import ChangedFile, Dependents, Finding, PullRequest, Unit, tokens

DIFF_TOKENS = 30_000  # above this the root sees the risk map and the heads of the riskiest units
AROUND = 5  # unchanged lines beside a change
MAP_UNITS = 120
HEAD_LINES = 12  # of a unit, in the risk map
MAX_SITES = 60
MAX_FILES = 200
BODY_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Seed:
    """The first message of the root and what did not fit into it."""

    text: str
    left_out: tuple[str, ...] = ()


def gather(
    pull: PullRequest,
    files: Sequence[ChangedFile],
    units: Sequence[Unit],
    dependents: Dependents,
    findings: Sequence[Finding] = (),
    question: str = "",
) -> Seed:
    """The seed under its limits; riskiest first where something is cut."""
    reviewable = [file for file in files if not file.skip]
    diffs = told(units, reviewable, AROUND)
    size = sum(tokens(part.body) for part in diffs)
    whole = size <= DIFF_TOKENS
    sites = sorted(dependents.references, key=lambda r: (not r.sure, r.test, not r.call, r.path, r.line))
    left_out = [] if whole else [f"the diff: about {size:,} tokens; use diff(path)"]
    left_out += [f"{len(units) - MAP_UNITS} units of low risk"] if not whole and len(units) > MAP_UNITS else []
    left_out += [f"{len(sites) - MAX_SITES} call sites"] if len(sites) > MAX_SITES else []
    text = render.text(
        "prompts/seed.md.j2",
        pull=pull,
        body=pull.body[:BODY_CHARS],
        files=files[:MAX_FILES],
        more_files=max(0, len(files) - MAX_FILES),
        diffs=diffs if whole else [],
        units=[] if whole else [(unit, _head(unit)) for unit in units[:MAP_UNITS]],
        sites=sites[:MAX_SITES],
        findings=findings,
        left_out=left_out,
        question=question,
    )
    return Seed(text, tuple(left_out))


def _head(unit: Unit) -> str:
    rest = len(unit.rows) - HEAD_LINES
    return "\n".join(map(str, unit.rows[:HEAD_LINES])) + (
        f"\n[... {rest} more lines: read() or diff() shows them ...]" if rest > 0 else ""
    )
