"""Words from templates: the only importer of jinja2.

What a template says is ours; what it is given (code, titles, model text) is data, so the filters below make it harmless in
Markdown: nobody is mentioned, nothing is linked or loaded, no HTML, no heading, no marker of ours.
"""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
FOLDERS = (HERE / "templates", HERE.parent / "templates")  # in the wheel, in a checkout

# A zero-width space as an entity. GitHub finds mentions in the rendered text, where a backslash or `&#64;` is already gone.
GAP = "&#8203;"
ONE_BYTE = 0xFF

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_HIDDEN = r"\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # bidi, zero width
_UNSEEN = re.compile(f"[{_CONTROLS}{_HIDDEN}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKER = re.compile(r"<!--(?=\s*deeprepo)", re.IGNORECASE)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")  # a code span that somebody wrote, on one line

_ALWAYS = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")  # an underscore inside a word is no emphasis
_AT_START = re.compile(r"^(\s*)(#+|[-+=:>]|\d+(?=[.)]))", re.MULTILINE)
_ENTITY = re.compile(r"&(?=#?\w+;)")
_LIVE = re.compile(r"@(?=\w)|(?:#|\bGH-)(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)  # mentions, issues, links


def text(name: str, **values: object) -> str:
    """A template filled in; a value that it names and was not given is an error. The result is always valid UTF-8."""
    return encodable(_environment().get_template(name).render(**values))


def encodable(value: str) -> str:
    """The text with lone surrogates replaced, so that it can be written and sent."""
    return _SURROGATE.sub("\ufffd", value)


def visible(value: str) -> str:
    """Code as it should be shown: control, bidi and zero-width characters become escapes that a reader can see."""
    unified = encodable(value).replace("\r\n", "\n")
    return _UNSEEN.sub(lambda found: _escape(found[0]), unified)


def line(value: str) -> str:
    """Text on one line, without characters that cannot be seen."""
    return " ".join(_UNSEEN.sub("", _spaced(value)).split())


def plain(value: str) -> str:
    """Prose as Markdown that shows exactly these words. Code spans in it stay code; line breaks stay."""
    clean = _UNSEEN.sub("", _spaced(value))
    clean = "\n".join(row.strip() for row in clean.split("\n")).strip("\n")
    parts, at = [], 0
    for span in _SPAN.finditer(clean):
        parts += [_quiet(clean[at : span.start()]), code(span[2].strip())]
        at = span.end()
    return _AT_START.sub(_at_start, "".join([*parts, _quiet(clean[at:])]))


def code(value: str, *, cell: bool = False) -> str:
    """An inline code span that backticks in the text cannot end. `cell`: it stands in a table, where a bar ends the cell."""
    shown = _MARKER.sub("<! --", " ".join(visible(value).split()))
    if not shown:
        return ""
    if cell:
        shown = shown.replace("|", "\\|")
    ticks = "`" * (_longest_run(shown, "`") + 1 if "`" in shown else 1)
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fence(value: str, language: str = "") -> str:
    """A fenced block, its fence longer than any run of backticks inside."""
    shown = _MARKER.sub("<! --", visible(value)).strip("\n")
    ticks = "`" * max(3, _longest_run(shown, "`") + 1)
    return f"{ticks}{re.sub(r'[^A-Za-z0-9+#-]', '', language)}\n{shown}\n{ticks}"


def cut(value: str, length: int) -> str:
    """At most `length` characters of it, and how many are missing."""
    if len(value) <= length:
        return value
    return f"{value[:length].rstrip()}… ({len(value) - length:,} more characters)"


def rows(value: str, most: int) -> str:
    """At most `most` lines of it, and how many are missing."""
    lines = value.strip("\n").split("\n")
    return "\n".join(lines if len(lines) <= most else [*lines[:most], f"… ({len(lines) - most:,} more lines)"])


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 file", "2 files"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(  # noqa: S701 - Markdown and prompts: HTML escaping would garble them, `plain` is the guard
        loader=FileSystemLoader(FOLDERS),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        code=code, fence=fence, plain=plain, line=line, cut=cut, rows=rows, count=count, visible=visible
    )
    return made


def _spaced(value: str) -> str:
    """Line and paragraph separators of every kind as line feeds, so that words do not run together."""
    return re.sub("\r\n?|[\v\f\x85\u2028\u2029]", "\n", encodable(value))


def _escape(character: str) -> str:
    point = ord(character)
    return f"\\x{point:02x}" if point <= ONE_BYTE else f"\\u{{{point:x}}}"


def _quiet(words: str) -> str:
    """Words outside of code: every character that Markdown or GitHub would act on is disarmed."""
    words = _ALWAYS.sub(r"\\\g<0>", words)
    words = _ENTITY.sub("&amp;", words).replace("<", "&lt;")
    return _LIVE.sub(lambda found: found[0] + GAP, words)


def _at_start(found: re.Match[str]) -> str:
    """A list, heading, quote or rule at the start of a line becomes words."""
    mark = found[2]
    return f"{found[1]}{mark}\\" if mark.isdigit() else f"{found[1]}\\{mark}"


def _longest_run(value: str, character: str) -> int:
    return max((len(run) for run in re.findall(f"{re.escape(character)}+", value)), default=0)
