"""Long texts with the honest scripted model: what is not found is lost by the harness or cut off by the window, not by a model."""

import asyncio
from collections.abc import Iterator, Sequence

from benchmarks.table import Row
from deeprepo_evals.context import run, session
from deeprepo_evals.context.problems import POSITIONS, Task
from deeprepo_evals.results import Row as Result

HONEST = "scripted/honest"
SIZES = (8_000, 100_000, 300_000, 1_000_000, 10_000_000)
OURS = ("fanout", "rlm", "rlm-only")
WINDOW = 200_000
SEEDS = range(1, 6)


def rows(*, quick: bool) -> Iterator[Row]:
    """Every promise about long texts."""
    sizes = SIZES[:-1] if quick else SIZES
    for kind, what in (("needle", "needle"), ("json", "JSON value by key path")):
        found = _played([Task(kind, size, at) for size in sizes for at in POSITIONS], OURS)
        for method in OURS:
            mine = [row for row in found if row.item["method"] == method]
            places = f"{len(sizes)} lengths to {sizes[-1]:,}, {len(POSITIONS)} positions"
            yield Row(f"{what}, {places}: {method}", _right(mine), len(mine), f"of {len(mine)}", least=True)
    yield from _others(sizes)
    yield from _windows(sizes)
    yield from _seeds()


def _others(sizes: Sequence[int]) -> Iterator[Row]:
    """What has no position: nothing to find, counting, several facts, facts that lead to each other."""
    mixed = [size for size in sizes if size < 10_000_000]
    nothing = _played([Task("none", size, None, seed) for size in sizes for seed in SEEDS], OURS)
    made_up = sum(row.result["verdict"] != "right" for row in nothing)
    yield Row(f"no answer, {len(nothing)} runs: not answered with NOT FOUND", made_up, 0)
    guessed = _played(
        [Task("none", size, None, seed) for size in mixed for seed in SEEDS], ("fanout", "direct"), "scripted/guesser"
    )
    beside = sum(row.result["verdict"] == "made up" for row in guessed if row.item["method"] == "direct")
    made_up = sum(row.result["verdict"] == "made up" for row in guessed if row.item["method"] == "fanout")
    yield Row(
        "  made up by a model that always guesses: fanout", made_up, 0, beside=f"direct {beside} of {len(guessed) // 2}"
    )
    for kinds, methods in ((("count", "compare"), OURS), (("multi", "decoys"), OURS), (("hop1", "hop2"), OURS[1:])):
        found = _played([Task(kind, size, None, seed) for kind in kinds for size in mixed for seed in SEEDS], methods)
        what = f"{' and '.join(kinds)}: {', '.join(methods)}"
        yield Row(what, _right(found), len(found), f"of {len(found)}", least=True)


def _windows(sizes: Sequence[int]) -> Iterator[Row]:
    """One plain call is right exactly where the fact ends within the window."""
    tasks = [Task(kind, size, at) for kind in ("needle", "json") for size in sizes for at in POSITIONS]
    found = _played(tasks, ("direct",))
    otherwise = [row for row in found if row.result["correct"] != (row.result["ends"][0] <= WINDOW)]
    missed = len(found) - _right(found)
    yield Row(
        f"direct, {len(found)} runs: right or wrong otherwise than its window says",
        len(otherwise),
        0,
        beside=f"{missed} missed",
    )
    edge = _played([Task("needle", 300_000, 0.5)], ("direct",))[0].result["ends"][0]
    for window, right in ((edge, 1), (edge - 1, 0)):
        result = _played([Task("needle", 300_000, 0.5)], ("direct",), window=window)[0].result
        what = "at the fact's last character" if right else "one character before it"
        yield Row(f"  a window that ends {what}: direct right", result["correct"], right, least=bool(right))


def _seeds() -> Iterator[Row]:
    """Experiments 5 to 7 of the seeds: beyond the window a plain call fails and the root finds it with fewer tokens."""
    for number, size, at in ((5, 300_000, 0.9), (6, 500_000, 0.85), (7, 1_000_000, 0.75)):
        plain, root = _played([Task("needle", size, at)], ("direct", "rlm-only"))
        what = f"seeds' experiment {number}: {size:,} characters, needle at {at}: "
        yield Row(f"{what}direct right", plain.result["correct"], 0)
        told = f"{root.result['turns']} turns, {root.result['calls']} calls, {root.result['seconds']:.2f} s"
        yield Row(f"{what}rlm-only right", root.result["correct"], 1, beside=told, least=True)


def _played(tasks: Sequence[Task], methods: Sequence[str], model: str = HONEST, window: int = WINDOW) -> list[Result]:
    plan = run.Plan(tuple(tasks), tuple(methods), model, model, window=window)
    ended = asyncio.run(session.carry_out(plan))
    assert not ended.left, ended.why
    return list(ended.rows)


def _right(found: Sequence[Result]) -> int:
    return sum(row.result["correct"] for row in found)
