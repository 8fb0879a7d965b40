"""What `deeprepo` raises.

DeepRepoError            anything raised on purpose; its text names the problem and the remedy
├── UsageError           the request cannot be carried out as it was made: a revision, a setting, a key, an argument
├── NothingToReview      the change is empty
├── BudgetSpent          the budget does not allow even the first call
├── ProviderError        a model's provider refused or failed
└── ExecutionError       git, the sandbox, or a limit of this machine stopped the work
"""

from collections.abc import Iterator
from contextlib import contextmanager


class DeepRepoError(Exception):
    """Anything raised on purpose; its text names the problem and the remedy. The others are kinds of it."""


class UsageError(DeepRepoError):
    """The request cannot be carried out as it was made: a revision, a setting, a key or an argument is wrong."""


class NothingToReview(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The change is empty."""


class BudgetSpent(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The budget does not allow even the first call. A run that it stops later returns what it has."""


class ProviderError(DeepRepoError):
    """A model's provider refused the request or failed."""


class ExecutionError(DeepRepoError):
    """Git, the sandbox, or a limit of this machine stopped the work."""


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
