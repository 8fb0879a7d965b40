"""Reviewers whose settings are only texts, which are read unchanged: Cursor's Bugbot and GitHub Copilot."""

from bot.config.elsewhere.old import SettingsFormat


class Bugbot(SettingsFormat):
    """Name the guides of Bugbot."""

    word, name = "bugbot", "Cursor Bugbot"
    guides = ("**/.cursor/BUGBOT.md",)


class Copilot(SettingsFormat):
    """Name the instructions of Copilot."""

    word, name = "copilot", "GitHub Copilot"
    guides = ("/.github/copilot-instructions.md", "/.github/instructions/**/*.instructions.md")
