"""The reward of the environment of the same name that came before this one, by its published formula: what a root mentions is paid.

A file counts as delegated when its path occurs in a prompt to a worker, a defect as found when a bullet of the answer resembles
its description, and turns are free up to eight. Kept to be trained against beside ours; nothing else uses it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

COVERAGE, FOUND, EFFICIENCY = 0.5, 0.3, 0.2
ALIKE = 0.4  # so much of the characters of a bullet and of a description
SHORTEST = 10  # characters of a bullet that counts
FREE_TURNS, LAST_TURNS, FADING, LATE = 8, 15, 14, 0.1


@dataclass(frozen=True, slots=True)
class Mentions:
    """What that reward looks at, of one rollout."""

    files: int
    named: int  # files whose path occurs in some prompt
    defects: int
    resembled: int  # defects whose description some bullet of the answer resembles
    turns: int

    @property
    def reward(self) -> float:
        """From 0 to 1."""
        coverage = min(self.named / max(self.files, 1), 1.0)
        recall = self.resembled / self.defects if self.defects else 0.5
        return min(COVERAGE * coverage + FOUND * recall + EFFICIENCY * _efficiency(self.turns), 1.0)


def mentions(paths: Sequence[str], prompts: Sequence[str], answer: str, defects: Sequence[str], turns: int) -> Mentions:
    """Count them. `defects` are the descriptions of what is planted."""
    said = [bullet.lower() for bullet in _bullets(answer)]
    return Mentions(
        files=len(paths),
        named=sum(any(path in prompt for prompt in prompts) for path in paths),
        defects=len(defects),
        resembled=sum(any(_alike(defect.lower(), bullet) for bullet in said) for defect in defects),
        turns=turns,
    )


def _alike(defect: str, bullet: str) -> bool:
    return SequenceMatcher(None, defect, bullet).ratio() >= ALIKE


def _bullets(answer: str) -> list[str]:
    rows = [row.strip() for row in answer.split("\n")]
    found = [row.lstrip("-*• ").strip() for row in rows if row.startswith(("- ", "* ", "• "))]
    return [bullet for bullet in found if len(bullet) > SHORTEST]


def _efficiency(turns: int) -> float:
    if turns <= FREE_TURNS:
        return 1.0
    return 1.0 - (turns - FREE_TURNS) / FADING if turns <= LAST_TURNS else LATE
