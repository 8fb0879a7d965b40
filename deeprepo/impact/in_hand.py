"""Which file of a repository this process works on: who limits what one file may cost listens."""

from collections import UserDict
from collections.abc import Callable


class _Listener:
    """Who is told in this process."""

    tell: Callable[[str], None] | None = None


def listen(tell: Callable[[str], None]) -> None:
    """Tell somebody from now on which file is worked on."""
    _Listener.tell = tell


def reading(path: str) -> None:
    """Note that this process works on this file of the repository from now on; "" where it works on none."""
    if _Listener.tell is not None:
        _Listener.tell(path)


class Contents(UserDict[str, bytes]):
    """Contents of files by path. Taking one out is noted as reading that file; who asks for one that is not there keeps the last in hand."""

    def __getitem__(self, path: str) -> bytes:
        content = self.data[path]
        reading(path)
        return content
