"""C and C++: their files are searched for users; what a preprocessor may make is held against no new line."""

import re

# `extern "C" {` and its end inside their conditions are no block that a grammar can read.
LINKAGE = re.compile(
    rb"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]*)_*cplusplus\)?[ \t]*\r?\n\s*(extern[ \t]*\"C\"\s*\{|\})[^\n]*\n\s*#[ \t]*endif"
)


def code(source: bytes) -> bytes:
    """The code with the linkage brackets blanked out; lines and columns stay what they are."""
    return LINKAGE.sub(lambda match: re.sub(rb"[^\r\n]", b" ", match[0]), source)
