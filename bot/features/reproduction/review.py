"""Reproduce findings with tests, if both the owner and the operator allow it, and show the results in the review."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot import config
from bot.brief import Brief
from bot.config import Settings
from bot.features.reproduction.values import LIMITS, MOST_FINDINGS
from bot.values import PlacedFinding

if TYPE_CHECKING:
    from bot.config.defaults import RunSection
    from bot.review.session import Session

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from bot import render
from bot.features.reproduction.values import Reproduction, RunPermission
from bot.render.section import FindingSection, Place, Section

if TYPE_CHECKING:
    from rich.console import RenderableType

TREES_BYTES = 512 << 20  # of memory for the trees of both sides
NO_FORKS = "its author has no write permission, and DEEPREPO_RUN_FORKS is not set"


def memory(brief: Brief) -> int:
    """Return the bytes of memory for tests in a sandbox, which has its own limits."""
    return 0 if _section(brief) is None else 2 * LIMITS.memory + TREES_BYTES


def tries(brief: Brief) -> int:
    """Return the highest number of findings for which a test is written."""
    return 0 if _section(brief) is None else MOST_FINDINGS


async def prove(
    findings: Sequence[PlacedFinding], session: "Session", environment: Settings
) -> Sequence[PlacedFinding]:
    """Return the findings, with tests for those that were reproduced."""
    brief = session.survey.brief
    section = _section(brief)
    if section is None:
        return findings
    from bot.features.reproduction import reproduce

    allowed = permission(environment, is_stranger=brief.stranger)
    return await reproduce.reproduce(findings, session, allowed, section)


def permission(environment: Settings, *, is_stranger: bool = False) -> RunPermission:
    """Return what the operator allows. `is_stranger`: whether the change's author has no write access."""
    return RunPermission(
        network=bool(environment.run_network),
        cache=Path(environment.run_cache or "~/.cache/deeprepo/run").expanduser(),
        programs=config.program_environment(),
        refusal=NO_FORKS if is_stranger and not environment.run_forks else "",
    )


def _section(brief: Brief) -> "RunSection | None":
    """Return the section `run` of the settings, or None if no tests may run."""
    return brief.settings.run if "run" in brief.allowed else None


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
        return FIX_RESULTS.get(part.fixed, ""), render.text("reproduction/prompts/agent.md.j2", test=part).rstrip("\n")


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
