"""The setting that turns approvals on, and sets the severity from which a finding prevents one."""

from dataclasses import dataclass

from bot.config.setting import setting
from bot.levels import Severity


# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalSettings:
    """The owner's settings for approvals."""

    approve: Severity | None = setting(
        None,
        "Approve a pull request once a model has read everything and no open finding has this severity or a higher one. Pull "
        "requests by authors without write permission are never approved.",
    )
