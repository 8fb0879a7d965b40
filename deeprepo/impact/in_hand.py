"""Track which repository file this process is reading, for code that limits the cost of a file."""

from collections import UserDict
from collections.abc import Callable


class _Listener:
    tell: Callable[[str], None] | None = None


def listen(tell: Callable[[str], None]) -> None:
    """Set the callback that receives the path of each file being read."""
    _Listener.tell = tell


def reading(path: str) -> None:
    """Report the file that this process reads from now on; "" for none."""
    if _Listener.tell is not None:
        _Listener.tell(path)


class Contents(UserDict[str, bytes]):
    """Contents of files by path.

    Looking up an existing path reports it as being read; a missing path does not change the report.
    """

    def __getitem__(self, path: str) -> bytes:
        content = self.data[path]
        reading(path)
        return content
