"""Other reviewers whose settings are only instruction files, which deeprepo reads unchanged."""

from bot.config.other_reviewers.conversion import SettingsFormat


class Bugbot(SettingsFormat):
    """The instruction files of Cursor's Bugbot."""

    word, name = "bugbot", "Cursor Bugbot"
    guides = ("**/.cursor/BUGBOT.md",)


class Copilot(SettingsFormat):
    """The instruction files of GitHub Copilot."""

    word, name = "copilot", "GitHub Copilot"
    guides = ("/.github/copilot-instructions.md", "/.github/instructions/**/*.instructions.md")
