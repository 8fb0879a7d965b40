"""The rules and learnings that silence findings, and dismissals of single findings.

The database stores them, and workflow steps without a database read them from answers.
"""

from dataclasses import dataclass
from typing import Literal

from deeprepo.rlm.values import Exact

IgnoreScope = Literal["finding", "rule", "path"]  # what an ignore entry silences
RuleState = Literal["confirmed", "removed"]
Rejection = Literal["reply", "withdrawn", "ignored"]  # how a person rejected a finding; only 0.2.0 stored replies


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """A rule that silences findings of one kind in files that match a pattern, or a learning.

    A learning has no kind. Its `text` is a fact about these files with which the confirming model call may
    refute a finding. `number` is the number of a learned rule or learning, or its position in its file, from
    1.
    """

    path: Exact[str]  # pattern, as in .gitignore
    kind: Exact[str]  # a check's own ID, or a category; empty for a learning
    text: str = ""  # the reason or fact, from a person with write access; shown to models
    number: int = 0
    learned: bool = False  # whether it was taught in comments, instead of written in a file
    grave: bool = False  # whether it was learned and confirmed for a serious proven finding
    symbol: Exact[str] = ""  # the definition that a learning is about; empty for the whole file
    file: Exact[str] = ""  # the path of the ignore list that contains it; empty for the settings file

    @property
    def is_learning(self) -> bool:
        """Whether it is a learning, which only silences a finding if the confirming model call agrees."""
        return not self.kind

    @property
    def place(self) -> str:
        """Its scope as people write it: the pattern, and the definition after a colon."""
        return f"{self.path}:{self.symbol}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A person's rejection of one finding in a pull request.

    `mark` is the finding's identity and, for a static check's finding, the digest of each broken line (see
    `silencing.mark_of`). A finding that was rejected in a reply is still reported, but not again in other
    words.
    """

    mark: Exact[str]
    reason: str
    how: Exact[Rejection]
    who: Exact[str] = ""  # a login; empty if unknown

    @property
    def identity(self) -> str:
        """The identity of the finding."""
        return self.mark.partition(" ")[0]

    @property
    def is_silent(self) -> bool:
        """Whether the finding itself is no longer reported."""
        return self.how in ("ignored", "withdrawn")


@dataclass(frozen=True, slots=True)
class Silencing:
    """Why a finding is not reported."""

    reason: str
    # "withdrawn": the bot withdrew it in a conversation. "repeat": it repeats a dismissed finding in other
    # words.
    scope: Literal[IgnoreScope, "withdrawn", "repeat"]
    # The rule or learning without its text; None for an ignore entry or a command.
    rule: OwnerRule | None = None


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """A learning that people taught, or a rule that 0.2.0 learned. Times are seconds since 1970."""

    rule: OwnerRule
    state: RuleState
    who: str  # the login of the person who taught it
    link: str  # URL of the comment
    made: float  # when it was taught
    decider: str = ""  # the login of the person who confirmed or removed it
    decided: float = 0.0  # when
    silenced: int = 0  # number of findings that it has silenced
    last: float = 0.0  # when it last silenced a finding; 0 for never
