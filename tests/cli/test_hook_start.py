"""How a hook starts: what reads its command line, and what is loaded for it."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bot.cli.hook import HookOptions, asked

ROOT = Path(__file__).parents[2]
HEAVY = {"pydantic", "typer", "pydantic_settings", "jinja2", "yaml", "rich", "detect_secrets", "importlib.metadata"}
OURS = {"bot.agent.loop", "bot.review.workers", "bot.strategies.rlm", "bot.values.host", "bot.config.server"}


def test_the_published_hooks_go_the_short_way() -> None:
    """Their command lines mean what they have always meant."""
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_bytes())
    read = [asked(hook["entry"].split()[1:]) for hook in published]
    assert read == [
        HookOptions(staged=True, fail_on="high", quiet=False),
        HookOptions(staged=False, fail_on="high", quiet=False),
    ]


@pytest.mark.parametrize(
    "line",
    ["review", "review --staged", "review main..HEAD --effort none", "review --effort none --fail-on",
     "review --effort none --fail-on worst", "review --strategy rlm", "review --effort none --help", "config"],
)  # fmt: skip
def test_every_other_command_line_goes_the_long_way(line: str) -> None:
    """The long way knows all options, and reports what is wrong."""
    assert asked(line.split()) is None


def test_a_hook_loads_nothing_that_it_does_not_need() -> None:
    """Imports take most of the time of a review by code."""
    code = "import sys, bot.cli, bot.cli.reviewing, bot.wiring.local; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (HEAVY | OURS).isdisjoint(done.stdout.split())
