"""What a run came to, for a person: a page in Markdown, and every figure as JSON."""

import json
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import fmean

from bot.errors import UsageError
from deeprepo_evals import intervals
from deeprepo_evals.intervals import Interval
from deeprepo_evals.train.small.run import OURS, REWARDS, SEEDS, Figures, Run, TrainedPolicy

LIBRARIES = ("torch", "trl", "transformers")
NAMES = {OURS: "trained under ours", SEEDS: "trained under the reward by mentions"}
Read = Callable[[Figures], float]


def write(run: Run, folder: Path) -> Path:
    """Write both files into a folder that is there; the page's path. Raises UsageError where it cannot be written."""
    page = folder / "report.md"
    try:
        page.write_text(markdown(run, _machine()), "utf-8")
        (folder / "run.json").write_text(data(run), "utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
    return page


def gain(run: Run, reward: str, read: Read) -> Interval:
    """What a figure has risen by on held-out tasks, with Student's interval over the seeds."""
    return intervals.student([read(one.after) - read(one.before) for one in _of(run, reward)])


def data(run: Run) -> str:
    """Every figure, as JSON."""
    return json.dumps(asdict(run), indent=1) + "\n"


def markdown(run: Run, machine: str) -> str:
    """The page."""
    plan = run.plan
    head = (
        f"{machine}. {len(run.policies)} policies of {run.parameters:,} parameters ({plan.seeds} seeds under each reward), "
        f"{plan.steps} steps of {plan.rollouts} rollouts in groups of {plan.group}; {run.asked:,} rollouts, of which "
        f"{run.rollouts:,} differ{_kept_text(run)} and were carried out; {run.cpu / 60:.1f} minutes of CPU time in {run.wall / 60:.1f} minutes."
    )
    return "\n".join(
        [
            "# A training run on a CPU\n",
            head,
            "## Before and after, on held-out code bases\n",
            "Means over the seeds; in brackets the 95 % interval of the difference (Student's t over the seeds).\n",
            *_before_after(run),
            "\n## What was learnt\n",
            "The commonest programs after training, with their share of the held-out rollouts.\n",
            *_programs(run),
            "",
        ]
    )


def _kept_text(run: Run) -> str:
    return f" (of these {run.kept:,} come from an earlier run, whose time is not in the following)" if run.kept else ""


def _before_after(run: Run) -> Iterator[str]:
    rows: tuple[tuple[str, Read], ...] = (
        ("our reward", lambda figures: figures.ours),
        ("reward by mentions", lambda figures: figures.seeds),
        ("units read by workers", lambda figures: figures.read),
        ("attempts at gaming", lambda figures: figures.gaming),
    )
    yield "| | " + " | ".join(NAMES[reward] for reward in REWARDS) + " |"
    yield "|---|" + "---|" * len(REWARDS)
    for name, read in rows:
        yield f"| {name} | " + " | ".join(_change(run, reward, read) for reward in REWARDS) + " |"


def _change(run: Run, reward: str, read: Read) -> str:
    before, after = (fmean(read(told) for told in side) for side in zip(*_sides(run, reward), strict=True))
    by = gain(run, reward, read)
    return f"{before:.2f} → {after:.2f}, {by.value:+.2f} [{by.low:+.2f}, {by.high:+.2f}]"


def _sides(run: Run, reward: str) -> list[tuple[Figures, Figures]]:
    return [(one.before, one.after) for one in _of(run, reward)]


def _programs(run: Run) -> Iterator[str]:
    yield "| trained under | seed | programs |"
    yield "|---|---|---|"
    for one in run.policies:
        said = ", ".join(f"`{words}` {share:.0%}" for words, share in one.programs)
        yield f"| {'ours' if one.reward == OURS else 'mentions'} | {one.seed} | {said} |"


def _of(run: Run, reward: str) -> Sequence[TrainedPolicy]:
    return [one for one in run.policies if one.reward == reward]


def _machine() -> str:
    found = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"{datetime.now(UTC):%d %B %Y}, {os.cpu_count()} cores, Python {platform.python_version()}, {found}"
