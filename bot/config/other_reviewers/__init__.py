"""Import the settings files of other reviewers, for `deeprepo init --from`.

Each format has a module, and a line in `FORMATS`.
"""

from bot.config.other_reviewers.coderabbit import CodeRabbit
from bot.config.other_reviewers.conversion import NewSettings, OldSettings, Row, SettingsFormat
from bot.config.other_reviewers.gemini import GeminiCodeAssist
from bot.config.other_reviewers.greptile import Greptile
from bot.config.other_reviewers.guides import Bugbot, Copilot
from bot.config.other_reviewers.learnings import Learnings
from bot.config.other_reviewers.pr_agent import PrAgent

FORMATS: tuple[SettingsFormat, ...] = (
    GeminiCodeAssist(),
    CodeRabbit(),
    PrAgent(),
    Greptile(),
    Bugbot(),
    Copilot(),
    Learnings(),
)

__all__ = ["FORMATS", "NewSettings", "OldSettings", "Row", "SettingsFormat"]
