"""The reviewers whose settings `deeprepo init --from` converts, or whose instruction files reviews read."""

import json
import tomllib
from functools import partial
from typing import Any

from bot.config.other_reviewers.conversion import (
    ALL,
    EVENTS,
    OldSettings,
    SettingsFormat,
    instructions,
    patterns,
    plain,
)

EACH_PUSH = "{} reviews a push only if its settings say so. deeprepo reviews each push, unless you set `triggers.events` without `push`."
BOTS = "deeprepo reviews pull requests of bots only on command, unless you set `triggers: {bots: true}`."


def _gemini(old: OldSettings) -> None:
    keys = ("code_review.disable", "code_review.pull_request_opened.code_review")
    is_off = old[keys[0]] is True or old[keys[1]] is False
    for key in keys:
        old.import_key(key, "triggers.events", lambda _: [] if is_off else EVENTS)


def _path_filters(value: Any) -> list[str]:  # noqa: ANN401 - of the old file
    """Return `ignore` patterns for CodeRabbit's filters: files to review, and with "!" files to ignore in any case."""
    lines = patterns(value)
    included = [line for line in lines if not line.startswith("!")]
    only = [] if {"**", "**/*", ALL} & set(included) else [f"!{line}" for line in included]
    return [*([ALL] if only else []), *only, *(line[1:] for line in lines if line.startswith("!"))]


def _branches(default: str, names: Any) -> list[str]:  # noqa: ANN401 - of the old file
    usual = [default] if default else ["main", "master"]  # CodeRabbit always reviews the default branch
    return list(dict.fromkeys([*usual, *map(plain, names)])) if names else []


def _events(*, skips_pushes: bool, labels: list[str]) -> list[str]:
    without = {"push"} if labels else {"push", "labeled"}
    return [event for event in EVENTS if not (skips_pushes and event in without)]


def _custom_check(check: Any) -> list[dict[str, str]]:  # noqa: ANN401 - of the old file
    """Return a requirement for a check with the mode `error`, and an instruction for a warning."""
    must = {"must": "fail", "name": str(check.get("name", ""))[:60]} if check.get("mode") == "error" else {}
    return [] if check.get("mode") == "off" else [one | must for one in instructions(check)]


def _coderabbit(old: OldSettings) -> None:
    old.import_key("reviews.path_filters", "ignore", _path_filters)
    for key, _ in old.each("reviews.path_instructions"):
        old.import_key(key, "instructions")
    for key, _ in old.each("reviews.pre_merge_checks.custom_checks"):
        old.import_key(key, "instructions", _custom_check)
    part = "reviews.auto_review"
    labels = [str(label) for _, label in old.each(f"{part}.labels") if not str(label).startswith("!")]
    only_first = old[f"{part}.auto_incremental_review"] is False
    is_off = old[f"{part}.enabled"] is False and not labels  # a label starts reviews although they are off
    events = [] if is_off else _events(skips_pushes=only_first, labels=labels)
    for key in ("enabled", "auto_incremental_review"):
        old.import_key(f"{part}.{key}", "triggers.events", lambda _: events)
    old.import_key(f"{part}.base_branches", "triggers.branches", partial(_branches, old.new.branch))
    for key, label in old.each(f"{part}.labels"):
        into = "triggers.skip_labels" if str(label).startswith("!") else "triggers.labels"
        old.import_key(key, into, lambda label: [str(label).removeprefix("!")])


def _greptile(old: OldSettings) -> None:
    events = _events(skips_pushes=old["triggerOnUpdates"] is False, labels=old["labels"])
    events = [] if old["skipReview"] == "AUTOMATIC" else events
    for key in ("skipReview", "triggerOnUpdates"):
        old.import_key(key, "triggers.events", lambda _: events)
    for part in ("rules", "customContext.rules", "customContext.other"):
        for key, _ in old.each(part):
            old.import_key(key, "instructions")


FORMATS = (
    SettingsFormat(
        word="gemini",
        name="Gemini Code Assist",
        files=(".gemini/config.yaml", ".gemini/config.yml"),
        guides=("/.gemini/styleguide.md",),
        keys={
            "code_review.comment_severity_threshold": "minimum_severity",
            "code_review.max_review_comments": "quota",
            "code_review.pull_request_opened.include_drafts": "triggers.drafts",
            "code_review.pull_request_opened.summary": "walkthrough",
            "ignore_patterns": "ignore",
        },
        convert=_gemini,
        differences={
            "": EACH_PUSH.format("Gemini Code Assist"),
            "triggers.bots": BOTS,
            "triggers.drafts": "Gemini Code Assist reviews drafts. deeprepo only does so if you set `triggers: {drafts: true}`.",
            "minimum_severity": "Gemini Code Assist leaves out findings of low severity. deeprepo only does so if you set `minimum_severity: medium`.",
        },
    ),
    SettingsFormat(
        word="coderabbit",
        name="CodeRabbit",
        files=(".coderabbit.yaml", ".coderabbit.yml"),
        keys={
            "language": "language",
            "tone_instructions": "instructions",
            "reviews.request_changes_workflow": "request_changes",
            "reviews.assess_linked_issues": "linked_issues",
            "reviews.pre_merge_checks.issue_assessment.mode": "linked_issues",
            "reviews.high_level_summary": "walkthrough",
            "reviews.auto_review.drafts": "triggers.drafts",
            "reviews.auto_review.auto_pause_after_reviewed_commits": "pause_after",
            "reviews.auto_review.ignore_usernames": "triggers.skip_authors",
        },
        convert=_coderabbit,
        conditions=("reviews.auto_review.ignore_title_keywords", "reviews.auto_review.description_keyword"),
        differences={
            "triggers.branches": "CodeRabbit only reviews pull requests to the default branch. deeprepo reviews those to every branch, unless you set `triggers.branches`.",
            "pause_after": "CodeRabbit pauses after five reviewed commits. deeprepo only pauses after a number of pushes, if you set `pause_after`.",
            "description": "CodeRabbit writes its summary into the description. deeprepo writes it into its comment, unless you set `description: true`.",
            "approve": "With `request_changes_workflow`, CodeRabbit approves once all its comments are resolved. deeprepo only does so if you set `approve`.",
        },
    ),
    SettingsFormat(
        word="pr-agent",
        name="PR-Agent",
        files=(".pr_agent.toml",),
        guides=("/best_practices.md",),
        load=tomllib.loads,
        keys={
            "config.response_language": "language",
            "config.ignore_pr_labels": "triggers.skip_labels",
            "config.ignore_pr_authors": "triggers.skip_authors",
            "config.allow_only_specific_folders": "triggers.paths",
            "ignore.glob": "ignore",
            "github_app.feedback_on_draft_pr": "triggers.drafts",
            "pr_reviewer.require_ticket_analysis_review": "linked_issues",
            "pr_reviewer.num_max_findings": "quota",
            "best_practices.content": "instructions",
            "pr_reviewer.extra_instructions": "instructions",
            "pr_code_suggestions.extra_instructions": "instructions",
            "review_agent.extra_instructions": "instructions",
        },
        differences={"": EACH_PUSH.format("PR-Agent")},
        conditions=(
            *(f"config.ignore_pr_{what}" for what in ("title", "source_branches", "target_branches")),
            "github_app.handle_pr_actions",
        ),
    ),
    SettingsFormat(
        word="greptile",
        name="Greptile",
        files=("greptile.json", ".greptile/config.json"),
        guides=("/.greptile/rules.md",),
        load=json.loads,
        keys={
            "strictness": "minimum_severity",
            "instructions": "instructions",
            "ignorePatterns": "ignore",
            "labels": "triggers.labels",
            "disabledLabels": "triggers.skip_labels",
            "excludeAuthors": "triggers.skip_authors",
            "includeBranches": "triggers.branches",
            "triggerOnDrafts": "triggers.drafts",
            "summarySection.included": "walkthrough",
        },
        convert=_greptile,
        differences={"": EACH_PUSH.format("Greptile"), "triggers.bots": BOTS},
        conditions=("includeAuthors", "excludeBranches", "includeKeywords", "ignoreKeywords", "fileChangeLimit"),
    ),
    SettingsFormat(word="bugbot", name="Cursor Bugbot", guides=("**/.cursor/BUGBOT.md",)),
    SettingsFormat(
        word="copilot",
        name="GitHub Copilot",
        guides=("/.github/copilot-instructions.md", "/.github/instructions/**/*.instructions.md"),
    ),
)
