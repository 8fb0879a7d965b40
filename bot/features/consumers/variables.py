"""Which repositories a server looks at because they use the reviewed one, as its operator says it."""

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
        "On a server, the repositories that a review looks at because they use the reviewed one: `owner`: those of the same owner that the "
        "App can see; `any`: also public ones of others that the repository's file names; `off`: none. Default: `off`.",
    )
    consumers_shown: Disclosure | None = setting(
        None,
        "The most that a review on a server shows of one of them that not everybody can read: `nothing`, `existence`, `name`, or `lines`, to "
        "models too. Its own `as_consumer` can allow less. Default: `existence`.",
    )
    consumers_megabytes: int | None = setting(
        None, "MB of the data folder for their clones, of which the oldest go first. Default: 2000.", ge=1
    )

    @property
    def is_on(self) -> bool:
        """Whether reviews on a server look at other repositories."""
        return self.consumers not in (None, "off")
