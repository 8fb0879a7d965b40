"""The features of the product. Each is a folder of `bot/features` and one line here: without both there is no such feature.

No other module of the product imports a feature. A line lists entries, each as "module:object". Code that a feature may extend calls
`parts` with the name of the module, and gets the objects of all features:

settings   the dataclass of the keys that it adds to `.deeprepo.yml`
variables  the dataclass of the variables of the environment that it reads
file       `config.owner_file.OwnerFile`: a file of the repository by which its owner decides
section    `render.section.Section`: what it adds to a review, to the pages of it and to its JSON
finding    `render.section.FindingSection`: what it adds to a finding
review     `review.hooks.ReviewHooks`: what it does while a change is reviewed
server     `workflow.hooks.ServerHooks`: what it does in the jobs of a server
described  `workflow.described_hooks.DescribedHooks`: what it adds to the description that models see
posted     `workflow.posted_hooks.PostedHooks`: what it does on the pull request after a review, on a server and in a workflow
step       `action.hooks.StepHooks`: what it does in a step of a workflow
command    `cli.hooks.Command`: a command of the command line
options    `cli.hooks.Option`: an option of `deeprepo review`
comment    `workflow.given_command.CommentCommand`: a command of comments

Its phrases are in its `words.toml`, its templates beside them.
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
        "variables:ConsumerVariables",
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
        "file:IGNORED_FINDINGS",
        "review:IGNORE_LISTS",
        "server:SERVER_TEACHING",
        "command:IGNORE_COMMAND",
        "comment:IGNORE",
        "comment:REMEMBER",
        "comment:RULES",
    ),
    "tickets": ("settings:TicketSettings", "variables:TicketVariables", "described:PULL_TICKETS"),
    "description": ("settings:DescriptionSettings", "posted:DESCRIPTION_SECTION"),
    "labels": ("settings:LabelSettings", "posted:REVIEW_LABELS"),
    "approval": ("settings:ApprovalSettings", "posted:REVIEW_APPROVAL"),
    "ci": ("settings:CISettings", "section:FAILED_JOBS", "server:SERVER_FAILED_JOBS", "step:STEP_FAILED_JOBS"),
}


@cache
def parts(module: str) -> tuple[Any, ...]:
    """Import what the features have in their modules of this name."""
    entries = [(name, *entry.split(":")) for name, row in FEATURES.items() for entry in row]
    return tuple(
        getattr(import_module(f"bot.features.{name}.{where}"), what) for name, where, what in entries if where == module
    )
