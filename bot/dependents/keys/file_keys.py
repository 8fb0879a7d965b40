"""The keys that a file sets, whatever holds them: literals, arguments, fields, settings, columns, functions of a shell."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from bot.dependents.byname import suffix
from bot.dependents.keys.definitions import comparison, lines_inside_texts, undefined_keys
from bot.dependents.keys.forms import (
    BY_NAME,
    HANDED,
    LITERAL_KEY,
    PASSES,
    PRISMA,
    SHELL_SCRIPTS,
    TERRAFORM,
    TEXT_KEY,
    is_code,
)
from bot.dependents.keys.settings_formats import UnreadableSettingsError, has_parser
from bot.dependents.literals import shorthands
from bot.text.filetypes import FileType, filetype
from bot.text.lines import code_of, is_comment, says
from bot.text.paths import decides_nothing, is_settings

LONG_LINE = 2_000
KEY_OF_PHP = r"[\"']NAME[\"']\s*+=>"
_NAME = r"[A-Za-z_$][\w$]*+"
_PAIR = re.compile(rf"\"({_NAME})\"\s*+,")
_TEXT_KEY = re.compile(TEXT_KEY.replace("NAME", f"({_NAME})"))
_LITERAL_KEY = re.compile(LITERAL_KEY.replace("NAME", f"({_NAME})"))
_HANDED = re.compile(HANDED.replace("NAME", f"({_NAME})"))
_TAKEN = re.compile(rf"(?:\[|\w\()\s*+(?:[\"']({_NAME})[\"']|:({_NAME}))\s*+[\]),]")
_OPTIONS = re.compile(
    rf"(?<![\w$.])({_NAME})\s*+(?::[^,=(){{}}]{{1,80}})?=\s*+\{{\s*+\}}\s*+[,)]"
    r"|(?<![\w$.])(\w{0,40}(?:[oO]ptions|[oO]pts|[cC]onfig|[sS]ettings))(?![\w$])"
)
_OPTION = re.compile(rf"(?<![\w$.])({_NAME})\s*+(?:\?\.|\.)\s*+({_NAME})(?!\s*+(?:\(|=(?![=>])))")
_APART = re.compile(rf"\{{([^{{}}]{{1,2000}}+)\}}\s*+=\s*+({_NAME})(?![\w$.(])")
_PATTERN_NAME = re.compile(rf"(?:^|,)\s*+({_NAME})")
_KEYWORDS = re.compile(r"\*\*\w")
_PASSED = re.compile(PASSES)
_ARGUMENT = re.compile(rf"(?<![\w.$])({_NAME})=(?!=)")
_FIELD = re.compile(rf"^[ \t]++({_NAME})\s*+(?::[^=\n]{{1,80}})?=\s*+(?:[a-z_]\w*+\.)*+[A-Z]\w*+\(")
_FUNCTION = re.compile(rf"^\s*+(?:function\s++)?({_NAME})\s*+\(\s*+\)\s*+(?:\{{|$)|^\s*+function\s++({_NAME})\s*+\{{?")
_SETTING = re.compile(rf"^\s*+(?:(?:export|ENV|ARG|local)\s++)?({_NAME})\s*+[:=](?![=:])")
_COLUMN = re.compile(rf"^\s++({_NAME})\s++[A-Z]\w*+[?\[\]]{{0,3}}(?:\s|$)")


def unset_keys(path: str, before: str, after: str, suffixes: Collection[str]) -> frozenset[str]:
    """Return the keys that a file set before the change and does not set after it."""
    if has_parser(path) or (is_settings(path) and not is_code(path, suffixes)):
        if decides_nothing(path) in ("CI", "vendored", "output"):
            return frozenset()
        try:
            return undefined_keys(*comparison(path, after, path, before))
        except UnreadableSettingsError:
            return frozenset()
    return set_keys(path, before, suffixes) - set_keys(path, after, suffixes)


def member_names(path: str, code: str) -> set[str]:
    """The members that a line gives a class by a call: `scope :recent`, `related_name="lines"`."""
    pattern = filetype(path).member_calls
    return set(re.findall(pattern, code)) if pattern else set()


def keyword_names(text: str, path: str) -> frozenset[str]:
    """The keys that code reads out of what it is handed by name: `options[:name]`, `kw.get("name")`. Of Python where it takes `**kw`."""
    if filetype(path).parser == "python" and not _KEYWORDS.search(text):
        return frozenset()
    lines = [code_of(line, path) for line in text.split("\n") if len(line) <= LONG_LINE and not is_comment(line, path)]
    return frozenset(name for line in lines for match in _TAKEN.finditer(line) for name in match.groups() if name)


def lost_keywords(path: str, before: str, after: str) -> frozenset[str]:
    """The keys that code read out of what it is handed by name, and reads no more."""
    here = {word for word in keyword_names(before, path) if not re.search(rf"\b{re.escape(word)}\b", after)}
    if filetype(path).family != "web":
        return frozenset(here)
    reads = _option_reads(after)
    kept_words = reads | shorthands(after).takes.keys()
    return frozenset(here | (_option_reads(before) - kept_words))


def handed_words(path: str, text: str, words: Collection[str]) -> Iterator[tuple[str, int]]:
    """Of the words those that a line hands a value over under, with it: `size=3`, `size: 3`, in PHP `'size' => 3`, in JavaScript `{ size }`."""
    given = shorthands(text).gives if words and filetype(path).family == "web" else {}
    forms = (BY_NAME, KEY_OF_PHP) if filetype(path).parser == "php" else (BY_NAME,)
    for number, line in enumerate(text.split("\n") if words else (), 1):
        code = "" if is_comment(line, path) else code_of(line[:LONG_LINE], path)
        for word in words:
            if word in code and (number in given.get(word, ()) or any(says(form, word, code) for form in forms)):
                yield word, number


def _option_reads(text: str) -> frozenset[str]:
    """The members that a script reads of a parameter which is called like options, or is an empty object where none is given."""
    names = {name for match in _OPTIONS.finditer(text) for name in match.groups() if name}
    reads = {match[2] for match in _OPTION.finditer(text) if match[1] in names}
    patterns = (match[1] for match in _APART.finditer(text) if match[2] in names)
    return frozenset(reads | {name for pattern in patterns for name in _PATTERN_NAME.findall(pattern)})


def taken_apart(path: str, code: str) -> str:
    """What a line takes apart by patterns that look like literals: it reads the keys and sets none."""
    pattern = filetype(path).key_patterns
    return " ".join(re.findall(pattern, code)) if pattern else ""


@cache
def _setters(kind: FileType) -> tuple[re.Pattern[str], ...]:
    own = (re.compile(form.replace("NAME", f"({_NAME})")) for form in kind.key_setters)
    return (_TEXT_KEY, _HANDED, *([_LITERAL_KEY] if kind.literal_keys else []), *own)


def set_keys(path: str, text: str, suffixes: Collection[str]) -> frozenset[str]:
    """The keys that a file sets, whatever holds them."""
    kind, is_parsed = filetype(path), is_code(path, suffixes)
    ending = suffix(path)
    looks: Sequence[re.Pattern[str]] = _setters(kind)
    if not is_parsed:
        looks = [_COLUMN] if ending == PRISMA else [_SETTING] if ending == TERRAFORM else [_FUNCTION]
        if ending not in (PRISMA, TERRAFORM, *SHELL_SCRIPTS):
            return frozenset()
    words: dict[str, set[int]] = defaultdict(set)
    hidden_lines, depth = lines_inside_texts(text), 0  # of the brackets of a call that hands values on
    pairs_depth = 0  # of those of a call that takes keys and values in turn
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONG_LINE or number in hidden_lines or is_comment(line, path):
            continue
        code = code_of(line, path)
        given = re.sub(kind.key_patterns, " ", code) if kind.key_patterns else code
        here = {name for look in looks for match in look.finditer(given) for name in match.groups() if name}
        if kind.key_pairs and (pairs_depth or re.search(kind.key_pairs, code)):
            here.update(_PAIR.findall(code))
            pairs_depth = max(0, pairs_depth + code.count("(") - code.count(")"))
        is_passed = depth > 0 or _PASSED.search(code) is not None
        depth = max(0, depth + code.count("(") - code.count(")")) if is_passed else 0
        if is_parsed and "=" in code:
            here.update(_ARGUMENT.findall(code) if is_passed else ())
            here.update(_FIELD.findall(code) if kind.parser == "python" else ())
        here |= member_names(path, code)
        for name in here:
            words[name].add(number)
    if kind.family != "web":
        return frozenset(words)
    braces = shorthands(text)  # `{ a: x } = b` takes what it writes like a key
    set_words = {name for name, numbers in words.items() if not numbers <= set(braces.takes.get(name, ()))}
    return frozenset(set_words | braces.gives.keys())
