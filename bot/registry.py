"""The registry of features. Each feature is a folder in `bot/features` with an entry in FEATURES.

No other module of the product imports a feature. An entry lists the feature's objects, each as
"module:object". Code that features can extend calls `parts` with a module's name, and gets the objects that all
features have in their modules of this name:

settings   the dataclass of the keys that it adds to `.deeprepo.yml`
variables  the dataclass of the environment variables that it reads
section    `render.section.Section`: its section in a review, in comments and in the JSON output
finding    `render.section.FindingSection`: its section in a finding
review     `review.hooks.ReviewHooks`: what it does during a review
server     `workflow.hooks.ServerHooks`: what it does in a server's jobs
described  `workflow.described_hooks.DescribedHooks`: what it adds to the description that models see
posted     `workflow.posted_hooks.PostedHooks`: what it does on GitHub after a review is posted
step       `action.hooks.StepHooks`: what it does in a GitHub Actions step
command    `cli.hooks.Command`: a command-line command
options    `cli.hooks.Option`: an option of `deeprepo review`
comment    `workflow.given_command.CommentCommand`: a command in comments

A feature's phrases are in its `words.toml`, and its templates are in the same folder.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "features"
FEATURES: Final[Mapping[str, tuple[str, ...]]] = {
    "consumers": (
        "settings:ConsumerSettings",
        "review:CONSUMER_HOOKS",
        "server:SERVER_CONSUMERS",
        "step:STEP_CONSUMERS",
        "command:CONSUMERS",
        "options:WITH_CLONES",
    ),
    "reproduction": (
        "settings:RunSettings",
        "variables:RunVariables",
        "section:ATTEMPTS",
        "finding:REPRODUCTION",
        "review:REPRODUCTION_HOOKS",
        "command:RUN_COMMAND",
        "options:RUN_TESTS",
    ),
    "own_checks": ("section:OWN_CHECKS_SECTION", "review:OWN_CHECKS"),
    "walkthrough": ("settings:WalkthroughSettings", "section:WALKTHROUGH", "review:WALKTHROUGH_HOOKS"),
    "organization": (
        "settings:OrganizationSettings",
        "variables:OrganizationVariables",
        "review:CLONED_DEFAULTS",
        "server:SERVER_DEFAULTS",
        "step:STEP_DEFAULTS",
    ),
    "teaching": (
        "review:IGNORE_LISTS",
        "comment:IGNORE",
        "comment:REMEMBER",
        "comment:RULES",
    ),
    "tickets": ("settings:TicketSettings", "variables:TicketVariables", "described:PULL_TICKETS"),
    "description": ("settings:DescriptionSettings", "posted:DESCRIPTION_SECTION"),
    "approval": ("settings:ApprovalSettings", "posted:REVIEW_APPROVAL"),
}


@cache
def parts(module: str) -> tuple[Any, ...]:
    """Return the objects that features register in their modules of this name."""
    entries = [(name, *entry.split(":")) for name, row in FEATURES.items() for entry in row]
    return tuple(
        getattr(import_module(f"bot.features.{name}.{where}"), what) for name, where, what in entries if where == module
    )
