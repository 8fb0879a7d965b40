"""Settings of earlier versions, with their replacements, for files and environments that still have them.

If you remove or rename a setting, add a row here. `tests/test_removed_settings.py` compares the settings with
those of every earlier version.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RemovedSetting:
    """A removed setting.

    `instead` is a sentence about what to write instead. `is_threshold`: whether it decided if a check passes.
    """

    instead: str
    is_threshold: bool = False


# Checks that `analyzers` may still list, and rules of other checks. Stored findings of both are no longer checked.
REMOVED_CHECKS = frozenset({"schemas", "declarations"})
REMOVED_RULES = frozenset(
    [
        "required-part",
        "likely-required-part",
        "missing-member",
        "arguments",
        "likely-removed",
        "likely-arity",
        "likely-keyword",
        "likely-required-parameter",
        "likely-override",
    ]
)
REMOVED: Mapping[str, RemovedSetting] = {
    "as_consumer": RemovedSetting(
        "this key was removed: write `shown_to` with the repositories whose reviews may show this one's lines"
    ),
    "ci": RemovedSetting("this key was removed: reviews no longer list failed CI jobs, which GitHub shows itself"),
    "fail_also": RemovedSetting(
        "this key was removed. If `fail_on` is set, the check also fails for `unreviewed`, `cut` and `dropped`; for "
        "`skipped` and `undecided`, write `strict: true`; `open` has no replacement",
        is_threshold=True,
    ),
    "budget.tokens": RemovedSetting("this key was removed: the limit is now always 2,000,000"),
    "lenses": RemovedSetting("this key was removed: write what models should check as `instructions`"),
    "models.concurrency": RemovedSetting(
        "this key was removed: the limit depends on the server, and is at most 64 calls"
    ),
    "models.effort": RemovedSetting("this key was renamed: write `models.thinking`"),
    "run.fixtures": RemovedSetting(
        "this key was removed, and nothing replaces it: the sandbox gets a placeholder for every key and token"
    ),
    "set_labels": RemovedSetting("this key was removed: set labels in a workflow, for example with actions/labeler"),
    "run.own": RemovedSetting("this key was removed, and nothing replaces it"),
    "run.disk": RemovedSetting("this key was removed: the limit is now always 1 GB"),
    "run.findings": RemovedSetting("this key was removed: the limit is now always 3"),
    "run.memory": RemovedSetting("this key was removed: the limit is now always 2 GB"),
    "run.processes": RemovedSetting("this key was removed: the limit is now always 256"),
    "triggers.commands_per_hour": RemovedSetting("this key was removed: the limit is now always 20"),
    "triggers.offline_files": RemovedSetting("this key was removed: the limit is now always 1,000"),
    "triggers.offline_lines": RemovedSetting("this key was removed: the limit is now always 100,000"),
    "triggers.replies_per_hour": RemovedSetting("this key was removed: the limit is now always 12"),
    "triggers.skip_files": RemovedSetting("this key was removed: the limit is now always 5,000"),
    "triggers.skip_titles": RemovedSetting(
        "this key was removed: use drafts or a label in `triggers.skip_labels` for changes that need no review yet"
    ),
    "triggers.skip_lines": RemovedSetting("this key was removed: the limit is now always 1,000,000"),
}

# Environment variables of earlier versions, without their prefix, and what to do instead.
_IN_FILES = "set `{}` in .deeprepo.yml, or for all repositories in the organization's defaults"
REMOVED_VARIABLES: Mapping[str, str] = {
    "CALLS": _IN_FILES.format("budget.calls"),
    "CONCURRENCY": "the limit depends on the server, and is at most 64 calls",
    "CONTEXT": _IN_FILES.format("models.context"),
    "CRASHES": "the limit is always 5",
    "METRICS_BY_REPOSITORY": "`deeprepo status` lists each repository",
    "PAUSE_AFTER": _IN_FILES.format("pause_after"),
    "REQUEST_CHANGES": _IN_FILES.format("request_changes"),
    "RUN_SANDBOX": "tests run in docker, or in podman if docker is not installed",
    "RUN_TOOLS": "tests only run in containers: choose a `run.image` with the tools",
    "STRATEGY": "set `DEEPREPO_EFFORT`",
    "THINKING": _IN_FILES.format("models.thinking"),
    "TIMEOUT": _IN_FILES.format("models.timeout"),
    "TOKENS": "`DEEPREPO_USD` limits the cost",
}
