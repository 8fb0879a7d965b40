"""What was typed, as a plan: lists with commas, sizes such as 8k and 1M, the seeds' experiments."""

import re
from collections.abc import Sequence

from bot.errors import UsageError
from deeprepo_evals.context import cast, run
from deeprepo_evals.context.methods import COMPARED, METHODS, NEEDS_BM25, USUAL, demand_bm25, has_bm25
from deeprepo_evals.context.problems import KINDS, LAST, POSITIONS, Position, Task

FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
HONEST = "scripted/honest"
DEEPEST = 5
MOST_SEEDS = 10_000

# The reproduction's experiments, with their lengths and positions: 1, 4 to 9, and its deep research A to F.
SEEDS: tuple[tuple[str, int, Position], ...] = (
    ("needle", 8_000, 0.5),
    ("needle", 100_000, 0.5),
    ("needle", 300_000, 0.9),
    ("needle", 500_000, 0.85),
    ("needle", 1_000_000, 0.75),
    ("count", 44_727, None),
    ("compare", 39_249, None),
    *(("needle", 300_000, at) for at in (0.1, 0.3, 0.5, 0.7, LAST)),
    ("json", 300_000, 0.9),
    ("multi", 300_000, None),
    ("decoys", 300_000, None),
    ("none", 300_000, None),
    ("hop1", 300_000, None),
    ("hop2", 300_000, None),
)


def tasks(kind: str, size: str, position: str, seed: str) -> tuple[Task, ...]:
    """The grid that was asked for; the seeds' experiments where nothing was. Raises UsageError."""
    seeds = [number for one in _parts(seed) for number in _seeds(one)] or [1]
    if not kind and not size and not position:
        return tuple(Task(*row, one) for one in seeds for row in SEEDS)
    kinds = list(KINDS) if kind == "all" else _parts(kind) or ["needle"]
    sizes = [_size(one) for one in _parts(size)] or [100_000]
    places = POSITIONS if position == "sweep" else tuple(_position(one) for one in _parts(position)) or (0.5,)
    return tuple(run.tasks(kinds, sizes, places, seeds))


def depths(text: str) -> tuple[int, ...]:
    """The depths that were asked for, as the paper counts; 1 where nothing was. Raises UsageError."""
    found = tuple(dict.fromkeys(_whole(one, "a depth") for one in _parts(text))) or (1,)
    if not all(0 <= depth <= DEEPEST for depth in found):
        raise UsageError(f"a depth is from 0 (nobody to ask) to {DEEPEST}, not {text}")
    return found


def methods(text: str) -> tuple[str, ...]:
    """The methods that were asked for; without a word all that can run here. Raises UsageError."""
    names = list(METHODS) if text == "all" else _parts(text)
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise UsageError(f"unknown methods {', '.join(unknown)}: known are {', '.join(METHODS)}")
    if set(NEEDS_BM25) & set(names):
        demand_bm25()
    if "majority" in names and not set(COMPARED) & set(names):
        raise UsageError(f"majority spends what a root has spent on the same problem: name {' or '.join(COMPARED)} too")
    return tuple(sorted(names, key=list(METHODS).index)) or tuple(
        name for name in USUAL if name != "bm25" or has_bm25()
    )


def models(model: str | None, root: str | None, worker: str | None) -> tuple[str, str]:
    """Root and worker; the honest scripted one where none is named. Raises UsageError for one that cannot be had."""
    if model and (root or worker):
        raise UsageError("give --model for both, or --root and --worker")
    return cast.check(root or model or worker or HONEST), cast.check(worker or model or root or HONEST)


def _parts(text: str) -> Sequence[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _seeds(text: str) -> Sequence[int]:
    """One seed, or those from one to another."""
    first, dash, last = text.partition("-")
    if not dash:
        return [_whole(text, "a seed")]
    found = range(_whole(first, "a seed"), _whole(last, "a seed") + 1)
    if not 0 < len(found) <= MOST_SEEDS:
        raise UsageError(f"{text!r} is not a range of seeds: write 1-50")
    return found


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmM]?)", text.replace("_", ""))
    if not found:
        raise UsageError(f"{text!r} is not a length of a text: write 8k, 300000 or 1M")
    return round(float(found[1]) * FACTORS[found[2].lower()])


def _position(text: str) -> Position:
    try:
        return LAST if text == LAST else float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a position: write a number from 0.0 to 1.0, {LAST}, or sweep") from None


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text!r} is not {what}: write a whole number") from None
