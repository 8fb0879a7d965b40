"""Which strategy reads a change: by its size and by how far it reaches. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bot.render import count
from bot.seed import MAX_SITES
from bot.values import Unit


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where one strategy ends and the next begins. docs/strategies.md says why."""

    direct_tokens: int = 6_000  # of all units: one prompt's worth, the model sees all of it in one call
    direct_sites: int = MAX_SITES  # uses elsewhere: more than that one prompt does not show
    fanout_units: int = 400  # above this the root's turns cost more than they find; the workers still read everything


THRESHOLDS = Thresholds()
NO_MODEL, ASKED = "no model is configured", "requested"  # reasons


@dataclass(frozen=True, slots=True)
class Measure:
    """What the choice looks at."""

    units: int
    tokens: int
    sites: int  # uses of what changed, in code that is not part of the change
    links: int  # pairs of units of which one uses what the other changes

    def __str__(self) -> str:
        return (
            f"{count(self.units, 'unit')}, about {self.tokens:,} tokens, {count(self.links, 'link')} between units, "
            f"{count(self.sites, 'use')} elsewhere"
        )


def measure(units: Sequence[Unit]) -> Measure:
    """The size of a change and how far it reaches. Pure."""
    heads: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        if unit.side == "head":
            heads[unit.path].append(unit)
    sites, links = set(), set()
    for unit in units:
        for row in unit.references:
            users = [u.id for u in heads.get(row.path, ()) if u.start <= row.line <= u.end and u.id != unit.id]
            links |= {(unit.id, user) for user in users}
            sites |= set() if users else {(row.path, row.line)}
    return Measure(len(units), sum(unit.tokens for unit in units), len(sites), len(links))


def choose(
    wanted: str, units: Sequence[Unit], *, root: bool, worker: bool, limits: Thresholds = THRESHOLDS
) -> tuple[str, str]:
    """The strategy and the reason for it, as the review prints it."""
    if not worker:
        return "offline", NO_MODEL if wanted == "auto" else ASKED
    if wanted != "auto":
        return wanted, ASKED
    size = measure(units)
    if size.tokens <= limits.direct_tokens and size.sites <= limits.direct_sites:
        small = f"the change is small ({size}): one call sees all of it"
        return "direct", small if units else "nothing is left to read"
    if not root:
        return "fanout", f"{size}; a worker but no root model is configured"
    if size.units > limits.fanout_units:
        return "fanout", f"{size}: too many units for a root to orchestrate"
    return "rlm", f"{size}: the workers read all of it, then the root asks across units"
