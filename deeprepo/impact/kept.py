"""A cache with a limit for the total size."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """A least-recently-used cache. The last value stays even if it exceeds the limit."""

    def __init__(self, most: int) -> None:
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._most, self._size, self._lock = most, 0, Lock()

    def get(self, key: Key) -> Value | None:
        """Return a value, or None if it is not cached."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Store a value with its size, and evict others if necessary."""
        with self._lock:
            _, before = self._values.pop(key, (None, 0))
            self._values[key] = value, size
            self._size += size - before
            while self._size > self._most and len(self._values) > 1:
                _, (_, oldest) = self._values.popitem(last=False)
                self._size -= oldest
