"""Import Greptile's settings from greptile.json or .greptile/config.json."""

import json
from typing import Any

from bot.config.other_reviewers.conversion import ALL, EVENTS, OldSettings, SettingsFormat, patterns

STRICTNESS = {1: "low", 2: "medium", 3: "high"}
TEXTS = ("rule", "content", "context")
CONTEXT = "customContext"


def _instruct(old: OldSettings, key: str, entry: Any) -> None:  # noqa: ANN401 - of the old file
    if isinstance(entry, str):
        old.import_instruction(key, ALL, entry)
    elif isinstance(entry, dict):
        text = next((entry[name] for name in TEXTS if entry.get(name)), "")
        scope = entry.get("scope") or ALL
        old.import_instruction(key, scope if isinstance(scope, str | list) else ALL, text)


class Greptile(SettingsFormat):
    """The format of greptile.json."""

    word, name = "greptile", "Greptile"
    files = ("greptile.json", ".greptile/config.json")
    guides = ("/.greptile/rules.md",)

    def load(self, text: str) -> Any:  # noqa: ANN401 - whatever the file contains
        """Parse JSON."""
        return json.loads(text)

    def read(self, old: OldSettings, /) -> None:
        """Import or explain each known key."""
        old.import_key(
            "strictness", "minimum_severity", lambda level: STRICTNESS[level] if level in STRICTNESS else str(level)
        )
        old.import_key("ignorePatterns", "ignore", patterns)
        old.import_key("labels", "triggers.labels")
        old.import_key("disabledLabels", "triggers.skip_labels")
        old.import_key("excludeAuthors", "triggers.skip_authors")
        old.import_key("includeBranches", "triggers.branches")
        old.import_key("fileChangeLimit", "triggers.skip_files")
        old.import_key("triggerOnDrafts", "triggers.drafts")
        old.import_key("summarySection.included", "walkthrough")
        events = [] if old["skipReview"] == "AUTOMATIC" else EVENTS[:-1] if old["triggerOnUpdates"] is False else EVENTS
        for key in ("skipReview", "triggerOnUpdates"):
            old.import_key(key, "triggers.events", lambda _: events)
        old.import_instruction("instructions", ALL, old["instructions"] or "")
        for part in ("rules", f"{CONTEXT}.rules", f"{CONTEXT}.other"):
            for key, entry in old.each(part):
                _instruct(old, key, entry)
        for part in ("files", f"{CONTEXT}.files"):
            for key, entry in old.each(part):
                old.report_guide(key, entry.get("path") if isinstance(entry, dict) else entry)
        old.explain("commentTypes", "use `ignore` to silence findings by kind")
        old.explain("excludeBranches", "use `triggers.branches` to choose the branches to review")
        for key in ("includeKeywords", "ignoreKeywords"):
            old.explain(key, "use `triggers.skip_titles` for titles, and `triggers.labels` for labels")
        old.explain("statusCheck", "deeprepo always creates a check run")
