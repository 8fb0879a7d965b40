"""Types of the fixtures `by_code` and `places`. In a change, None deletes the file."""

from collections.abc import Callable, Mapping

from bot.values import Review

Files = Mapping[str, str | None]
ByCode = Callable[[Files, Files], Review]
Places = Callable[[Files, Files], set[str]]
