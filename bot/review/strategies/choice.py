"""Choose the strategy for a change by its size, its reach, the effort and the budget."""

from collections.abc import Sequence

from bot.render import count
from bot.review import foresight
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import ReviewEffort, Unit

# The thresholds between strategies; see docs/effort.md for the reasons.
# for all code regions that a root reads itself; with more, workers read the change in parts
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
WITHOUT_ROOT = frozenset({"auto", "offline", "parts"})  # strategies that need no root model


def choose(
    strategy: str,
    units: Sequence[Unit],
    *,
    root: bool,
    worker: bool,
    affordable: bool = True,
    moved: bool = False,
    effort: ReviewEffort = "medium",
    window: int | None = None,
) -> tuple[str, str]:
    """Return the strategy and the reason shown in the review.

    - `affordable`: the budget covers a root.
    - `moved`: files were removed or moved, so other files may still refer to them.
    - `window`: the root's context window in tokens, if it is known.
    """
    if not worker:
        return "offline", NO_MODEL if strategy == "auto" else NO_EFFORT
    if strategy != "auto":
        return strategy, ASKED
    size = sum(unit.tokens for unit in units)
    what = f"{count(len(units), 'code region')} with about {size:,} tokens"
    if root and effort != "low" and affordable and (units or moved):
        if size <= _one_reading(window) and len(units) <= ROOT_UNITS:
            return "root", f"{what}, so the root model reviews it and searches the repository"
        turns = f", in at most {MANY_TURNS} turns" if len(units) > ROOT_UNITS else ""
        return "rlm", f"{what}; workers review all of it, then the root model connects the parts{turns}"
    if not units:
        return "parts", "there is nothing left to review"
    lacks = "effort low uses no root model" if effort == "low" else "the budget is too small for a root model"
    why = f"it is read without a search ({lacks})" if root else "a worker but no root model is configured"
    return "parts", f"{what}; {why}"


def _one_reading(window: int | None) -> int:
    """Return the tokens of the largest change that a root reads itself."""
    return ONE_READING if window is None else max(ANY_WINDOW, min(ONE_READING, window // WINDOW_PART))


def has_moved_files(survey: Survey) -> bool:
    """Return whether the change has removed or moved a file that belongs to the project since the last review."""
    moved = [file for file in survey.files if file.status in ("deleted", "renamed") and not file.is_vendored]
    return any(survey.past.earlier is None or file.path in survey.past.before for file in moved if not file.is_ignored)


def can_afford_root(session: Session) -> bool:
    """Return whether the remaining budget covers a root."""
    model = session.root
    return model is not None and foresight.affordable_calls(session.calls, model, ROOT_TOKENS, "root", ROOT_PART, 1) > 0
