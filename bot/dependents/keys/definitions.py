"""What defines a key in a file, and where: a comment, a text, a value and a member of another section define none.

A line alone does not tell that. `"retries": 3` is another key inside another object, and none at all inside `/* ... */`; a column is
defined by the statement that creates it, and not by the one that selects it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from bot.dependents.keys.settings_formats import DOCUMENT, Place, UnreadableSettingsError, parsed_places
from bot.text.lines import code_of, is_comment, says

# Texts of several lines that no program reads as code. One that is never closed hides nothing.
_OWNER = re.compile(
    r"\s*+(?i:(?:CREATE|OR|REPLACE|ALTER|EXTEND|TEMP|TEMPORARY|UNIQUE|UNLOGGED)\s++){0,4}"
    r"(?i:TABLE|VIEW|TYPE|INPUT|INTERFACE|MESSAGE|ENUM|MODEL|STRUCT|RECORD)(?i:\s++IF\s++NOT\s++EXISTS)?\s++([\w.\"`\[\]]{1,200})"
)
_DROPS = re.compile(
    r"\b(?i:drop|remove|rename)_?(?i:column|field)s?\b(?:\s++(?i:IF\s++EXISTS\s++)?[\"`\[]?(?P<column>[A-Za-z_]\w{0,99})|\s*+\(|\s++(?=[:\"']))"
    r"|\b(?i:drop|rename)\s++(?i:column)\s++(?i:IF\s++EXISTS\s++)?[\"`\[]?(?P<named>[A-Za-z_]\w{0,99})"
)
_ARGUMENT = re.compile(r"(?:\b(\w{1,40})\s{0,3}=\s{0,3})?(?:[\"'](\w{1,99})[\"']|(?<!:):(\w{1,99}))")
_ARGUMENT_LINES = 5
_HEREDOC = r"<<[-~]?[\"']?([A-Za-z_]\w{0,60})"
_MOST_BLOCKS = 2_000
_CLOSES = {"/*": "*/", "<!--": "-->", '"""': '"""', "'''": "'''", "{#": "#}", "\n=begin": "\n=end"}
_OPENS = re.compile("|".join([*map(re.escape, _CLOSES), _HEREDOC]))
_SECTION = re.compile(r"\s*+\[\[?([^\[\]\n]{1,200})\]\]?\s*+(?:[#;]|$)")
_ENTRY = re.compile(r"(\s*+(?:-\s++)?)(?:(?:export|ENV|ARG|set)\s++)?([\"']?)([\w$./-]{1,200})\2\s*+[:=]")
# How a schema declares a name: a column behind its table's bracket or `ADD`, a field with its type, a message, a table.
_DECLARED = (
    r"^\s*+(?:\w++\s++){0,2}[\"`\[]?NAME[\"`\]]?\s++(?!(?:FROM|AS|IS|IN|ASC|DESC|AND|OR|NOT|NULL|LIKE|SET|TO|ON|WHERE)\b)[A-Za-z\[]"
    r"|[(,]\s*+[\"`\[]?NAME[\"`\]]?\s++(?!(?:FROM|AS|IS|IN|ASC|DESC|AND|OR|NOT|NULL|LIKE|SET|TO|ON|WHERE)\b)[A-Za-z]"
    r"|\b(?i:ADD(?:\s++COLUMN)?(?:\s++IF\s++NOT\s++EXISTS)?|TO)\s++[\"`\[]?NAME\b"
    r"|\b(?i:TABLE(?:\s++IF\s++NOT\s++EXISTS)?|VIEW|TYPE|MESSAGE|ENUM|INPUT|INTERFACE|MODEL|SERVICE|STRUCT)\s++[\"`\[]?NAME\b"
    r"|(?<![\w.\"'])NAME\s*+(?:\([^()]{0,400}\)\s*+)?:\s*+[\[\w]|\b\w++\s++NAME\s*+=\s*+\d|\"name\"\s*+:\s*+\"NAME\""
)
_LISTED = r"^\s*+NAME\s*+(?:@|,?\s*+$)"
_STATEMENTS = (".sql", ".ddl", ".psql")
_ASKS = re.compile(r"\s*+(?i:SELECT|INSERT|UPDATE|DELETE|WITH|DROP|COMMENT|GRANT|FROM|WHERE|JOIN|RETURNING)\b")
_DEEPEST = 60


def declares_in_schema(word: str, code: str, path: str) -> bool:
    """Whether a line of a schema declares the name. One that selects, drops or describes it does not."""
    is_listed = not path.lower().endswith(_STATEMENTS) and says(_LISTED, word, code)  # a value of an enumeration
    return not _ASKS.match(code) and (is_listed or says(_DECLARED, word, code))


def comparison(path: str, content: str, old_path: str, old_content: str) -> tuple[frozenset[Place], frozenset[Place]]:
    """The keys of the two sides of a file, read alike: by lines if the old side does not parse, either.

    Raises `UnreadableSettingsError` if only the new side does not parse.
    """
    try:
        before = places(old_path, old_content)
    except UnreadableSettingsError:
        return _places_by_lines(old_path, old_content), _places_by_lines(path, content)
    after = places(path, content)
    if len(_documents(before)) <= 1 and len(_documents(after)) <= 1:  # it is the same one, whatever its name is now
        return plain_places(before), plain_places(after)
    return before, after


def plain_places(some_places: Iterable[Place]) -> frozenset[Place]:
    """Places without the document of a stream that they are in."""
    return frozenset(
        one[1:] if one[0].startswith(DOCUMENT) else one
        for one in some_places
        if one[1:] or one[0][: len(DOCUMENT)] != DOCUMENT
    )


def _documents(some_places: Iterable[Place]) -> frozenset[str]:
    return frozenset(one[0] if one[0].startswith(DOCUMENT) else "" for one in some_places)


def undefined_keys(before: frozenset[Place], after: frozenset[Place]) -> frozenset[str]:
    """The keys that no section defines any more."""
    return frozenset(one[-1] for one in before - after) - {one[-1] for one in after}


def moved_keys(before: frozenset[Place], after: frozenset[Place]) -> frozenset[str]:
    """The keys that went out of a section which is still there, whatever became of their lines."""
    words = {one[-1] for one in after}
    return frozenset(one[-1] for one in before - after if (one[:-1] in after if len(one) > 1 else one[-1] in words))


@lru_cache(maxsize=1024)
def owners(word: str, content: str, path: str) -> frozenset[str]:
    """The tables and types of a schema that declare the name."""
    lines, names = _owned_lines(content), set[str]()
    at = content.find(word)
    while at >= 0:
        number = bisect_right(lines.starts, at) - 1
        end = content.find("\n", at)
        end = len(content) if end < 0 else end
        if (owner := lines.owners[number]) is not None and owner not in names:
            line = content[lines.starts[number] : end]
            names |= {owner} if declares_in_schema(word, line, path) else set()
        at = content.find(word, end)
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class _OwnedLines:
    """The lines of a schema: where each begins, and the table or type that it is in; None for one inside a text."""

    starts: Sequence[int]
    owners: Sequence[str | None]


@lru_cache(maxsize=2)  # a schema before and after a change: each of its keys asks
def _owned_lines(content: str) -> _OwnedLines:
    owner_by_line, owner = list[str | None](), ""
    lines, hidden_lines = content.split("\n"), lines_inside_texts(content)
    for number, line in enumerate(lines, 1):
        is_hidden = number in hidden_lines
        if not is_hidden and (match := _OWNER.match(line[:1_000])):
            owner = match[1]
        owner_by_line.append(None if is_hidden else owner)
    return _OwnedLines([0, *accumulate(len(line) + 1 for line in lines[:-1])], owner_by_line)


def dropped_columns(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The columns and fields that statements drop or rename, with the line's position: in SQL, or in a migration that calls a function for it."""
    for at, line in enumerate(lines):
        for match in _DROPS.finditer(line):
            if column := match["column"] or match["named"]:
                yield column, at
                continue
            text = "\n".join([line[match.end() :], *lines[at + 1 : at + _ARGUMENT_LINES]]).partition(")")[0]
            arguments = [(name, one or other) for name, one, other in _ARGUMENT.findall(text)]
            named = [value for name, value in arguments if name in ("name", "old_name", "column_name")]
            yield from ((value, at) for value in named or [value for _, value in arguments[:2]][-1:])


@lru_cache(maxsize=4)
def _read(path: str, content: str) -> frozenset[Place] | UnreadableSettingsError | None:
    """What the parser says, or why it says nothing: an answer of either kind is found once."""
    try:
        return parsed_places(path, content)
    except UnreadableSettingsError as error:
        return error


def places(path: str, content: str) -> frozenset[Place]:
    """Return the keys that a settings file defines, each with the sections around it. The format's parser decides; lines do if there is no parser.

    Raises `UnreadableSettingsError`.
    """
    answer = _read(path, content)
    if isinstance(answer, UnreadableSettingsError):
        raise answer
    return _places_by_lines(path, content) if answer is None else answer


@lru_cache(maxsize=4)
def _places_by_lines(path: str, content: str) -> frozenset[Place]:
    """By indentation and by sections in brackets, whatever the format."""
    return frozenset(_of_lines(path, content))


def _of_lines(path: str, content: str) -> Iterator[Place]:
    """By indentation and by sections in brackets."""
    section: tuple[str, ...] = ()
    above: list[tuple[int, str]] = []
    hidden_lines = lines_inside_texts(content)
    for number, line in enumerate(content.split("\n"), 1):
        if number in hidden_lines or is_comment(line, path):
            continue
        if match := _SECTION.match(line):
            section, above = (match[1].strip(),), []
            yield section
        elif match := _ENTRY.match(code_of(line, path)):
            indent = len(match[1])
            while above and above[-1][0] >= indent:
                above.pop()
            if len(above) < _DEEPEST:
                above.append((indent, match[3]))
            names = tuple(name for _, name in above)
            yield (*section, *names)
            if "." in match[3]:  # `edition.workspace = true` sets `edition`
                yield (*section, *names[:-1], match[3].partition(".")[0])


def lines_inside_texts(content: str) -> frozenset[int]:
    """The lines inside a comment or a text of several lines, its first and last line left out."""
    numbers: set[int] = set()
    endless: set[str] = set()  # marks that nothing closes from here on
    at, line = 0, 1
    for _ in range(_MOST_BLOCKS):
        if not (opening := _OPENS.search(content, at)):
            break
        start, last = opening.start(), _CLOSES.get(opening[0]) or f"\n{opening[1]}\n"
        end = -1 if last in endless else content.find(last, opening.end())
        line += content.count("\n", at, start)
        if end < 0:
            endless.add(last)
            line += content.count("\n", start, opening.end())
            at = opening.end()
            continue
        to = line + content.count("\n", start, end) + (last[0] == "\n")
        numbers.update(range(line + 1, to))
        at = end + len(last.rstrip("\n"))
        line = to + content.count("\n", end + (last[0] == "\n"), at)
    return frozenset(numbers)
