"""The settings that only an organization's file can contain."""

from dataclasses import dataclass

from bot.config.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganizationSettings:
    """The settings that apply in every repository."""

    enforce: tuple[str, ...] = setting(
        (),
        "Only in the organization's `.deeprepo` repository: settings in this file that repositories cannot loosen, such as "
        "`fail_on`, `budget.usd` or `triggers`.",
        only_in="the organization's repository for defaults",
        is_threshold=True,
    )
