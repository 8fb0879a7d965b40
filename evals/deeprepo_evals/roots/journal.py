"""The research journal's figures: what its three roots and its baseline did and were billed. Pure.

The journal gives dollars, not tokens. The bills below are tokens that come to those dollars at its prices; a scripted root over a
code base of the journal's size is billed so, and the product's own budget has to arrive at the same sums.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from deeprepo.rlm.values import Usage

MILLION = 1_000_000
FILES = 289  # of the code base that the journal's runs read
PER_CALL = Usage(6_000, 400)  # of one worker: 61 of them came to $0.10


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float

    def __call__(self, usage: Usage) -> float:
        """Dollars for this usage."""
        return (usage.input * self.input + usage.output * self.output) / MILLION


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One root: its price, what it hands to workers, and the bill of each of its turns."""

    price: Price
    calls: int  # of workers, over FILES files
    files: int  # that they were shown
    turns: tuple[Usage, ...]


WORKER = Price(0.20, 1.10)
BASELINE = Behaviour(Price(15, 75), 0, 108, (Usage(80_000, 2_533),))
BEHAVIOURS: Mapping[str, Behaviour] = {
    "exhaustive": Behaviour(
        Price(15, 75), 61, 225,
        (Usage(12_000, 2_400), Usage(30_000, 2_900), Usage(52_000, 2_900), Usage(74_000, 2_900), Usage(92_000, 2_766)),
    ),
    "satisficing": Behaviour(
        Price(3, 15), 9, 35, (Usage(10_000, 3_000), Usage(35_000, 4_000), Usage(55_000, 4_000), Usage(65_000, 4_300))
    ),
    "failing": Behaviour(Price(0.20, 1.10), 0, 0, (Usage(20_000, 2_400), Usage(27_000, 2_400), Usage(33_000, 2_470))),
}  # fmt: skip
