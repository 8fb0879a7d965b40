"""Import the settings of PR-Agent and Qodo Merge from .pr_agent.toml."""

import tomllib
from typing import Any

from bot.config.other_reviewers.conversion import (
    ALL,
    EVENTS,
    QUOTA,
    TICKETS,
    OldSettings,
    SettingsFormat,
    language,
    patterns,
    title,
)

REVIEWING = ("review", "improve")  # occur in the commands that start a review
ACTIONS = {"opened": "opened", "reopened": "reopened", "ready_for_review": "ready", "synchronize": "push"}


def _triggers(old: OldSettings) -> None:
    commands, pushes = old["github_app.pr_commands"], old["github_app.push_commands"]
    by_push = bool(old["github_app.handle_push_trigger"]) and _finds(pushes if pushes is not None else ["/review"])
    first = EVENTS[:-1] if _finds(commands if commands is not None else ["/review"]) else []
    events = [*first, *(["push"] if by_push else [])]
    for key in ("pr_commands", "handle_push_trigger", "push_commands"):
        old.import_key(f"github_app.{key}", "triggers.events", lambda _: events)
    is_on = old["github_action_config.auto_review"] is not False or old["github_action_config.auto_improve"] is True
    actions = old["github_action_config.pr_actions"]
    of_action = [ACTIONS[action] for action in actions if action in ACTIONS] if isinstance(actions, list) else EVENTS
    for key in ("auto_review", "pr_actions"):
        old.import_key(f"github_action_config.{key}", "triggers.events", lambda _: of_action if is_on else [])
    old.explain("github_action_config.auto_describe", "`walkthrough` summarizes the change")
    if "triggers.events" not in old.new.values and not by_push:
        old.differences.append(
            "PR-Agent only reviews pushes if `handle_push_trigger` is set. deeprepo reviews each push, which costs more. "
            "To keep PR-Agent's behavior, set `triggers: {events: [opened, reopened, ready]}`."
        )


def _finds(commands: Any) -> bool:  # noqa: ANN401 - of the old file
    return isinstance(commands, list) and any(part in str(command) for command in commands for part in REVIEWING)


class PrAgent(SettingsFormat):
    """The format of .pr_agent.toml."""

    word, name = "pr-agent", "PR-Agent"
    files = (".pr_agent.toml",)
    guides = ("/best_practices.md",)

    def load(self, text: str) -> Any:  # noqa: ANN401 - whatever the file contains
        """Parse TOML."""
        return tomllib.loads(text)

    def read(self, old: OldSettings, /) -> None:
        """Import or explain each known key."""
        old.import_key("config.response_language", "language", language)
        old.import_key("config.ignore_pr_labels", "triggers.skip_labels")
        old.import_key("config.ignore_pr_authors", "triggers.skip_authors")
        old.import_key(
            "config.allow_only_specific_folders", "triggers.paths", lambda names: [f"/{name}/" for name in names]
        )
        old.import_key("ignore.glob", "ignore", patterns)
        old.import_key("github_app.feedback_on_draft_pr", "triggers.drafts")
        old.import_key("pr_reviewer.require_ticket_analysis_review", "linked_issues")
        old.import_instruction("best_practices.content", ALL, old["best_practices.content"] or "")
        keys = [key for key, _ in old.each("config.ignore_pr_title")]
        for key in keys or ["config.ignore_pr_title"]:
            old.import_key(key, "triggers.skip_titles", title)
        old.explain("config.ignore_pr_source_branches", "not supported: source branches cannot skip a review")
        old.explain("config.ignore_pr_target_branches", "use `triggers.branches`, which lists the branches to review")
        old.explain("pr_code_suggestions.suggestions_score_threshold", "use `minimum_severity`")
        old.explain("ignore.regex", "`ignore` uses .gitignore patterns, not regular expressions")
        old.import_key("pr_reviewer.num_max_findings", "quota")
        old.note_difference("pr_reviewer.num_max_findings", QUOTA)
        for part in ("pr_reviewer", "pr_code_suggestions", "review_agent"):
            old.import_instruction(f"{part}.extra_instructions", ALL, old[f"{part}.extra_instructions"] or "")
        old.explain(
            "pr_description",
            "use `description: true`, which keeps a summary in the description",
        )
        for key in ("model", "model_turbo", "fallback_models"):
            old.explain(f"config.{key}", "use `models.root` and `models.worker`, or DEEPREPO_ROOT and DEEPREPO_WORKER")
        old.explain("jira", TICKETS)
        for key in ("openai", "azure", "anthropic"):
            old.explain(key, "set provider keys and addresses in the environment")
        _triggers(old)
