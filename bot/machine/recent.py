"""A short-lived cache, so that several jobs read the same thing once."""

import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

FRESH_SECONDS = 60.0  # seconds until a value is read again
MAX_KEYS = 1_000
Value = TypeVar("Value")


@dataclass(slots=True)
class Recent:
    """Values by key, each cached for a minute."""

    clock: Callable[[], float] = time.monotonic
    _values: dict[Hashable, tuple[float, Any]] = field(default_factory=dict)

    async def get(
        self, key: Hashable, read: Callable[[], Awaitable[Value]], keep: Callable[[Value], bool] = lambda _: True
    ) -> Value:
        """Return a key's value, reading it if it is not cached. `keep` decides which values are cached."""
        now = self.clock()
        kept = self._values.get(key)
        if kept is not None and now - kept[0] < FRESH_SECONDS:
            return cast("Value", kept[1])
        value = await read()
        if not keep(value):
            return value
        if len(self._values) >= MAX_KEYS:
            self._values.clear()
        self._values[key] = now, value
        return value
