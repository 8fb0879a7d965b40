"""What the fixture `places` is: a change as the files before it and those that it writes, and the files that its review names."""

from collections.abc import Callable, Mapping

Files = Mapping[str, str]
Places = Callable[[Files, Files], set[str]]
