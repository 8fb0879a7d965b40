"""The owner's settings: which repositories use this one, and what their reviews may show about it."""

from dataclasses import dataclass

from bot.config.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerSettings:
    """The repositories that use this one, and the repositories whose reviews may show this one."""

    consumers: tuple[str, ...] = setting(
        (),
        "Repositories that use this one. On the command line and in hooks, list paths of clones, relative to the top folder. "
        "With the App and the Action, list `owner/name`.",
    )
    shown_to: tuple[str, ...] = setting(
        (),
        "Repositories (`owner/name`) of the same owner whose reviews may show this one's lines, to people and models, if this "
        "one is not public.",
    )
