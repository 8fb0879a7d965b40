"""Every exception that crosses a module boundary.

    DeepRepoError                 anything we raise on purpose; its text is a sentence for the user
    ├── UsageError                the request cannot be carried out as typed              exit 2
    │   ├── ConfigError           an option or a variable is wrong
    │   ├── MissingPart           a part of the distribution is not installed
    │   └── RevisionError         not a repository, unknown revision, no merge base
    ├── NothingToReview           an empty change: said, and not a fault                  exit 0
    ├── GitError                  git failed for another reason                           exit 3
    ├── OverLimit                 the work needs more CPU, memory or time than one review may use   exit 3
    ├── SupersededError           the job is no longer wanted: a newer push, a closed pull request
    ├── HostError                 GitHub did not do what was asked                    exit 3
    │   ├── HostDown              5xx, a timeout, no connection: worth another try
    │   ├── HostLimited           a rate limit; `retry_after` in seconds
    │   └── HostRefused           4xx, or an answer of an unknown form: `status` says which; a job is tried a few times more
    │   │   └── HostLocked        the conversation is locked: not tried again
    ├── StorageError              the database does not answer, or holds what makes no sense   exit 3
    └── of `deeprepo.rlm.errors`: ProviderError                                                     exit 3; JournalInUse, BudgetSpent, ReplUnavailable

A library's own exceptions are translated once, in the module that imports the library.
"""

import re

from deeprepo.rlm.errors import DeepRepoError, UsageError

__all__ = ["DeepRepoError", "UsageError"]


# An absolute path in a sentence: no address (`https://…`), and nothing inside a relative path.
_PATH = re.compile(r"(?<![\w:/.~*-])/(?:[^\s/'\"`:,;()]+/)+[^\s'\"`:,;()]*")


def public(error: BaseException) -> str:
    """Return the sentence of an error for a page that anybody may read: it names no path on this machine."""
    return _PATH.sub("…", error.sentence if isinstance(error, MissingPart) else str(error))


class MissingPart(UsageError):  # noqa: N818 - a state of the machine
    """A part of the distribution is not installed. `remedy`: the command that installs it on this machine."""

    def __init__(self, sentence: str, remedy: str) -> None:
        super().__init__(f"{sentence}: {remedy}")
        self.sentence, self.remedy = sentence, remedy


class ConfigError(UsageError):
    """An option or a variable is wrong."""


class RevisionError(UsageError):
    """The folder is not a repository, or a revision or merge base is not there."""


class NoCommitError(RevisionError):
    """The branch that is checked out has no commit yet."""


class NothingToReview(DeepRepoError):  # noqa: N818 - an outcome, not a fault
    """The change is empty. `behind`: the base has commits that the head lacks, so the two may have been given in the wrong order."""

    def __init__(self, message: str = "", *, behind: bool = False) -> None:
        super().__init__(message)
        self.behind = behind


class GitError(DeepRepoError):
    """Git failed for a reason that is not the user's spelling."""


class OverLimit(DeepRepoError):  # noqa: N818 - an outcome of the work
    """The work needs more CPU, memory or time than one review may use, or ended its process."""


class SupersededError(DeepRepoError):
    """The work is no longer wanted, so results so far are not posted."""


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

    `words`: GitHub's own reason, "" if it gives none. `fields`: the fields of the request that it names. `may_pass`:
    whether it may be an incident at GitHub.
    """

    def __init__(
        self,
        message: str,
        status: int,
        words: str = "",
        fields: frozenset[str] = frozenset(),
        *,
        may_pass: bool = False,
    ) -> None:
        super().__init__(message)
        self.status, self.words, self.fields, self.may_pass = status, words, fields, may_pass

    @property
    def reason(self) -> str:
        """The refusal as a sentence for people: what GitHub says, if it says anything."""
        quoted = self.words.rstrip(".")  # the sentence that quotes it has a period of its own
        return f"GitHub says “{quoted}”" if quoted else str(self)

    @property
    def is_forbidden(self) -> bool:
        """Whether GitHub does not allow it: a permission is missing."""
        return self.status == 403  # noqa: PLR2004 - Forbidden

    @property
    def is_gone(self) -> bool:
        """Whether GitHub knows nothing of that name. It may also be late: one such answer right after an event proves nothing."""
        return self.status in (404, 410)


class HostLocked(HostRefused):
    """The conversation is locked. It stays so until a person unlocks it, so no further try is made."""

    @property
    def reason(self) -> str:
        """The refusal as a sentence for people."""
        return str(self)


class StorageError(DeepRepoError):
    """The database doesn't answer, or contains invalid data."""
