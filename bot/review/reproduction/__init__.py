"""Reproduce findings with tests, if both the owner and the operator allow it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot import config
from bot.brief import Brief
from bot.config import Settings
from bot.values import PlacedFinding
from bot.values.reproduction import LIMITS, MOST_FINDINGS, RunPermission

if TYPE_CHECKING:
    from bot.config.defaults import RunSection
    from bot.review.session import Session

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
    from bot.review.reproduction import reproduce

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
    return brief.settings.run if "run" in brief.allowed else None
