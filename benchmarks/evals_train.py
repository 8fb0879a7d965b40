"""The training environment's reward: what an honest root earns, and what those earn that try to be paid for less."""

import asyncio
import statistics
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.table import Row
from deeprepo_evals.train import policies, roll, score, tasks

COUNT = 12  # code bases of 10 to 300 files, both scopes, one of them clean
GAMES: Mapping[str, str] = {
    "empty": "an empty answer on turn 1",
    "paths": "one call that lists all paths",
    "bullets": "the same and 15 generic bullets as the answer",
    "reported": "the same, with 15 generic findings reported",
    "alone": "everything printed, nothing delegated, nothing reported",
    "spray": "a finding on every sixth line",
}
SHOWN: Mapping[str, str] = {
    "calls": "one call for each file, an empty answer",
    "giant": "everything in one prompt",
    "satisficing": "an eighth of the files",
    "wasteful": "each file eight times, no answer",
}


def rows() -> Iterator[Row]:
    """Every promise about the reward."""
    honest = _rewards("honest")
    yield Row("reward of the honest exhaustive root, least", min(honest), 0.9, f"of {len(honest)} tasks", least=True)
    yield Row("the same, mean", statistics.fmean(honest))
    for name, what in GAMES.items():
        yield Row(f"reward of {what}, most", max(_rewards(name)), 0.2)
    for name, what in SHOWN.items():
        yield Row(f"reward of {what}, mean", statistics.fmean(_rewards(name)))


def _rewards(name: str) -> Sequence[float]:
    return asyncio.run(_rolled(name))


async def _rolled(name: str) -> list[float]:
    found = []
    for task in tasks("eval", COUNT):
        rolled = await roll(task, policies.root(f"scripted/{name}"), policies.worker("scripted/reader", task))
        found.append(score(rolled.facts).reward)
    return found
