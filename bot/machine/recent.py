"""A cache with a short lifetime, so that several jobs don't request the same thing repeatedly."""

import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

FRESH_SECONDS = 60.0  # how long a value is cached
MAX_KEYS = 1_000
Value = TypeVar("Value")


@dataclass(slots=True)
class Recent:
    """Caches values by key, for FRESH_SECONDS."""

    clock: Callable[[], float] = time.monotonic
    _values: dict[Hashable, tuple[float, Any]] = field(default_factory=dict)

    async def get(
        self, key: Hashable, read: Callable[[], Awaitable[Value]], keep: Callable[[Value], bool] = lambda _: True
    ) -> Value:
        """Return a key's value, and read it if it isn't cached.

        Only cache it if `keep` returns True for it.
        """
        now = self.clock()
        cached = self._values.get(key)
        if cached is not None and now - cached[0] < FRESH_SECONDS:
            return cast("Value", cached[1])
        value = await read()
        if not keep(value):
            return value
        if len(self._values) >= MAX_KEYS:
            self._values.clear()
        self._values[key] = now, value
        return value
