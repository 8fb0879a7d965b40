"""Import CodeRabbit's settings from .coderabbit.yaml."""

from functools import partial
from typing import Any

from bot.config.defaults import ANALYZERS
from bot.config.other_reviewers.conversion import (
    ALL,
    EVENTS,
    TICKETS,
    OldSettings,
    SettingsFormat,
    branch,
    language,
    patterns,
    title,
)

SEVERITIES = {"warning": "warn", "error": "fail"}
MAX_CHECK_CHARS = 600  # characters in the text of a requirement
HOW_MUCH = "use `quota` and `minimum_severity` to control how much is shown"


def _filters(value: Any) -> list[str]:  # noqa: ANN401 - of the old file
    """Return the patterns for `ignore` that have the effect of CodeRabbit's path filters.

    If some filters include files, all other files are ignored. Filters that begin with
    "!" ignore files in any case.
    """
    lines = patterns(value)
    only = [line for line in lines if not line.startswith("!") and line not in ("**", "**/*", ALL)]
    everything = len(only) < sum(not line.startswith("!") for line in lines)
    included = [] if everything or not only else [ALL, *(f"!{line}" for line in only)]
    return [*included, *(line[1:] for line in lines if line.startswith("!"))]


def _triggers(old: OldSettings) -> None:
    part = "reviews.auto_review"
    is_off = old[f"{part}.enabled"] is False
    only_first = old[f"{part}.auto_incremental_review"] is False
    events = [] if is_off else EVENTS[:-1] if only_first else EVENTS
    for key in ("enabled", "auto_incremental_review"):
        old.import_key(f"{part}.{key}", "triggers.events", lambda _: events)
    old.import_key(f"{part}.drafts", "triggers.drafts")
    _branches(old, f"{part}.base_branches")
    pause = f"{part}.auto_pause_after_reviewed_commits"
    old.import_key(pause, "pause_after", lambda count: count or None)
    if not is_off and not only_first:
        old.note_difference(
            pause,
            "CodeRabbit pauses after a number of reviewed commits. deeprepo pauses after a number of pushes (`pause_after`).",
        )
        if old[pause] is None:
            old.differences.append(
                "CodeRabbit pauses after five reviewed commits. deeprepo only pauses if you set `pause_after`."
            )
    for key, label in old.each(f"{part}.labels"):
        name = str(label)
        old.import_key(key, "triggers.skip_labels" if name.startswith("!") else "triggers.labels", _plain)
    old.import_key(f"{part}.ignore_usernames", "triggers.skip_authors")
    for key, _ in old.each(f"{part}.ignore_title_keywords"):
        old.import_key(key, "triggers.skip_titles", title)


def _branches(old: OldSettings, key: str) -> None:
    """Import the base branches.

    CodeRabbit always reviews the default branch, and only that one without a list.
    """
    usual = [old.new.branch] if old.new.branch else ["main", "master"]
    named = list(old.each(key))
    if not named:
        old.differences.append(
            "CodeRabbit only reviews pull requests to the default branch. deeprepo reviews those to every branch. "
            f"To keep CodeRabbit's behavior, set `triggers: {{branches: [{', '.join(usual)}]}}`."
        )
    for at, _ in named:
        old.import_key(at, "triggers.branches", partial(_with_usual, usual))


def _with_usual(usual: list[str], name: Any) -> list[str]:  # noqa: ANN401 - of the old file
    return list(dict.fromkeys([*usual, *branch(name)]))


def _plain(label: Any) -> list[str]:  # noqa: ANN401 - of the old file
    return [str(label).removeprefix("!")]


def _checks(old: OldSettings) -> None:
    for key, entry in old.each("reviews.pre_merge_checks.custom_checks"):
        if not isinstance(entry, dict) or entry.get("mode", "warning") not in list(SEVERITIES):
            continue
        ask, name = str(entry.get("instructions", "")).strip(), str(entry.get("name", ""))
        if len(ask) > MAX_CHECK_CHARS:
            old.import_instruction(key, ALL, f"{name}: {ask}")
            continue
        made = {"text": ask, "must": SEVERITIES[entry.get("mode", "warning")], "name": name}
        old.import_key(key, "instructions", partial(_one, made))


def _one(made: object, _: object) -> list[object]:
    return [made]


def _summary(old: OldSettings) -> None:
    """Import where the summary is written: in the description, unless the walkthrough contains it."""
    old.import_key("reviews.high_level_summary", "walkthrough")
    in_comment = "reviews.high_level_summary_in_walkthrough"
    old.import_key(
        in_comment, "description", lambda is_there: not is_there and old["reviews.high_level_summary"] is not False
    )
    if old["reviews.high_level_summary"] is not False and old[in_comment] is None:
        old.differences.append(
            "CodeRabbit writes its summary into the description. deeprepo writes it into its comment, unless you set "
            "`description: true`."
        )


def _tools(old: OldSettings) -> None:
    found = old["reviews.tools"]
    tools = {name: tool for name, tool in found.items() if isinstance(tool, dict)} if isinstance(found, dict) else {}
    off = {name for name, tool in tools.items() if tool.get("enabled") is False}
    kept = [name for name in ANALYZERS if name not in off]
    for name in tools:
        if name in ANALYZERS:
            old.import_key(f"reviews.tools.{name}.enabled", "analyzers", lambda _: kept)
        else:
            old.explain(f"reviews.tools.{name}", "not supported: deeprepo does not run this linter")


class CodeRabbit(SettingsFormat):
    """The format of .coderabbit.yaml."""

    word, name = "coderabbit", "CodeRabbit"
    files = (".coderabbit.yaml", ".coderabbit.yml")

    def read(self, old: OldSettings, /) -> None:
        """Import or explain each known key."""
        old.import_key("language", "language", language)
        old.import_instruction("tone_instructions", ALL, old["tone_instructions"] or "")
        old.import_key("reviews.request_changes_workflow", "request_changes", lambda is_on: "low" if is_on else "off")
        if old["reviews.request_changes_workflow"]:
            old.differences.append(
                "CodeRabbit approves once all its comments are resolved. deeprepo only dismisses its request for "
                "changes, unless you set `approve`. With `request_changes: low`, every open finding blocks the merge; `high` blocks less."
            )
        old.import_key("reviews.assess_linked_issues", "linked_issues")
        old.import_key("reviews.pre_merge_checks.issue_assessment.mode", "linked_issues", lambda mode: mode != "off")
        _summary(old)
        old.import_key("reviews.path_filters", "ignore", _filters)
        for key, entry in old.each("reviews.path_instructions"):
            if isinstance(entry, dict):
                old.import_instruction(key, entry.get("path", ALL), entry.get("instructions", ""))
        _triggers(old)
        _checks(old)
        _tools(old)
        for key, entry in old.each("knowledge_base.code_guidelines.filePatterns"):
            old.report_guide(key, entry)
        old.explain("reviews.profile", HOW_MUCH)
        for key in ("suggested_labels", "auto_apply_labels", "labeling_instructions"):
            old.explain(f"reviews.{key}", "not supported: deeprepo sets no labels")
        for key in ("suggested_reviewers", "auto_assign_reviewers"):
            old.explain(f"reviews.{key}", "not supported: deeprepo assigns no reviewers")
        for key in ("title", "description", "docstrings"):
            old.explain(
                f"reviews.pre_merge_checks.{key}", "not supported: use an instruction with `must`, which checks files"
            )
        for key in (
            "changed_files_summary",
            "sequence_diagrams",
            "collapse_walkthrough",
            "high_level_summary_instructions",
        ):
            old.explain(f"reviews.{key}", "not supported: `walkthrough` has only one format")
        old.explain("reviews.poem", "not supported: comments contain only findings")
        old.explain("knowledge_base.learnings", "export them to learnings.csv, and run this command with that file")
        for key in ("jira", "linear"):
            old.explain(f"knowledge_base.{key}", TICKETS)
        old.explain("chat.auto_reply", "use `triggers.replies_per_hour` to limit replies")
