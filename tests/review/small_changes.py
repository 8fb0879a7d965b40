"""What the fixture `places` is: a change as the files before it and those that it writes (None: deletes), and the files that its review names."""

from collections.abc import Callable, Mapping

Files = Mapping[str, str | None]
Places = Callable[[Files, Files], set[str]]
