"""Choose the strategy for a change by its size, its reach, the effort and the budget."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bot.render import count
from bot.review import foresight
from bot.review.session import Session
from bot.values import Dependents, Reference, ReviewEffort, Unit

# The thresholds between strategies; see docs/effort.md for the reasons.
DIRECT_TOKENS = 6_000  # for all code regions together: they fit into one prompt, so one call sees everything
# The same for a root at effort medium: with more, workers read it in parts, and the root connects these. A careful
# pass over everything finds more than quick passes over parts, and costs less than a root that connects these.
ONE_READING = 80_000
ANY_WINDOW = 24_000  # the same for a model with a small context window; a longer prompt is split
WINDOW_PART = 2  # else it must fit into 1/WINDOW_PART of the window
ROOT_TOKENS = 18_000  # maximum for a root's first message and its instructions
# regions of a change; with more, a root gets fewer turns, because each turn repeats what it saw
ROOT_UNITS = 400
ROOT_PART = 2  # the budget must pay for that message and its reply with 1/ROOT_PART of it
MANY_TURNS = 8  # turns of a root in a change with more regions than ROOT_UNITS
# reasons shown in the review
NO_MODEL, ASKED, NO_EFFORT = "no model is configured", "chosen in the settings", "this review runs only static checks"
NOTHING = Dependents()
WITHOUT_ROOT = frozenset({"auto", "offline", "direct", "fanout"})  # strategies that need no root model


@dataclass(frozen=True, slots=True)
class Measure:
    """The figures that the choice depends on."""

    units: int
    tokens: int
    sites: int  # references to changed code from outside the change
    links: int  # pairs of code regions where one uses what the other changes
    # references from unchanged code outside tests that are more than a name match, and overrides
    relying: int

    def __str__(self) -> str:
        links = f", {count(self.links, 'link')} between them" if self.units > 1 else ""
        return (
            f"{count(self.units, 'code region')} with about {self.tokens:,} tokens{links}, "
            f"{count(self.sites, 'reference')} from other code"
        )


def measure(units: Sequence[Unit], dependents: Dependents = NOTHING) -> Measure:
    """Return the size and the reach of a change."""
    heads: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        if unit.side == "head":
            heads[unit.path].append(unit)
    sites, links, relying = set(), set(), set()
    for unit in units:
        for reference in unit.references:
            users = [
                u.id for u in heads.get(reference.path, ()) if u.start <= reference.line <= u.end and u.id != unit.id
            ]
            links |= {(unit.id, user) for user in users}
            sites |= set() if users else {(reference.path, reference.line)}
            relying |= {(reference.path, reference.line)} if not users and _depends_on_change(reference) else set()
    paths = {unit.path for unit in units}
    relying |= {
        (override.path, override.start) for key, override in dependents.subclasses if key.rpartition(":")[0] in paths
    }
    return Measure(len(units), sum(unit.tokens for unit in units), len(sites), len(links), len(relying))


def choose(
    strategy: str,
    units: Sequence[Unit],
    dependents: Dependents = NOTHING,
    *,
    root: bool,
    worker: bool,
    affordable: bool = True,
    effort: ReviewEffort = "medium",
    window: int | None = None,
) -> tuple[str, str]:
    """Return the strategy and the reason shown in the review.

    - `affordable`: the budget covers a root.
    - `window`: the root's context window in tokens, if it is known.
    """
    if not worker:
        return "offline", NO_MODEL if strategy == "auto" else NO_EFFORT
    if strategy != "auto":
        return strategy, ASKED
    if not units:
        return "direct", "there is nothing left to review"
    size = measure(units, dependents)
    if size.tokens <= DIRECT_TOKENS:
        small_choice = _small(size, root=root, effort=effort)
        if small_choice is not None:
            return small_choice
    elif (
        size.tokens <= _one_reading(window) and size.units <= ROOT_UNITS and root and effort == "medium" and affordable
    ):
        return "cascade", f"{size}, so one call reviews it. The root model continues only if questions remain"
    return _large(size, root=root, affordable=affordable, effort=effort)


def _one_reading(window: int | None) -> int:
    """Return the tokens of the largest change that a root's model reads in one call."""
    return ONE_READING if window is None else max(ANY_WINDOW, min(ONE_READING, window // WINDOW_PART))


def _small(size: Measure, *, root: bool, effort: ReviewEffort) -> tuple[str, str] | None:
    """Return the choice for a change that fits into one prompt.

    Return None if the prompt cannot show every use and there is no root to follow them.
    """
    # imported here, because a review without a model loads no root
    from bot.review.agent.seed import MAX_SITES

    small = f"the change is small ({size})"
    if not root or effort == "low":
        return ("direct", f"{small}, so one prompt shows all of it") if size.sites <= MAX_SITES else None
    if effort == "high":
        return "cascade", f"{small}, so one prompt shows all of it, and then the root model continues (effort high)"
    if not size.relying:
        return "direct", f"{small}, and no unchanged code depends on it, so one prompt shows all of it"
    return "cascade", f"{small}, so one prompt shows all of it, and the root model only continues if questions remain"


def _large(size: Measure, *, root: bool, affordable: bool, effort: ReviewEffort) -> tuple[str, str]:
    """Return the choice for a change that needs more than one prompt."""
    if not root:
        return "fanout", f"{size}; a worker but no root model is configured"
    if effort == "low":
        return "fanout", f"{size}; workers review all of it (effort low uses no root model)"
    if not affordable:
        return "fanout", f"{size}; workers review all of it (the budget is too small for a root model)"
    turns = f", in at most {MANY_TURNS} turns" if size.units > ROOT_UNITS else ""
    return "rlm", f"{size}; workers review all of it, then the root model connects the parts{turns}"


def can_afford_root(session: Session) -> bool:
    """Return whether the remaining budget covers a root."""
    model = session.root
    return model is not None and foresight.affordable_calls(session.calls, model, ROOT_TOKENS, "root", ROOT_PART, 1) > 0


def _depends_on_change(reference: Reference) -> bool:
    """Return whether unchanged code depends on the changed definition.

    Tests don't count, since their own run decides.
    """
    return not reference.is_guessed and not reference.test and (reference.form != "import" or reference.missing)
