"""Reviewers whose settings are texts alone, which reviews read as they stand: Cursor's Bugbot and GitHub Copilot."""

from bot.config.elsewhere.old import Format

BUGBOT = Format("bugbot", "Cursor Bugbot", guides=("**/.cursor/BUGBOT.md",))
COPILOT = Format(
    "copilot",
    "GitHub Copilot",
    guides=("/.github/copilot-instructions.md", "/.github/instructions/**/*.instructions.md"),
)
