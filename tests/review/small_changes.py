"""What the fixtures `by_code` and `places` are: a change as the files before it and those that it writes (None: deletes), and its review."""

from collections.abc import Callable, Mapping

from bot.values import Review

Files = Mapping[str, str | None]
ByCode = Callable[[Files, Files], Review]
Places = Callable[[Files, Files], set[str]]
