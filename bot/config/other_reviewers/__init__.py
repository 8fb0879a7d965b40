"""Convert the settings files of other reviewers, for `deeprepo init --from`."""

from bot.config.other_reviewers.conversion import NewSettings, OldSettings, Row, SettingsFormat
from bot.config.other_reviewers.formats import FORMATS

__all__ = ["FORMATS", "NewSettings", "OldSettings", "Row", "SettingsFormat"]
