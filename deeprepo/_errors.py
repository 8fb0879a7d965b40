"""The errors that `deeprepo` raises.

DeepRepoError            the base class; the message says what is wrong and how to fix it
├── UsageError           a revision, a setting, a key or an argument is wrong
├── NothingToReview      the change is empty
├── BudgetSpent          the budget is too small for the first call
├── ProviderError        the model provider refused the request or failed
└── ExecutionError       git, the sandbox or a resource limit stopped the work
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]  # of the packages `deeprepo` and `bot`


class DeepRepoError(Exception):
    """The base class of all errors that deeprepo raises. The message says what is wrong and how to fix it."""


class UsageError(DeepRepoError):
    """A revision, a setting, a key or an argument is wrong."""


class NothingToReview(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The change is empty."""


class BudgetSpent(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The budget is too small for the first call. If it runs out later, the run returns what it has found."""


class ProviderError(DeepRepoError):
    """The model provider refused the request or failed."""


class ExecutionError(DeepRepoError):
    """git, the sandbox or a resource limit stopped the work."""


def other_bot() -> str:
    """Return where Python finds another package than deeprepo's as `bot`, or ""."""
    found = find_spec("bot")
    place = found and (found.origin or next(iter(found.submodule_search_locations or ()), ""))
    return str(place) if place and HOME / "bot" not in Path(place).resolve().parents else ""


def check_package() -> None:
    """Raise UsageError if another package is called `bot`: Python keeps only one package of a name in a process."""
    if place := other_bot():
        raise UsageError(
            f"deeprepo needs its package `bot`, but Python finds {place}. Run the command `deeprepo` instead, "
            "or call deeprepo from a process whose sys.path doesn't contain that package."
        )


@contextmanager
def translate() -> Iterator[None]:
    """Raise the engine's errors as those of this tree; anything else passes as it is."""
    from bot import errors
    from deeprepo.rlm import errors as rlm_errors

    kinds: list[tuple[type[errors.DeepRepoError], type[DeepRepoError]]] = [
        (errors.UsageError, UsageError),
        (errors.NothingToReview, NothingToReview),
        (rlm_errors.BudgetSpent, BudgetSpent),
        (rlm_errors.ProviderError, ProviderError),
        (errors.DeepRepoError, ExecutionError),
    ]
    try:
        yield
    except errors.DeepRepoError as error:
        kind = next(ours for theirs, ours in kinds if isinstance(error, theirs))
        raise kind(str(error)) from error
