"""What another tool has reported."""

from dataclasses import dataclass

from bot.values.review import Severity


@dataclass(frozen=True, slots=True)
class Reported:
    """One result. `path` is relative to the repository, or absolute as the tool saw it. Lines are 1-based."""

    path: str
    start: int
    end: int
    tool: str
    rule: str
    message: str
    about: str  # what the rule is about, "" if the tool does not say
    severity: Severity
    security: bool
    sure: bool  # the tool calls it an error
    new: bool | None = None  # as a comparison with the base says; None: nobody has compared
    mark: str = ""  # what recognises it in another run

    def key(self) -> tuple[str, str, str]:
        """The same for the same result of another run of the tool; lines may have moved."""
        return (self.tool, self.rule, self.mark or f"{self.path}\0{self.message}")
