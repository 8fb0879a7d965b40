"""Find the end of a file's import statements without parsing, because a search reads thousands of files."""

import re

# A statement at the start of a line that imports or re-exports, up to the end of its last line.
STATEMENT = re.compile(
    rb"""
    ^(?:import|export)\b (?:
        [\w$\x20\t,*]*+ (?:\{[^{}'"`]*+\})? [\x20\t]*+ (?:from[\x20\t]*+)? (?: "[^"\n]*+" | '[^'\n]*+' )
      | [\x20\t]*+ (?:type[\x20\t]++)? \{[^{}'"`]*+\}
    ) [\x20\t]*+ ;? [\x20\t]*+ $
    """,
    re.MULTILINE | re.VERBOSE,
)
# Other imports: a call, a mocked module, or a statement in another form.
OTHERS = re.compile(
    rb"\b(?:import(?:Actual|Original)?|require(?:Actual)?)\b|[mM]ock|\bexport\s*+(?:type\s*+)?[{*]|<script"
)


def import_lines(source: bytes) -> bytes:
    """Return a file up to its last import statement; all of it if it may import further below."""
    end = 0
    for match in STATEMENT.finditer(source):
        end = match.end()
    head = source[:end]
    is_open = b"`" in head or head.rfind(b"/*") > head.rfind(b"*/") or b"<script" in head
    return source if is_open or OTHERS.search(source, end) else head
