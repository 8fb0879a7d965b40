"""Paths of a tree as text: git has bytes, and whatever leaves (JSON, SARIF, GitHub) must be valid Unicode."""

import re

ESCAPE = re.compile(r"\\x(?:5c|[89a-f][0-9a-f])")
_ESCAPE = re.compile(rb"\\x(5c|[89a-f][0-9a-f])")


def name_of(raw: bytes) -> str:
    r"""Return the text of a path: itself where it is UTF-8, and never the same for two paths.

    A name that is not UTF-8 shows its bytes as `\xe9` and its backslashes as `\x5c`. So does a name that reads like an escape by itself.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return raw.replace(b"\\", b"\\x5c").decode("utf-8", "backslashreplace")
    return text.replace("\\", "\\x5c") if "\\x" in text and ESCAPE.search(text) else text


def raw_name(path: str) -> bytes:
    """Return the path whose text `name_of` has returned."""
    return _ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), path.encode("utf-8", "surrogateescape"))
