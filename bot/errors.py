"""Every exception that crosses a module boundary.

    DeepRepoError                 anything we raise on purpose; its text is a sentence for the user
    ├── UsageError                the request cannot be carried out as typed              exit 2
    │   ├── ConfigError           a setting or .deeprepo.yml is wrong
    │   ├── RevisionError         not a repository, unknown revision, no merge base
    │   └── JournalInUse          another review writes to this journal: a job waits for its end
    ├── NothingToReview           an empty change: said, and not a fault                  exit 0
    ├── GitError                  git failed for another reason                           exit 3
    ├── ReplayDiffers             a replay left its record: the sentence says where     exit 3
    ├── ReplUnavailable           the REPL did not start; the strategy becomes `fanout`
    ├── BudgetSpent               a cap would be exceeded by the next call
    ├── OverLimit                 the work needs more CPU, memory or time than one review may use   exit 3
    ├── SupersededError           the job is no longer wanted: a newer push, a closed pull request
    ├── HostError                 GitHub did not do what was asked                    exit 3
    │   ├── HostDown              5xx, a timeout, no connection: worth another try
    │   ├── HostLimited           a rate limit; `retry_after` in seconds
    │   └── HostRefused           4xx, or an answer of an unknown form: `status` says which; a job is tried a few times more
    ├── StorageError              the database does not answer, or holds what makes no sense   exit 3
    └── ProviderError             a model provider failed                                 exit 3
        ├── RateLimited           429 or overloaded; `retry_after` in seconds, or None
        ├── ProviderDown          5xx, no connection, a broken stream: worth another try
        │   └── TimedOut          nothing arrived in time: the provider may bill it all the same
        ├── ProviderRefused       4xx: no other try
        │   ├── AccountRefused    the key, the credit or the address is wrong: nothing more is sent to the provider
        │   ├── ModelRefused      unknown, or not for this key: nothing more is sent to the model
        │   ├── PromptRefused     the provider's content filter will not have this prompt: others go on
        │   └── PromptTooLong     the model's window is smaller than the prompt: split it
        └── BadAnswer             the reply is not what the schema asks for

A library's own exceptions are translated once, in the module that imports the library.
"""

from typing import Any


class DeepRepoError(Exception):
    """Anything raised on purpose; its text is a sentence for the user. It can be sent to another process, whatever it holds."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[DeepRepoError], args: tuple[Any, ...], facts: dict[str, Any]) -> DeepRepoError:
    """An error as it was, without its constructor, which may ask for more than its sentence."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class UsageError(DeepRepoError):
    """The request cannot be carried out as typed."""


class ConfigError(UsageError):
    """A setting or the repository's configuration file is wrong."""


class RevisionError(UsageError):
    """The folder is not a repository, or a revision or merge base is not there."""


class NoCommitError(RevisionError):
    """The branch that is checked out has no commit yet."""


class JournalInUse(UsageError):  # noqa: N818 - an outcome, not a fault
    """Another review writes to this journal."""


class NothingToReview(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The change is empty. `behind`: the base has commits that the head lacks, so the two may have been given in the wrong order."""

    def __init__(self, message: str = "", *, behind: bool = False) -> None:
        super().__init__(message)
        self.behind = behind


class GitError(DeepRepoError):
    """Git failed for a reason that is not the user's spelling."""


class ReplayDiffers(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """A replay cannot reproduce its record; the sentence says where the two part."""


class ReplUnavailable(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The REPL could not be started on this machine."""


class BudgetSpent(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The next call would exceed a cap; nothing was sent."""


class OverLimit(DeepRepoError):  # noqa: N818 - an outcome of the work
    """The work needs more CPU, memory or time than one review may use, or ended its process."""


class SupersededError(DeepRepoError):
    """The work is no longer wanted; whatever was found stays unsaid."""


class HostError(DeepRepoError):
    """GitHub did not do what was asked."""


class HostDown(HostError):  # noqa: N818 - an outcome of the network
    """GitHub did not answer or failed on its side. What it was asked to write may have been written."""


class HostLimited(HostError):  # noqa: N818 - the field's term
    """GitHub asks to wait: `retry_after` seconds from now."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class HostRefused(HostError):  # noqa: N818 - GitHub's decision
    """GitHub will not take this request, or answers in a form that is not known: `status` is the HTTP status.

    `words`: GitHub's own reason, "" if it gives none. `fields`: the fields of the request that it names.
    """

    def __init__(self, message: str, status: int, words: str = "", fields: frozenset[str] = frozenset()) -> None:
        super().__init__(message)
        self.status, self.words, self.fields = status, words, fields

    @property
    def reason(self) -> str:
        """The refusal as a sentence for people: what GitHub says, if it says anything."""
        return f"GitHub says “{self.words}”" if self.words else str(self)

    @property
    def is_gone(self) -> bool:
        """Whether GitHub knows nothing of that name. It may also be late: one such answer right after an event proves nothing."""
        return self.status in (404, 410)


class StorageError(DeepRepoError):
    """The database does not answer, or holds what makes no sense."""


class ProviderError(DeepRepoError):
    """A model provider failed.

    `may_be_billed`: the provider has taken the request, and nobody knows what it did; without it, it bills nothing.
    `usage`: the tokens (`values.Usage`) of a reply that was of no use, where it has said them.
    """

    may_be_billed: bool = False
    usage: Any = None


class RateLimited(ProviderError):  # noqa: N818 - the field's term
    """The provider asks for fewer calls; `retry_after` is seconds, or None where it named no time."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderDown(ProviderError):  # noqa: N818 - an outcome of the network
    """The provider did not answer or failed on its side: another try may succeed."""


class TimedOut(ProviderDown):  # an outcome of the network
    """Nothing arrived for as long as a call may be silent. The provider may have done, and may bill, the whole of it."""

    may_be_billed = True


class ProviderRefused(ProviderError):  # noqa: N818 - the provider's decision
    """The provider will not take this request, however often it is sent."""


class AccountRefused(ProviderRefused):
    """The provider takes no request at all: the key, the credit or the address is wrong."""


class ModelRefused(ProviderRefused):
    """The provider takes no request to this model: it does not exist there, or not for this key."""


class PromptRefused(ProviderRefused):
    """The provider's content filter will not have this prompt: it says nothing of any other."""


class PromptTooLong(ProviderRefused):
    """The prompt does not fit the model's context window. `window` is its size in tokens, None where the provider does not say."""

    def __init__(self, message: str, window: int | None = None) -> None:
        super().__init__(message)
        self.window = window


class BadAnswer(ProviderError):  # noqa: N818 - the model's fault, not ours
    """The model's reply does not fit the schema that it was given."""
