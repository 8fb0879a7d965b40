"""Which code bases there are to learn from: as many as wanted, each another one, none of them stored. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bot.errors import UsageError
from deeprepo_evals import plant
from deeprepo_evals.plant.synthetic import FEWEST, MOST
from deeprepo_evals.plant.values import CodeBase

SIZES = (10, 20, 40, 80, 150, 300)  # files; small ones first, so that a first batch is cheap
CLEAN_EACH = 8  # one of so many code bases has no defect: silence must be learnt too
TURNS = 12
NAME = "deeprepo"  # of what a rollout leaves in the `info` of a trace of verifiers
Split = Literal["train", "eval"]
FIRST: dict[Split, int] = {"eval": 1, "train": 1_000_000}  # seeds: no task of one split is one of the other


@dataclass(frozen=True, slots=True)
class Task:
    """One code base as a pull request. Its seed decides names, functions, numbers and defects."""

    seed: int
    files: int
    scope: plant.Scope = "whole"
    clean: bool = False
    turns: int = TURNS

    @property
    def name(self) -> str:
        """By what a person finds it again."""
        return f"{self.scope}-{self.files}-{self.seed}{'-clean' if self.clean else ''}"

    def code(self) -> CodeBase:
        """The files and the labels."""
        return _code(self.seed, self.files, self.scope, clean=self.clean)


def tasks(
    split: Split,
    count: int,
    *,
    sizes: Sequence[int] = SIZES,
    scopes: Sequence[plant.Scope] = ("whole", "change"),
    turns: int = TURNS,
) -> Iterator[Task]:
    """So many tasks of a split, always the same ones. Raises UsageError for a size that no code base has."""
    if wrong := [size for size in sizes if not FEWEST <= size <= MOST]:
        raise UsageError(f"a code base has {FEWEST} to {MOST} files, not {wrong[0]}")
    last = FIRST["train"] - FIRST["eval"]
    if split == "eval" and count > last:
        raise UsageError(f"there are {last:,} tasks for evaluation: ask for fewer")
    for number in range(count):
        size, scope = sizes[number % len(sizes)], scopes[number // len(sizes) % len(scopes)]
        clean = "whole" in scopes and number % CLEAN_EACH == CLEAN_EACH - 1  # a change without a defect would be empty
        yield Task(FIRST[split] + number, size, "whole" if clean else scope, clean, turns)


@lru_cache(maxsize=16)  # all rollouts of a group read the same one
def _code(seed: int, files: int, scope: plant.Scope, *, clean: bool) -> CodeBase:
    return plant.codebase(seed, files, scope=scope, defects=0 if clean else None)
