"""Import the settings of Gemini Code Assist on GitHub from .gemini/config.yaml."""

from bot.config.other_reviewers.conversion import EVENTS, QUOTA, OldSettings, SettingsFormat, patterns


class GeminiCodeAssist(SettingsFormat):
    """The format of .gemini/config.yaml."""

    word, name = "gemini", "Gemini Code Assist"
    files = (".gemini/config.yaml", ".gemini/config.yml")
    guides = ("/.gemini/styleguide.md",)

    def read(self, old: OldSettings, /) -> None:
        """Import or explain each known key."""
        old.import_key("code_review.comment_severity_threshold", "minimum_severity", lambda level: str(level).lower())
        if old["code_review.max_review_comments"] == -1:
            old.explain(
                "code_review.max_review_comments",
                "use `quota` to set how many findings are shown in full; the others are collapsed",
            )
        old.import_key("code_review.max_review_comments", "quota")
        old.note_difference("code_review.max_review_comments", QUOTA)
        old.import_key("code_review.pull_request_opened.include_drafts", "triggers.drafts")
        old.import_key("code_review.pull_request_opened.summary", "walkthrough")
        # Gemini reviews a pull request when it is opened, and later only on request.
        opened = (
            old["code_review.disable"] is not True and old["code_review.pull_request_opened.code_review"] is not False
        )
        for key in ("code_review.disable", "code_review.pull_request_opened.code_review"):
            old.import_key(key, "triggers.events", lambda _: EVENTS if opened else [])
        if opened:
            old.differences.append(
                "Gemini Code Assist reviews a pull request once, when it is opened. deeprepo also reviews each push, which costs "
                "more. To keep Gemini's behavior, set `triggers: {events: [opened]}`."
            )
        old.explain("code_review.pull_request_opened.help", "not supported: there is no help comment")
        old.import_key("ignore_patterns", "ignore", patterns)
        old.explain("have_fun", "not supported: comments contain only findings")
        old.explain("memory_config", "use `/deeprepo remember` in a comment to teach a rule")
