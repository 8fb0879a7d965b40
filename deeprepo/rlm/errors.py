"""Every exception that the Recursive Language Model raises on purpose.

A library's own exceptions are translated once, in the module that imports the library.
"""

from typing import Any


class DeepRepoError(Exception):
    """An error that deeprepo raises on purpose.

    Its text is a sentence for the user. It can be sent to another process, with all its attributes.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[DeepRepoError], args: tuple[Any, ...], facts: dict[str, Any]) -> DeepRepoError:
    """Rebuild an error without calling its constructor, which may require more than the text."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class UsageError(DeepRepoError):
    """The request cannot be carried out as typed."""


class NotInstalled(UsageError):  # noqa: N818 - a state of the machine
    """Packages from the extra `extra` are not installed."""

    def __init__(self, message: str, extra: str) -> None:
        super().__init__(message)
        self.extra = extra


class JournalInUse(UsageError):  # noqa: N818 - an outcome, not a fault
    """Another run is writing to this journal."""


class BudgetSpent(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The next call would exceed a cap, so it was not sent."""


class ReplUnavailable(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The REPL could not be started on this machine."""


class ProviderError(DeepRepoError):
    """A model provider failed.

    `may_be_billed`: the provider accepted the request, so it may bill for it. Otherwise, it bills nothing.
    `usage`: the tokens (`values.Usage`) of a useless reply, as reported, or else of the prompt and the text
    that arrived. `worst`: the tokens that caps count instead, because the provider may have written more
    than arrived. `requests`: how many requests were sent before the error was raised.
    """

    may_be_billed: bool = False
    usage: Any = None
    worst: Any = None
    requests: int = 1


class RateLimited(ProviderError):  # noqa: N818 - the field's term
    """The rate limit is reached. `retry_after` is in seconds, or None if the provider did not say."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Overloaded(RateLimited):
    """The provider is overloaded by all its users. A retry may succeed."""


class ProviderDown(ProviderError):  # noqa: N818 - an outcome of the network
    """The provider did not answer, or reported an internal error. A retry may succeed."""


class TimedOut(ProviderDown):  # an outcome of the network
    """Nothing arrived before the timeout. The provider may still have finished the request, and may bill it."""

    may_be_billed = True


class ProviderRefused(ProviderError):  # noqa: N818 - the provider's decision
    """The provider rejects this request, and would reject it again."""


class AccountRefused(ProviderRefused):
    """The provider rejects every request, because of the key, the credit or the address."""


class QuotaExhausted(AccountRefused):  # the provider's decision
    """The account has used up its credit, or its daily or monthly limit."""


class ModelRefused(ProviderRefused):
    """The provider rejects every request to this model, because it doesn't exist or this key has no access."""


class PromptRefused(ProviderRefused):
    """The provider's content filter or the model rejects this prompt. Other prompts may be accepted."""


class PromptTooLong(ProviderRefused):
    """The prompt does not fit the model's context window.

    `window` and `size` are the sizes of the window and the prompt in tokens, or None if the provider does not say.
    `cap` is the maximum of the reply that was asked for: with a lower one, the prompt may fit. It is 0 if that can't help.
    """

    def __init__(self, message: str, window: int | None = None, size: int | None = None, cap: int = 0) -> None:
        super().__init__(message)
        self.window, self.size, self.cap = window, size, cap


class BadAnswer(ProviderError):  # noqa: N818 - the model's fault, not ours
    """The model's reply does not match the requested schema."""
