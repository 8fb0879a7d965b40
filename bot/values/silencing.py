"""What keeps a finding silent: a rule or a learning of the owner's, and whose word it was."""

from dataclasses import dataclass
from typing import Literal

from bot.values.exact import Exact


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """Findings of one kind, in files that a pattern names, are not reported.

    Without a kind it is a learning: `text` is a sentence that a second opinion may find to answer a claim about these files.

    `number`: of a learned rule, the one that people call it by; of one in the settings, its place in the list, from 1.
    """

    path: Exact[str]  # as in .gitignore
    kind: Exact[str]  # a check's own code, or a category
    text: str = ""  # why, in the words of a person who may write to the repository; models are shown it
    number: int = 0
    learned: bool = False  # False: written in the settings
    grave: bool = False  # of a learned one: it was confirmed for something serious that code has proven
    symbol: Exact[str] = ""  # of a learning: the definition that it is about; empty: the whole file

    @property
    def is_learning(self) -> bool:
        """Whether it is a sentence, which silences nothing by itself."""
        return not self.kind

    @property
    def place(self) -> str:
        """Its scope as people write it: the pattern, and the definition after a colon."""
        return f"{self.path}:{self.symbol}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class Silencing:
    """Why a finding is not reported: the reason, and whose word it was."""

    reason: str
    # withdrawn: by us, in a conversation; repeat: it says again, in other words, what somebody has dismissed
    scope: Literal["finding", "rule", "path", "withdrawn", "repeat"]
    rule: OwnerRule | None = None  # or learning, without its text; None: an entry of the list, or a command
