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
    """An error as it was, without its constructor, which may ask for more than its sentence."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class UsageError(DeepRepoError):
    """The request cannot be carried out as typed."""


class NotInstalled(UsageError):  # noqa: N818 - a state of the machine
    """Packages are missing: those of the extra `extra`."""

    def __init__(self, message: str, extra: str) -> None:
        super().__init__(message)
        self.extra = extra


class JournalInUse(UsageError):  # noqa: N818 - an outcome, not a fault
    """Another run writes to this journal."""


class ReplayDiffers(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """A replay cannot reproduce its record; the sentence says where the two part."""


class BudgetSpent(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The next call would exceed a cap; nothing was sent."""


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
    """The provider asks for fewer calls; `retry_after` is seconds, or None where it named no time."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Overloaded(RateLimited):
    """The provider has too many requests of everybody's: another try may succeed."""


class ProviderDown(ProviderError):  # noqa: N818 - an outcome of the network
    """The provider did not answer or failed on its side: another try may succeed."""


class TimedOut(ProviderDown):  # an outcome of the network
    """Nothing arrived for as long as a call may be silent. The provider may have done, and may bill, the whole of it."""

    may_be_billed = True


class ProviderRefused(ProviderError):  # noqa: N818 - the provider's decision
    """The provider will not take this request, however often it is sent."""


class AccountRefused(ProviderRefused):
    """The provider takes no request at all: the key, the credit or the address is wrong."""


class QuotaExhausted(AccountRefused):  # the provider's decision
    """The account has used up its credit or its limit for the day or the month."""


class ModelRefused(ProviderRefused):
    """The provider takes no request to this model: it does not exist there, or not for this key."""


class PromptRefused(ProviderRefused):
    """The provider's content filter, or the model, declines this prompt. Other prompts may be answered."""


class PromptTooLong(ProviderRefused):
    """The prompt does not fit the model's context window.

    `window` is its size and `size` the prompt's, both in tokens; None where the provider does not say.
    """

    def __init__(self, message: str, window: int | None = None, size: int | None = None) -> None:
        super().__init__(message)
        self.window, self.size = window, size


class BadAnswer(ProviderError):  # noqa: N818 - the model's fault, not ours
    """The model's reply does not fit the schema that it was given."""
