"""Escape untrusted text, so that in Markdown it cannot mention, link, load or execute anything.

GitHub acts on much more than Markdown: mentions, issue numbers, commits, emoji, and other bots' commands at
the start of a line.
"""

import json
import re

from deeprepo.impact.filetypes import filetypes


class Safe(str):
    """Markdown that is already escaped. Comment templates pass everything else through `plain` first."""

    __slots__ = ()


# A zero-width space as an entity. A backslash or `&#64;` would have no effect, because GitHub finds mentions
# in the rendered text.
ZERO_WIDTH_SPACE = "&#8203;"
MAX_ONE_BYTE = 0xFF

# Allowed languages of fenced blocks. GitHub renders some others as live content: suggestion, mermaid,
# geojson, topojson, stl, math.
_OTHERS = """astro bat bicep c++ cljs clojure cmake cmd conf csv cue diff dockerfile el elixir elm erl erlang fish fs fsharp gradle graphql
    groovy haml hbs hcl ini json5 jsonc julia lua make makefile md mdx mli mm nim nix pas perl pl pm proto ps1 psm1 rst sass sbt
    shell sol tcl text tf txt v vb xml zig zsh"""
LANGUAGES = frozenset(_OTHERS.split()).union(
    *({filetype.lexer, *(suffix[1:] for suffix in filetype.suffixes)} - {""} for filetype in filetypes())
)

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
# Includes characters without width.
_BIDI = r"\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
# Fillers, tags and variation selectors.
_BLANK = r"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0e\U000e0000-\U000e01ef"
_INVISIBLE = re.compile(f"[{_CONTROLS}{_BIDI}{_BLANK}]")
_ASCII_INVISIBLE = bytes(point for point in range(128) if _INVISIBLE.match(chr(point)))
_BREAK = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKER = re.compile(r"<!--(?=\s*deeprepo)", re.IGNORECASE)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)")  # a code span on one line

_ALWAYS = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")  # an underscore inside a word is no emphasis
# Bots' commands start with / and !.
_AT_START = re.compile(r"^([^\S\n]*+)(#+|[-+=:>/!]|\d++(?=[.)](?:\s|$)))", re.MULTILINE)
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_RULE = f"(?:[{_DASHES}]{{2}}|[\u2013-\u2015])"  # two dashes, or a single long one
_MARK_START, _MARK_END = re.compile(_RULE), re.compile(f"{_RULE}$")
# Names that could break out of their line in a prompt.
_ODD = re.compile(r"^[\s\"#]|\s$|[\n\t`]|---|\{\{|\{%|^end$")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_LIVE = re.compile(  # mentions, issues, links, emoji
    r"@(?=\w)|(?:#|\bGH-)(?=\d)|:(?=//)|\bwww(?=\.)|:(?=[\w+-]+:)", re.IGNORECASE
)


def encodable(value: str) -> str:
    """Return the text with unpaired surrogates replaced, so that it can be encoded as UTF-8."""
    text = str(value)  # an undefined value of a template raises its error here
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def visible(value: str) -> str:
    """Return code for display, with control, bidirectional and zero-width characters as visible escapes."""
    with_line_feeds = encodable(value).replace("\r\n", "\n")
    return (
        with_line_feeds
        if _is_plain(with_line_feeds)
        else _INVISIBLE.sub(lambda match: _escape(match[0]), with_line_feeds)
    )


def inside(value: str) -> str:
    """Return text for a section of a prompt.

    Lines that imitate the prompt's section marks get a leading space.

    This includes lines after a single carriage return or a Unicode line separator, because a model may also
    take those for lines.
    """
    if not _MARK_START.search(value):
        return value
    return "".join(f" {line}" if _imitates(line) else line for line in value.splitlines(keepends=True))


def _imitates(line: str) -> bool:
    visible_row = _INVISIBLE.sub("", line).rstrip()
    return bool(_MARK_START.match(visible_row) and _MARK_END.search(visible_row[-2:]) and visible_row.strip(_DASHES))


def name(value: str) -> str:
    """Return a name for a prompt.

    It is quoted as in JSON if it could break out of its line or imitate a mark.
    """
    clean = encodable(value)
    return safe_json(json.dumps(clean, ensure_ascii=False)) if _ODD.search(clean) or _INVISIBLE.search(clean) else clean


def original_name(value: str) -> str:
    """Return the original of a name that `name` may have quoted. A model may have removed the quotes."""
    if not value.startswith('"'):
        return value
    try:
        decoded = json.loads(value)
    except ValueError:
        return value
    return decoded if isinstance(decoded, str) else value


def line(value: str) -> str:
    """Return text on one line, without invisible characters."""
    return " ".join(_without_invisible(_with_line_feeds(value)).split())


def plain(value: str, *, cell: bool = False) -> Safe:
    """Return prose as Markdown that shows exactly this text. Code spans and line breaks are preserved."""
    clean = _without_invisible(_with_line_feeds(value))
    clean = "\n".join(line.strip() for line in clean.split("\n")).strip("\n")
    parts, at = [], 0
    for span in _SPAN.finditer(clean):
        parts += [_escape_markdown(clean[at : span.start()]), code(span[2].strip(), cell=cell)]
        at = span.end()
    return Safe(_AT_START.sub(_at_start, "".join([*parts, _escape_markdown(clean[at:])])))


def code(value: str, *, cell: bool = False) -> Safe:
    """Return a code span, which backticks in the text cannot end.

    `cell`: whether to escape pipes for a table.
    """
    one_line = _MARKER.sub("<! --", " ".join(visible(value).split()))
    if not one_line:
        return Safe()
    if cell:
        one_line = one_line.replace("|", "\\|")
    ticks = "`" * (_longest_run(one_line) + 1 if "`" in one_line else 1)
    pad = " " if one_line[0] == "`" or one_line[-1] == "`" else ""
    return Safe(f"{ticks}{pad}{one_line}{pad}{ticks}")


def fence(value: str, language: str = "") -> Safe:
    """Return a fenced block, which its content cannot end. A language that isn't allowed is dropped."""
    block = _MARKER.sub("<! --", visible(value)).strip("\n")
    return _fenced(f"{block}\n", language if language.lower() in LANGUAGES else "")


def suggestion(lines: str) -> Safe:
    """Return a suggestion block, which can be committed on GitHub.

    The lines are not escaped, so they must not contain invisible characters (`findings.suggest` checks that).
    """
    return _fenced(f"{lines}\n" if lines and not lines.endswith("\n") else lines, "suggestion")


def _fenced(block: str, language: str) -> Safe:
    ticks = "`" * max(len("```"), _longest_run(block) + 1)
    return Safe(f"{ticks}{language}\n{block}{ticks}")


def html(value: str) -> Safe:
    """Return prose for an HTML element, where GitHub ignores Markdown but finds mentions."""
    clean, parts, at = line(value), [], 0
    for span in _SPAN.finditer(clean):
        parts += [_escape_html(clean[at : span.start()]), f"<code>{_escape_html(span[2].strip())}</code>"]
        at = span.end()
    return Safe("".join([*parts, _escape_html(clean[at:])]))


def diff(old_text: str, new_text: str) -> Safe:
    """Return a diff block for a replacement. GitHub shows it in color, but without a commit button."""
    rows = [("-", old_text.strip("\n")), ("+", new_text.strip("\n"))]
    return fence("\n".join(f"{sign}{line}" for sign, text in rows if text.strip() for line in text.split("\n")), "diff")


def link(label: str, address: str) -> Safe:
    """Return a link to one of our addresses, with its label as code."""
    return Safe(f"[{code(label)}]({address})") if address else code(label)


def cell(value: Safe) -> Safe:
    """Return our own Markdown for a table cell, with pipes escaped."""
    return Safe(plain(value, cell=True) if not isinstance(value, Safe) else value.replace("|", "\\|"))


def safe_json(value: str) -> str:
    """Return JSON text with control and invisible characters as escapes, so that a terminal can show it."""
    return _INVISIBLE.sub(lambda match: json.dumps(match[0])[1:-1], value)


def has_invisible(value: str) -> bool:
    """Return whether a text contains invisible characters other than line breaks and tabs."""
    return bool(_INVISIBLE.search(encodable(value).replace("\r\n", "\n")))


def _with_line_feeds(value: str) -> str:
    clean = encodable(value)
    return clean if _is_plain(clean) else _BREAK.sub("\n", clean)


def _is_plain(value: str) -> bool:
    """This is faster than a regular expression."""
    return value.isascii() and len(value.encode("ascii").translate(None, _ASCII_INVISIBLE)) == len(value)


def _without_invisible(value: str) -> str:
    return value if _is_plain(value) else _INVISIBLE.sub("", value)


def _escape(character: str) -> str:
    point = ord(character)
    return f"\\x{point:02x}" if point <= MAX_ONE_BYTE else f"\\u{{{point:x}}}"


def _escape_markdown(words: str) -> str:
    words = _ALWAYS.sub(r"\\\g<0>", words)
    words = _ENTITY.sub("&amp;", words).replace("<", "&lt;")
    return _LIVE.sub(lambda match: match[0] + ZERO_WIDTH_SPACE, words)


def _escape_html(words: str) -> str:
    words = (
        words.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("$", f"&dollar;{ZERO_WIDTH_SPACE}")
    )
    return _LIVE.sub(lambda match: match[0] + ZERO_WIDTH_SPACE, words)


def _at_start(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}{mark}\\" if mark.isdigit() else f"{match[1]}\\{mark}"


def _longest_run(value: str) -> int:
    return max((len(run) for run in re.findall("`+", value)), default=0)
