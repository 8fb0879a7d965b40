"""Find the import statements of a Python file without parsing, because a search reads thousands of files."""

import re

from deeprepo.impact.reading.lexical import only_imports

# Strings (those on one line also without their end) and comments, which import nothing, and import statements, which
# may continue after a backslash or in brackets.
PARTS = re.compile(
    rb"""
    \"\"\"(?:[^"\\]++|\\.|"(?!""))*+\"\"\" | '''(?:[^'\\]++|\\.|'(?!''))*+'''
  | "(?:[^"\\\n]++|\\.)*+"?+ | '(?:[^'\\\n]++|\\.)*+'?+ | \#[^\n]*+
  | [\n:;][\x20\t\f]*+(?P<code>(?:from|import)\b(?:[^\n\\\#(]++|\\\r?\n)*+(?:\((?:[^()\#]++|\#[^\n]*+)*+\))?+[^\n]*+)
    """,
    re.VERBOSE | re.DOTALL,
)
CALLED = b"import_module"  # an import by a call


def import_lines(source: bytes) -> bytes:
    """Return the import statements of a file, or all of it if it imports by calls."""
    return source if CALLED in source else only_imports(source, PARTS, b"import")
