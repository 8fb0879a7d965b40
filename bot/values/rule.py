"""What a team teaches: rules and learnings, which keep findings silent, and whose word it was.

The feature that people teach by is `features.teaching`. What it has learned is a value here, because the database keeps it, and a step of a
workflow, which has no database, reads the same commands.
"""

from dataclasses import dataclass
from typing import Literal

from deeprepo.rlm.values import Exact

IgnoreScope = Literal["finding", "rule", "path"]  # how far an entry of the list of silences reaches
RuleState = Literal["proposed", "confirmed", "removed"]
# How somebody said that a finding is not wanted; "remember": in a sentence, without one.
Rejection = Literal["reaction", "reply", "withdrawn", "ignored", "remember"]


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """Silences findings of one kind in files that match a pattern.

    Without a kind it is a learning: `text` is a sentence with which the confirming call may answer findings
    about these files. `number` is the number of a learned rule, or the position of a rule in its file, from
    1.
    """

    path: Exact[str]  # as in .gitignore
    kind: Exact[str]  # a check's own code, or a category
    text: str = ""  # why, in the words of a person who may write to the repository; models are shown it
    number: int = 0
    learned: bool = False  # False: written in a file
    grave: bool = False  # of a learned one: it was confirmed for something serious that code has proven
    symbol: Exact[str] = ""  # of a learning: the definition that it is about; empty: the whole file
    file: Exact[str] = ""  # the list that it is written in; empty: the settings

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
    who: Exact[str] = ""  # a login; empty where nobody has kept it

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
    """Why a finding is not reported: the reason, and whose word it was."""

    reason: str
    # withdrawn: by us, in a conversation; repeat: it says again, in other words, what somebody has dismissed
    scope: Literal[IgnoreScope, "withdrawn", "repeat"]
    rule: OwnerRule | None = None  # or learning, without its text; None: an entry of the list, or a command


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """A rule as a server keeps it, from the proposal on. Times in seconds since 1970.

    `grave`: it comes from something serious that code has proven, so a reaction is not enough to confirm it.
    """

    rule: OwnerRule
    state: RuleState
    who: str  # the login of the person who rejected the finding
    link: str  # to where they did
    made: float
    grave: bool = False
    decider: str = ""  # who confirmed or removed it
    decided: float = 0.0
    silenced: int = 0  # findings that it kept from being reported
    last: float = 0.0  # when it did so last; 0: never
    shown: bool = False  # a comment has shown the proposal


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule that a person's rejection suggests."""

    rule: OwnerRule
    how: Rejection
    who: str
    link: str = ""
    grave: bool = False
