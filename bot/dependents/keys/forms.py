"""What a line does with a key: whether it sets it, announces it, or says it; and where a word is one of the program's own names."""

import posixpath
import re
from collections.abc import Collection

from bot.dependents.byname import suffix
from bot.dependents.keys.routes import declares
from bot.dependents.keys.words import NAME, PLAIN, as_written, is_distinctive, is_route
from bot.dependents.literals import shorthands
from bot.dependents.sites import telling
from bot.text.filetypes import FileType, filetype
from bot.text.lines import defines, is_comment, says
from bot.text.paths import decides_nothing, is_prose, is_settings, is_test, uses_nothing

SCHEMA = re.compile(r"\.(sql|proto|graphql|gql|prisma|avsc|thrift)$", re.IGNORECASE)
LOADS = re.compile(
    r"^[^\w\"'`]*(?:import|require(?:_once|_relative)?|from|include(?:_once)?|use|using|package|export\s+\*)\b(?!\s*[:=])"
    r"|\brequire\(|\bimport\("
)
TERRAFORM, PRISMA = ".tf", ".prisma"
SHELL_SCRIPTS = frozenset({".sh", ".bash", ".zsh", ".ksh", ""})
SETS, SAYS = "sets", "says"  # what a line does with a key
SETTING = 6  # letters of a key that settings lose
SNAKE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
UPPER = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)+")
# How a line writes a key; NAME stands for it.
ALONE = r"(?<![\w$])(?<!\w-)NAME(?![\w$])(?!-\w)"
SETTING_KEY = r"^\s*+(?:-\s++)?(?:(?:export|ENV|ARG|set)\s++)?[\"']?NAME[\"']?\s*+[:=]"
TEXT_KEY = r"[\"'`]NAME[\"'`]\s*+(?:=>|:(?!:)|\]\s*+=(?![=>]))"
GIVEN = rf"{TEXT_KEY}|(?:\.|->|::)NAME\s*+=(?![=>~])"
# A call that hands a value on under a name: `addAttribute("total", t)`, `->with("total", $t)`.
HANDED = r"(?:\.|->|::)\w{0,40}(?:[wW]ith|[sS]et|[pP]ut|[aA]dd|[aA]ssign|[sS]hare|[aA]ttribute)\w{0,40}\(\s*+[\"']NAME[\"']\s*+,"
LITERAL = r"(?<![\w.$?(-])NAME\??\s*+:(?![:=])"  # behind a bracket it is a parameter
ARGUMENT = r"(?<![\w.])NAME=(?!=)"
LITERAL_KEY = r"(?<![\w.$?(-])NAME\s*+:(?![:=])"
CLASS_NAMES = re.compile(r"(?<!\w)class(?:Name)?=[\"'][^\"'\n]*+")  # of a stylesheet, which may hold colons
VALUE = r"(?:[:-]\s++|=\s*+)NAME\s*+(?:#|$)"  # without quotes
EXACT = r"[\"'`]NAME[\"'`]"
WITHIN = rf"([\"'`])(?:(?!\1).){{0,400}}?{ALONE}"
CALLED = r"(?<![\w$])NAME\s*+\("
_BLOCKS = ('"""', "'''")  # of texts of several lines
TEXTS = re.compile(r"""\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?""")
ROUTE_WITHIN = r"([\"'`])(?:(?!\1).){0,400}?NAME(?![\w$])(?!-\w)"
MEMBER = r"(?:\.|->|::)NAME(?![\w$])(?!\s*+\()"
SHELL = r"\$\{?NAME\b"
SYMBOL = r"(?<![\w:]):NAME\b"
TAG = r"`[^`]{0,400}?\b\w{1,40}:\\?\"(?:[^\"`]{0,200}[,;:])?NAME[\";,\\]"
ANNOTATION = r"^\s*+(?:@[\w.]{1,80}\s*+\(|\[\w{1,80}\(|#\[)[^\n]{0,200}?[\"']NAME[\"']"
CALLED_SO = r"\b\w{0,40}(?:name|id|key|alias|slug|dest)\s*+[:=]\s*+[\"']NAME[\"']"
MACRO = r"^\s*+[a-z]\w*+(?:\.\w++)?[ (]\s*+(?::NAME\b|[\"']NAME[\"'])"
MACRO_LIST = r"^\s*+[a-z]\w*+[ (]\s*+:\w++,\s[^\n]{0,300}?(?<![:\w]):NAME\b"
TAKEN_APART = r"[{,]\s*+NAME\s*+[,}=]"
# How a file that is tied to the one which sets a key reads it; `__` ends the name of a field in a query of Django.
READ_TEXT = r"[\"'`]-?NAME(?:__\w{1,80})?[\"'`]"
READ_MEMBER = r"(?:\.|->|::)NAME(?![\w$])"
READ_KEYWORD = r"(?<![\w.])NAME(?:__\w{1,80})?\s*+=(?![=>])"
READ_PLACEHOLDER = r"(?:\{\{|\{%|<%|\$\{|\{)[^\n]{0,200}?(?<![\w$-])NAME(?![\w$-])"
READ_COMMAND = r"(?:^|[;&|({`]|\b(?:then|do|else|if|while|!))\s*+NAME(?![\w=(-])"
BY_NAME = r"(?<![\w.$?])NAME(?:=(?![=\s])|:(?![:=])\s)"  # an argument that is handed over by its name
PHP_PAGE = re.compile(r"\.(?:blade\.php|phtml)$|(?:^|/)(?:views|templates)/[^\n]*\.php$")
PAGE_VALUE = r"\$NAME(?![\w$])(?!\s*+=(?!=))"  # in a page of PHP: a variable that its caller sets
SLOT = r"(?:v-slot:|<\w[\w-]{0,80}\s[^>\n]{0,200}#)NAME(?![\w-])"  # what a component of Vue leaves open for its user to fill
STANDS_FOR = "\u01c2"  # a letter that no name holds
MANNER = re.compile(rf"([\w$.]{{0,40}}[ \t]{{0,2}}[^\w\s]{{0,3}})(?<![\w$]){STANDS_FOR}(?![\w$])([^\w\s]?)")
PASSES = (
    r"render|context|template|\bdict\(|update\(|format\(|params|kwargs"  # a line that hands values on by their names
)
PASSED = re.compile(rf"{PASSES}|extra")


def form_in_tree(word: str, path: str, text: str, suffixes: Collection[str]) -> str:
    """What a line of a tree does with a key; "" if it is prose, a test, a comment or the path of a module."""
    if uses_nothing(path) or is_comment(text, path) or (is_route(word) and LOADS.search(text)):
        return ""
    code = as_written(word, text)
    if _chain(word) and suffix(path) not in suffixes and _is_value(word, path, CLASS_NAMES.sub("", code)):
        return SAYS
    return form(word, path, code, is_parsed=suffix(path) in suffixes) if word in code else ""


def _is_value(word: str, path: str, code: str) -> bool:
    """Whether a joined word is a whole text of a file that is no code, or a value of settings."""
    return says(EXACT, word, code) or (is_settings(path) and says(VALUE, word, code))


def is_code(path: str, suffixes: Collection[str]) -> bool:
    """Whether a language's parser reads the file."""
    return suffix(path) in suffixes


def reading_forms(setter: str, reader: str, suffixes: Collection[str]) -> tuple[str, ...]:
    """How a file may read a key that another one sets."""
    is_parsed, kind = is_code(reader, suffixes), filetype(setter)
    if not is_code(setter, suffixes) and posixpath.splitext(setter)[1].lower() in SHELL_SCRIPTS:
        return () if is_parsed else (READ_COMMAND,)
    if reader.endswith(TERRAFORM):
        return (READ_MEMBER,) if setter.endswith(TERRAFORM) else ()
    if not is_parsed:
        return () if is_settings(reader) else (READ_PLACEHOLDER,)
    member = READ_MEMBER if kind.family == "web" else MEMBER
    forms = (READ_TEXT, READ_KEYWORD if kind.parser == "python" else member, *filetype(reader).key_readers)
    return (*forms, LITERAL_KEY) if setter.endswith(PRISMA) else forms


def form(word: str, path: str, code: str, *, is_parsed: bool, whole: bool = False) -> str:
    """Tell how a line uses a key: whether it sets, declares or mentions it; "" if the word is one of the program's own names there.

    `whole`: a longer text that has the word does not say it.
    """
    if not is_parsed:
        return SETS if SCHEMA.search(path) or says(SETTING_KEY, word, code) else "" if _chain(word) else SAYS
    kind = filetype(path)
    if _sets(word, kind, code):
        return SETS
    is_template = kind.family == "web" and kind.grammar is None  # code with a page around it
    is_of_page = (PHP_PAGE.search(path) is not None and says(PAGE_VALUE, word, code)) or (
        is_template and says(SLOT, word, code)
    )
    return SAYS if is_of_page or _says(word, kind, code, whole=whole) else ""


def removed_form(word: str, path: str, code: str, *, is_parsed: bool) -> str:
    """The same for a line that goes; a short word is a key only if it is written as one."""
    is_value = not is_parsed and _chain(word) and _is_value(word, path, CLASS_NAMES.sub("", code))
    what = form(word, path, code, is_parsed=is_parsed) or (SAYS if UPPER.fullmatch(word) or is_value else "")
    return what if len(word) >= PLAIN or what == SETS or says(EXACT, word, code) else ""


def _sets(word: str, language: FileType, code: str) -> bool:
    """Whether code writes the key with a value: in a literal, through an index, to a member, or to a template."""
    if is_route(word):
        return declares(word, code)
    literal = language.literal_keys and says(LITERAL, word, code)
    is_given = (
        says(GIVEN, word, code)
        or says(HANDED, word, code)
        or literal
        or (bool(PASSED.search(code)) and says(ARGUMENT, word, code))
    )
    return is_given or (language.family == "web" and "{" in code and word in shorthands(code).gives)


def _says(word: str, language: FileType, code: str, *, whole: bool) -> bool:
    """Whether code says the key as a text, as a member, as a symbol, or as the name of data in the style of another language."""
    distinctive = is_distinctive(word)
    looks = [EXACT]
    if _chain(word):
        return says(EXACT, word, CLASS_NAMES.sub("", code))
    if is_route(word):
        looks.append(ROUTE_WITHIN)
    elif distinctive and not whole and says(WITHIN, word, code) and not _is_call(word, code):
        return True
    if distinctive:
        looks.append(MEMBER)
    if UPPER.fullmatch(word):
        looks.append(SHELL)
    if language.symbols:
        looks.append(SYMBOL)
    if language.camel_case and distinctive:
        looks.append(ALONE if SNAKE.fullmatch(word) else TAKEN_APART)
    return any(says(look, word, code) for look in looks)


def _is_call(word: str, code: str) -> bool:
    """Whether a line calls a function of this name and has the word in no text: what stands behind a quote may stand behind a closed text."""
    return says(CALLED, word, code) and not any(says(ALONE, word, text) for text in TEXTS.findall(code))


def _chain(word: str) -> bool:
    """Whether it may be members of members, each of which is a key by itself, or a name and its value."""
    return ("." in word or ":" in word) and "/" not in word


def gives(word: str, path: str, text: str) -> bool:
    """Whether a line announces or defines a name, so that other lines with the name may mean this one."""
    return not (is_prose(path) or is_test(path) or is_comment(text, path)) and (
        announces(word, path, text) or defines(text, word, path)
    )


def announces(word: str, path: str, code: str) -> bool:
    """Whether a line of code gives others a name by a text or a symbol: in a field's tag, an annotation, a macro of a class, or called `name`."""
    look = [TAG, ANNOTATION, CALLED_SO, *((MACRO, MACRO_LIST) if filetype(path).symbols else ())]
    return any(says(one, word, code) for one in look)


def is_key_like(name: str, code: str) -> bool:
    """Whether a line writes a word as a key, and not as a word of a text."""
    return any(says(look, name, code) for look in (EXACT, GIVEN, LITERAL, SETTING_KEY, SHELL))


def declares_setting(path: str, word: str) -> bool:
    """Whether a file of settings or a schema declares a word, if a line of it looks so."""
    if SCHEMA.search(path):
        return telling(word)
    key = is_settings(path) and len(word) >= SETTING and bool(NAME.fullmatch(word))
    return key and (is_distinctive(word) or decides_nothing(path) != "CI")


def manners_of(word: str, code: str) -> frozenset[str]:
    """How a line writes a word: the characters before it, and the one after it."""
    return frozenset("".join(match.groups()) for match in MANNER.finditer(code.replace(word, STANDS_FOR)))


def says_in_text(name: str, number: int, source: str) -> bool:
    """Whether a line has a name in a text. `number`: of the line, from 1."""
    lines = source.split("\n")
    line = lines[number - 1]
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    if any(word.search(part) for part in TEXTS.findall(line)):
        return True
    above = "\n".join(lines[: number - 1])
    return any(
        (above.count(block) + line[: match.start()].count(block)) % 2 == 1
        for block in _BLOCKS
        for match in word.finditer(line)
    )
