"""Recognize lines that define or use a name that no syntax connects.

A removed word is missed if its last definition was removed and another line still uses it. A line that only
contains the word misses nothing.
"""

import re
from functools import lru_cache
from posixpath import basename
from typing import Literal

from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import rules_of
from deeprepo.impact.text.lines import binds, defines
from deeprepo.impact.text.paths import is_page, is_settings, is_style

SCHEMA = re.compile(r"\.(?:sql|prisma|proto|graphqls?|gql)$")
# A package's name in a manifest is used by imports, which their language resolves.
_MANIFEST = re.compile(
    r"(?:^|/)(?:package|composer|deno|bower)\.jsonc?$|(?:^|/)(?:Cargo|pyproject|libs\.versions)\.toml$|(?:^|/)(?:pubspec\.yaml|Pipfile|mix\.exs|pom\.xml)$"
)
Given = Literal["", "code", "data", "entry"]
_STANDS_FOR = "\u01c2"  # a letter that occurs in no name, so that one pattern works for every word
_KEY = re.compile(rf"^\s*+(?:-\s++)?(?:export\s++)?[\"']?{_STANDS_FOR}[\"']?\s*+(?:[:=]|\([^)\n]*\)\s*+:)")
# A field of a table, a model, a message: `total_cents Int`, `"total_cents" INTEGER`, `int64 total_cents =
# 2;`.
_FIELD = re.compile(rf"^\s*+[\"`\[]?{_STANDS_FOR}[\"`\]]?\s++[\w\[]|\b{_STANDS_FOR}\s*+=\s*+\d++\s*+[;\[]")
# How code names a key: by a tag, an attribute, an argument. What an attribute suppresses is the name of a check.
_TAG = re.compile(
    rf"`[^`\n]{{0,300}}\b\w{{1,30}}:\"{_STANDS_FOR}[\",]|\b(?:alias|name|rename|key|value|by_name)\s*+[=(]\s*+[\"']{_STANDS_FOR}[\"']"
    rf"|^\s*+[@#\[](?!Suppress)[^\n]{{0,200}}[\"']{_STANDS_FOR}[\"']"
)
# A dictionary entry or named argument, from which data or code may be made. It follows a bracket, a comma or
# nothing, since `case "total":` and `x ? "total" : y` use the word.
_ENTRY = re.compile(
    rf"(?:^|[{{\[(,])\s*+[\"']{_STANDS_FOR}[\"']\s*+:|(?<![\w:]):{_STANDS_FOR}\s*+=>|[(,]\s*+{_STANDS_FOR}\s*+(?:=(?![=>~])|:)"
)
_ARROW = re.compile(rf"(?:^|[{{\[(,])\s*+[\"']{_STANDS_FOR}[\"']\s*+=>")
# A pattern takes an entry apart: `%{"total" => sum} = params`, `["total" => $sum] = $row`, `def show(%{"total" => sum}) do`.
_TAKEN_APART = re.compile(
    rf"{_STANDS_FOR}[\"']\s*+=>[^\n]{{0,200}}?[}}\])]\s*+(?:<-|=(?![=>~]))"
    rf"|^\s*+(?:defp?|defmacrop?)\s[^\n]{{0,200}}{_STANDS_FOR}[\"']\s*+=>"
    rf"|^[^\n]{{0,200}}%\w*+\{{[^\n]{{0,200}}{_STANDS_FOR}[\"']\s*+=>[^\n]{{0,200}}\s->(?:\s|$)"
)
# `row["total"] = 3`, `page.with("total", 3)`
_STORED = re.compile(
    rf"\[[\"']{_STANDS_FOR}[\"']\]\s*+=(?![=>~])|(?:\.|->)(?:with|set|put|assign|share)\(\s*+[\"']{_STANDS_FOR}[\"']\s*+,"
)
_SET = re.compile(rf"(?:(?<![\w.])(?:self|this|cls)(?:\.|->)|@){_STANDS_FOR}\s*+(?::[^=\n]{{1,80}})?=(?![=>~])")
_MEMBER = re.compile(rf"(?:(?<!\.)\.|->|::|\?\.){_STANDS_FOR}(?![\w$])(?!\s*+=(?![=>~]))")
_RECEIVER = re.compile(rf"(?<![\w$])([\w$]++)(?:\.|->|::|\?\.){_STANDS_FOR}(?![\w$])")
_OWN = frozenset({"self", "Self", "this", "cls", "super", "it", "static"})
_VALUE = re.compile(rf"{_MEMBER.pattern}(?!\s*+\()")
# After a type, the name is declared: `static int total(Order order)`.
_CALL = re.compile(
    rf"(?:(?<![\w.:>@$&\"'`])(?<![\w\]>?*&][ \t])|\b(?:return|await|yield|throw|and|or|not|in|if|do|then|else|when|case)[ \t])"
    rf"{_STANDS_FOR}\("
)
# Also what a line of a class passes on without brackets: `before_action :total`
_TEXT = re.compile(
    rf"[(\[,]\s*+(?:([\"'`]){_STANDS_FOR}\1(?!\s*+(?::|=>))|:{_STANDS_FOR}(?![\w:]))|^\s++[a-z_]++\s++:{_STANDS_FOR}(?![\w:])"
)
_PATH = re.compile(rf"[\"'`][\w.]{{0,100}}[.:#@]{_STANDS_FOR}[\"'`]")  # "shop.tasks.send_mail", "orders#show"
# What data files write before a name in code: its class, module or package. `<activity name=".Cart">` leaves it out.
_QUALIFIED = re.compile(rf"(?<!\w)(?:(\w++)(?:[.#@:]|::|\\{{1,2}})|(?<=[\"'])\.){_STANDS_FOR}(?![\w$-])")
_WHOLE = re.compile(rf"[\"'>]{_STANDS_FOR}[\"'<]")
_OWNED = re.compile(rf"[\"'`](?:\w{{1,60}}::){{0,4}}(\w{{1,60}})::{_STANDS_FOR}(?![\w$])")
_WORDS = re.compile(r"[A-Za-z0-9_]+")
_WORD_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_ON_PAGE = re.compile(rf"\{{[{{%][^}}\n]{{0,200}}?(?<![\w-]){_STANDS_FOR}(?![\w-])")
# Code in a template: `<%= total_of(order) %>`. An expression on a page: `th:text="#{order.total}"`.
_IN_TEMPLATE = re.compile(rf"<%(?:(?!%>)[^\n]){{0,200}}?(?<![\w-]){_STANDS_FOR}(?![\w-])")
_EXPRESSION = re.compile(rf"[#$*]\{{[^}}\n]{{0,200}}?(?<![\w-]){_STANDS_FOR}(?![\w-])")
_WITH_EXPRESSIONS = re.compile(r"\.(?:x?html?|jspx?|tagx?|ftlh?|vm)$")
_ALONE = re.compile(
    rf"^\s*+(?:\w++\s*+=\s*+|=\s*+|return\s++)?+{_STANDS_FOR}(?:\(|\s++[:\"'@])"
)  # in a tag of several lines
_BRACES = re.compile(rf"=?\{{(?!\{{)[^}}\n]{{0,200}}?(?<![\w-]){_STANDS_FOR}(?![\w-])")
# A page's code, but not its route.
_RAZOR = re.compile(rf"(?<![\w@])@(?!page\s)[\w(][^<\n]{{0,200}}?(?<![\w-]){_STANDS_FOR}(?![\w-])")


def is_data(path: str) -> bool:
    """Return whether a file contains names with values or types, and no code."""
    return is_settings(path) or SCHEMA.search(path) is not None


def gives(word: str, path: str, text: str) -> Given:
    """Return how a line defines a word: in code, or in data as a key, field or tag; "" if it does not."""
    if is_page(path) or is_style(path) or _MANIFEST.search(path):
        return ""
    line = _with(word, text)
    if is_data(path):
        return "data" if _KEY.search(line) or (SCHEMA.search(path) and _FIELD.search(line)) else ""
    is_entry = filetype(path).arrow_entries and _ARROW.search(line) is not None
    if is_entry and _TAKEN_APART.search(line):
        return ""
    if _TAG.search(line):
        return "data"
    if is_entry or _ENTRY.search(line) or _STORED.search(line):
        return "entry"
    return "code" if binds(text, word) or defines(text, word, path) or _SET.search(line) else ""


def is_id(word: str, text: str) -> bool:
    """Return whether a word is the id of an element, which a script may build: `id="total"`."""
    return re.search(rf"(?<![\w-])id\s*=\s*\\?[\"'`]{re.escape(word)}\\?[\"'`]", text) is not None


def asks(
    word: str,
    path: str,
    text: str,
    *,
    is_function: bool = False,
    members: bool = True,
    methods: bool = True,
    strings: bool = True,
    home: str = "",
) -> bool:
    """Return whether a line of code or of a page uses a word, as a member or as a whole string.

    Data use it if they name its class, module or package too. `home`: the key of its definition.

    `is_function`: the word was a function's name, which not every language can call by a string. `members`:
    False if members of this name belong to something else. `methods`: False if methods of this name do.
    `strings`: False if strings do, such as the key of a translation.
    """
    line = _with(word, text)
    if is_settings(path):
        return _names_owner(line, path, home)
    if is_page(path) or not filetype(path).folder:
        forms = [_ON_PAGE, _IN_TEMPLATE]
        forms += [_EXPRESSION] if _WITH_EXPRESSIONS.search(path) else []
        forms += [_BRACES] if path.endswith((".heex", ".xaml", ".axaml")) else []
        forms += [_RAZOR] if path.endswith((".cshtml", ".razor")) else []
        forms += [_ALONE] if is_function else []
        return not (is_data(path) or is_style(path)) and any(form.search(line) for form in forms)
    member = _MEMBER if methods else _VALUE
    is_taken = any(form.search(line) for form in ((member, _ON_PAGE) if members else (_ON_PAGE,)))
    if is_taken or not strings or (is_function and rules_of(path).static_calls):
        return is_taken
    # "page:view" is all of a name, and not a part of "swup:page:view"
    forms = [_TEXT] if "." in word or ":" in word else [_TEXT, _PATH]
    return any(form.search(line) for form in forms) and not gives(word, path, text)


def _names_owner(line: str, path: str, home: str) -> bool:
    """Return whether a line of data has the word behind a part of its definition's key, or in a file named after that."""
    if not home:
        return False
    owner = {part.lower() for part in _WORD_PART.findall(home)}
    stem = basename(path).partition(".")[0]
    return any(
        {part.lower() for part in _WORD_PART.findall(found[1] or "")} <= owner for found in _QUALIFIED.finditer(line)
    ) or (_WHOLE.search(line) is not None and stem in _WORDS.findall(home))


def calls(word: str, path: str, text: str) -> bool:
    """Return whether a line calls a function by its bare name: `total(3)`, not `order.total(3)`."""
    return _CALL.search(_with(word, text)) is not None and gives(word, path, text) != "code"


def receivers(word: str, text: str) -> set[str]:
    """Return the names on which a line reads a word: `settings` in `settings.LIMIT`; not `self`."""
    return {found[1] for found in _RECEIVER.finditer(_with(word, text))} - _OWN


def is_of_another(word: str, home: str, text: str) -> bool:
    """Return whether a quoted text names a word's class, and that class is not the one at home: `"Database::find"`."""
    owners = {found[1].lower() for found in _OWNED.finditer(_with(word, text))}
    return bool(owners) and owners.isdisjoint(map(str.lower, _WORDS.findall(home)))


@lru_cache(maxsize=64)
def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")


def _with(word: str, text: str) -> str:
    """Return a line with the word replaced by one letter."""
    return _word(word).sub(_STANDS_FOR, text)
