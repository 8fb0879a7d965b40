"""Find the import statements of a Python file without parsing, because a search reads thousands of files."""

import re

# Strings and comments, which import nothing, and import statements, which may continue after a backslash or
# in brackets.
PARTS = re.compile(
    rb"""
    \"\"\"(?:[^"\\]++|\\.|"(?!""))*+\"\"\" | '''(?:[^'\\]++|\\.|'(?!''))*+'''
  | "(?:[^"\\\n]++|\\.)*+" | '(?:[^'\\\n]++|\\.)*+' | \#[^\n]*+
  | [\n:;][\x20\t\f]*+(?P<code>(?:from|import)\b(?:[^\n\\\#(]++|\\\r?\n)*+(?:\((?:[^()\#]++|\#[^\n]*+)*+\))?+[^\n]*+)
    """,
    re.VERBOSE | re.DOTALL,
)
CALLED = b"import_module"  # an import by a call


def import_lines(source: bytes) -> bytes:
    """Return the import statements of a file on their lines, and nothing else.

    A file that imports by calls is returned unchanged.
    """
    if CALLED in source:
        return source
    code = b"\n" + source.removeprefix(b"\xef\xbb\xbf")
    pieces, end, last = list[bytes](), 1, code.rfind(b"import")
    for match in PARTS.finditer(code):
        if match.start() > last:
            break
        if match["code"] is not None:
            pieces += [b"\n" * code.count(b"\n", end, match.start("code")) or b";", match["code"]]
            end = match.end()
    return b"".join(pieces).lstrip(b";")
