"""Define the rules and learnings that silence findings, and who they are from.

People create them with `features.teaching`. They are values here, because the database stores them, and
workflow steps without a database read the same commands.
"""

from dataclasses import dataclass
from typing import Literal

from deeprepo.rlm.values import Exact

IgnoreScope = Literal["finding", "rule", "path"]  # how far an ignore entry reaches
RuleState = Literal["proposed", "confirmed", "removed"]
# How somebody rejected a finding; "remember" is a sentence without a finding.
Rejection = Literal["reaction", "reply", "withdrawn", "ignored", "remember"]


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """Silences findings of one kind in files that match a pattern.

    Without a kind it is a learning: `text` is a sentence with which the confirming call may answer findings
    about these files. `number` is the number of a learned rule, or the position of a rule in its file, from
    1.
    """

    path: Exact[str]  # pattern, as in .gitignore
    kind: Exact[str]  # a check's own ID, or a category
    text: str = ""  # the reason, from a person with write access; shown to models
    number: int = 0
    learned: bool = False  # False if it is written in a file
    grave: bool = False  # whether a learned rule was confirmed for a serious proven finding
    symbol: Exact[str] = ""  # the definition that a learning is about; empty for the whole file
    file: Exact[str] = ""  # the list that contains it; empty for the settings

    @property
    def is_learning(self) -> bool:
        """Whether it is a learning, which only a confirming call can apply."""
        return not self.kind

    @property
    def place(self) -> str:
        """Its scope as people write it: the pattern, and the definition after a colon."""
        return f"{self.path}:{self.symbol}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A person's rejection of one finding in a pull request.

    A finding rejected in a reply is still reported, but not again in other words.

    `mark` is its identity and, for a static check's finding, the digest of each broken line
    (`silencing.mark_of`).
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
    """Why a finding is not reported, and on whose decision."""

    reason: str
    # withdrawn: by us, in a conversation; repeat: it repeats a dismissed finding in other words
    scope: Literal[IgnoreScope, "withdrawn", "repeat"]
    # The rule or learning without its text; None for an ignore entry or a command
    rule: OwnerRule | None = None


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """A rule stored by a server, from its proposal on.

    Times are seconds since 1970. `grave`: it comes from a serious proven finding, so a reaction is not enough
    to confirm it.
    """

    rule: OwnerRule
    state: RuleState
    who: str  # the login of the person who rejected the finding
    link: str  # URL of the rejection
    made: float
    grave: bool = False
    decider: str = ""  # the person who confirmed or removed it
    decided: float = 0.0
    silenced: int = 0  # number of findings that it silenced
    last: float = 0.0  # when it last silenced a finding; 0 for never
    shown: bool = False  # whether a comment has shown the proposal


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule that a person's rejection suggests."""

    rule: OwnerRule
    how: Rejection
    who: str
    link: str = ""
    grave: bool = False
