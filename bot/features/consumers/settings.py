"""Who uses a repository, and what others learn of it, as its owner says it."""

from dataclasses import dataclass

from bot.config.setting import setting
from bot.values.consumer import Disclosure


# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerSettings:
    """The repositories that use this one, and this one as one that uses others."""

    consumers: tuple[str, ...] = setting(
        (),
        "Repositories that use this one. A path from its top folder is a clone: the command line and the hooks look up what a "
        "change breaks there. `owner/name` is for servers: of the repositories that they look at, those alone.",
    )
    as_consumer: Disclosure = setting(
        "name",
        "The most that reviews of other repositories of the same owner show of this one, if not everybody can read it: `nothing`, "
        "`existence`, `name`, or `lines`, to models too. The operator can allow less.",
    )
