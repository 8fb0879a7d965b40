"""Find the comments at the top of a file, where generators mark a file as generated."""

import re

from deeprepo.impact.text.lines import is_comment, utf8

# Start and end of block comments.
_BLOCKS = {
    "/*": "*/",
    "<!--": "-->",
    "<%#": "%>",
    "{#": "#}",
    "(*": "*)",
    "{-": "-}",
    "--[[": "]]",
    "#|": "|#",
    "<#": "#>",
}
# Lines that may come before the header.
_ABOVE = re.compile(r"#!|<\?|<!DOCTYPE|[\"']use \w+[\"'];?$|package\s+[\w.]+;?$|---$", re.IGNORECASE)


def header(start: bytes, path: str) -> str:
    """Return the comments above the first line of code. `start` are the first bytes of the file."""
    lines, closing = list[str](), ""
    for line in utf8(start).decode("utf-8", "replace").split("\n"):
        text = line.strip()
        if closing or is_comment(line, path):
            lines.append(line)
            opened = next(((mark, end) for mark, end in _BLOCKS.items() if text.startswith(mark)), ("", ""))
            inner = text if closing else text[len(opened[0]) :]
            closing = "" if (closing or opened[1]) in inner else closing or opened[1]
        elif text and not _ABOVE.match(text):
            break
    return "\n".join(lines)
