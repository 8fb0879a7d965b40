"""The owner's settings: which repositories use this one, and what their reviews may show about it."""

from dataclasses import dataclass

from bot.config.setting import setting
from bot.values.consumer import Disclosure


# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerSettings:
    """The repositories that use this one, and what may be shown about this one as a consumer."""

    consumers: tuple[str, ...] = setting(
        (),
        "Repositories that use this one. On the command line and in hooks, list paths of clones, relative to the top folder. "
        "On a server, list `owner/name`. It then checks only these repositories.",
    )
    as_consumer: Disclosure = setting(
        "name",
        "How much reviews of the same owner's other repositories may show about this one, if not everybody can read it: `nothing`, "
        "`existence`, `name`, or `lines` (models see them too). The operator can allow less.",
    )
