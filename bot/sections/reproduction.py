"""Show a finding's test and its results, and the findings that no test reproduces."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from bot import render
from bot.sections.section import FindingSection, Place, Section
from bot.values.reproduction import Reproduction

if TYPE_CHECKING:
    from rich.console import RenderableType

FIX_RESULTS = {"green": "with which the test below passes", "red": "with which the test below still fails"}


class ReproductionSection(FindingSection[Reproduction]):
    """The test with its results."""

    key = "reproduction"
    part_type = Reproduction
    template = "reproduction/finding.md.j2"

    def values(self, part: Reproduction) -> Mapping[str, Any]:
        """Return the values for the template."""
        return {**asdict(part), "language": PurePosixPath(part.path).suffix.lstrip(".")}

    def in_terminal(self, part: Reproduction) -> "tuple[str, RenderableType]":
        """Return the label, and a text with the results, the command and the test."""
        from rich.console import Group
        from rich.text import Text

        say = render.load().say
        sides = [say("repro_red")]
        sides += [say("repro_base")] if part.base == "green" else []
        sides += [say("repro_fixed" if part.fixed == "green" else "repro_not_fixed")] if part.fixed else []
        about = Text(f"{'; '.join(sides)}. {render.line(part.path)}: {render.line(part.command)}")
        return "test", Group(about, Text(render.visible(part.test.strip("\r\n")), "cyan"))

    def for_agent(self, part: Reproduction) -> tuple[str, str]:
        """Return whether the test passes with the fix, and the test."""
        return FIX_RESULTS.get(part.fixed, ""), render.text("prompts/reproduction_agent.md.j2", test=part).rstrip("\n")


REPRODUCTION = ReproductionSection()


Attempts = tuple[tuple[str, str], ...]  # pairs of a finding's location and why no test reproduces it


class AttemptsSection(Section[Attempts]):
    """The findings that were tried, with the reason for each failure."""

    key = "tried"
    part_type = Attempts
    empty = ()
    place: ClassVar[Place] = "list"
    title = "list_tried"

    def rows(self, part: Attempts) -> Sequence[tuple[str, str]]:
        """Return each location with the reason."""
        return part


ATTEMPTS = AttemptsSection()
