"""The operator's settings for checking repositories that use the reviewed one."""

from dataclasses import dataclass
from typing import Literal

from bot.config.setting import setting
from bot.values.consumer import Disclosure


# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerVariables:
    """DEEPREPO_CONSUMERS, DEEPREPO_CONSUMERS_SHOWN and so on."""

    consumers: Literal["off", "owner", "any"] | None = setting(
        None,
        "On a server, which repositories that use the reviewed one are checked too. `owner`: those of the same owner that the App "
        "can see; `any`: also public repositories of other owners that the repository's file lists; `off`: none. Default: `off`.",
    )
    consumers_shown: Disclosure | None = setting(
        None,
        "How much a review on a server may show about a consumer that not everybody can read: `nothing`, `existence`, `name`, or "
        "`lines` (models see them too). The consumer's own `as_consumer` can allow less. Default: `existence`.",
    )
    consumers_megabytes: int | None = setting(
        None, "Space for clones of consumers, in MB. The oldest clones are deleted first. Default: 2000.", ge=1
    )

    @property
    def is_on(self) -> bool:
        """Whether reviews on a server check other repositories."""
        return self.consumers not in (None, "off")
