"""What was read a moment ago: several jobs that need it read it once."""

import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

FRESH_SECONDS = 60.0  # seconds until it is read again
MAX_KEYS = 1_000
Value = TypeVar("Value")


@dataclass(slots=True)
class Recent:
    """Values by key, each kept for a minute."""

    clock: Callable[[], float] = time.monotonic
    _values: dict[Hashable, tuple[float, Any]] = field(default_factory=dict)

    async def get(
        self, key: Hashable, read: Callable[[], Awaitable[Value]], keep: Callable[[Value], bool] = lambda _: True
    ) -> Value:
        """Return the value of a key; read it, unless that was done within the minute. `keep`: which values are kept."""
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
