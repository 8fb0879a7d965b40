"""Read the words of lines by which other files may refer to something, and the names that a file gives to others.

A file gives definitions in code, keys and targets elsewhere, and anchors of headings.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from deeprepo.impact.filetypes import filetype
from deeprepo.impact.reading import reader, syntax
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_prose

SHORTEST = 4  # letters of a word, or characters of a path; shorter ones occur everywhere
LONGEST_LINE = 600  # characters; longer lines are data
# An option; the end of a closing tag, which is no path; a name or path, in which an apostrophe or colon is between letters.
RUN = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|(?<=<)/[\w.:-]*|(?:[\w@.~/-]|(?<=\w)[':](?=\w))+")
PART = re.compile(r"[/.:]+")
# The name before `:`, `=`, `(` or `{` at the start of a line, after up to three words: a key in YAML, TOML, JSON or
# settings, a target, a shell function, a field, message or block in GraphQL, Protocol Buffers or HCL, a table.
KEY = re.compile(r"^\s*+(?:-\s+)?(?:[A-Za-z][\w.<>]*+\s+){0,3}?[\"'`]?([A-Za-z_][\w./-]*)[\"'`]?\s*(?:[:?+]?=|:|\(|\{)")
SECTION = re.compile(r"^\s*+\[+(?:\w+:)?([\w.-]+)\]+\s*$")
# The name of a template that others include.
_TEMPLATE = re.compile(r'\{\{-?\s*+define\s++"([^"]++)"')
# The first word of a line that ends with a comma or bracket, before a type: a column in SQL.
_COLUMN = re.compile(r"^\s*+[\"`\[]?(\w+)[\"`\]]?\s+[A-Za-z]\w*(?:\(.*)?[^;]*,?$")
_HEADING = re.compile(r"^#{1,6}\s+(\S.*)")
RELEASES = 3  # headings of this kind in a document that tells what happened
_NUMBER = rb"\W{0,4}(?:v\d|(?:version |release )?\d+[.-]\d)[^\n]{0,60}"
_RELEASE = re.compile(
    rb"^(?:#{1,6}[ \t]+" + _NUMBER + rb"|" + _NUMBER + rb"\n[=~-]{3,}|\d{4}-\d\d-\d\d\b)", re.MULTILINE | re.IGNORECASE
)
_NO_ANCHOR = re.compile(r"[^\w\- ]")


def words(line: str) -> set[str]:
    """Return the options, paths, dotted names and plain words in a line, with the parts of the longer ones."""
    if len(line) > LONGEST_LINE:
        return set()
    return {word for run in runs(line) for word in _forms(run.strip("/")) if is_word(word)}


def runs(line: str) -> Iterator[str]:
    """Yield the longest names, options and paths in a line. Folders keep their slash."""
    return (trimmed(match[0]) for match in RUN.finditer(line) if not is_closing(line, match))


def trimmed(run: str) -> str:
    """Return a run without the marks of a sentence around it."""
    return run if run.startswith("-") else run.lstrip("~").rstrip("@.~-")


def is_closing(line: str, match: re.Match[str]) -> bool:
    """Return whether a run belongs to a closing tag."""
    return match[0].startswith("/") and line[match.start() - 1 : match.start()] == "<"


def is_word(text: str) -> bool:
    """Return whether a text has enough letters to refer to something. Numbers and versions don't."""
    return sum(map(str.isalpha, text)) >= SHORTEST


def is_plain(word: str) -> bool:
    """Return whether a word has no form that only names have, so it may belong to any sentence."""
    return word.isalpha() and (word[1:] == word[1:].lower() or len(word) < SHORTEST)


def _forms(run: str) -> Sequence[str]:
    """Return a run and its parts, and an option also without its dashes."""
    if run.startswith("-"):
        return run, run.lstrip("-")
    run = run.lstrip("./")
    return run, run.rpartition("/")[2], *PART.split(run)


def given_names(path: str, source: bytes) -> Mapping[str, int]:
    """Return the names that a file gives, each with its first line. Documents give none."""
    found: dict[str, int] = {}
    for name, line in () if is_prose(path) else _given(path, source):
        if is_word(name):
            found.setdefault(name, line)
    return found


def anchors(source: bytes) -> Mapping[str, int]:
    """Return the anchors of a Markdown file's headings, each with its line."""
    rows = enumerate(file_lines(source), 1)
    return {
        _NO_ANCHOR.sub("", heading[1].rstrip("# ").lower()).replace(" ", "-"): line
        for line, text in rows
        if (heading := _HEADING.match(text.rstrip()))
    }


def is_history(source: bytes) -> bool:
    """Return whether a document tells what happened, as a change log does: its headings are versions or dates."""
    return len(_RELEASE.findall(source)) >= RELEASES


def _given(path: str, source: bytes) -> Iterator[tuple[str, int]]:
    language = syntax.language_for(path, source) if filetype(path).is_parsed else None
    if language is not None:
        facts = reader.facts(language, source)
        definitions = facts.definitions if facts is not None else ()
        yield from ((one.short, one.line) for one in definitions if one.by_query.shown != "declaration")
        return
    forms = (KEY, SECTION, _COLUMN) if path.endswith((".sql", ".ddl")) else (KEY, SECTION)
    for number, line in enumerate(file_lines(source), 1):
        if len(line) <= LONGEST_LINE:
            yield from ((key[1], number) for form in forms if (key := form.match(line)))
            yield from ((name, number) for name in templates(line))


def templates(line: str) -> Sequence[str]:
    """Return the names of the templates that a line defines for others to include."""
    return _TEMPLATE.findall(line)
