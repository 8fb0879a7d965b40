"""Import the settings files of other reviewers, for `deeprepo init --from`.

Each format has a module, and a line in `FORMATS`.
"""

from bot.config.elsewhere.coderabbit import CodeRabbit
from bot.config.elsewhere.gemini import GeminiCodeAssist
from bot.config.elsewhere.greptile import Greptile
from bot.config.elsewhere.guides import Bugbot, Copilot
from bot.config.elsewhere.learnings import Learnings
from bot.config.elsewhere.old import NewSettings, OldSettings, Row, SettingsFormat
from bot.config.elsewhere.pr_agent import PrAgent

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
