"""Collect the names in changed lines that unchanged code may read.

A name is an identifier, a short string ("assert-no-changes") or a dotted key. Each gets a weight. Removed and
assigned names weigh most, because their readers are the ones that break. Pure functions.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from bot.values import DiffRow, Unit
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.text.lines import defined_names, is_comment, special

Row = tuple[str, int, str]  # path, line, text
IDENTIFIER, STRING, DOTTED = 1.0, 1.5, 1.5
WORD = 0.25  # weight of a single plain word, which can have many meanings
GONE_BONUS, WRITTEN = 2.0, 1.0  # bonuses: if no added line has the name, and if the line assigns it
MIN_SEARCHED_LETTERS = 3  # minimum letters of a name worth a search
PLAIN = 5  # letters; a shorter lowercase word is too ambiguous

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
# A key in a properties or YAML file. JavaScript's module.exports doesn't count, because every file has it.
_KEY = re.compile(
    r"\s*+((?!self\.|this\.|cls\.|module\.exports\b|exports\.)(?=[\w-]*[.-][A-Za-z_])[A-Za-z_][\w-]*+(?:\.[A-Za-z_][\w-]*+)*+)\s*+[=:](?!=)"
)
_QUOTED = re.compile(r"\"([^\"\n]{3,60})\"|'([^'\n]{3,60})'|`([^`\n]{3,60})`")
_ARGUMENT = re.compile(r"\w=(?:\"([a-z]+)\"|'([a-z]+)')")
# A string that is a key, path, route or flag, but no prose, version or file suffix.
_KEYLIKE = re.compile(r"(?!v?\d+(?:\.\d+)+|\.\w{1,5}$)[\w$@/.:-]+(?<![.:])$")
# The last form is for Go. An imported library or relative path is not a key: others import the library too,
# and a relative path refers to different files.
IMPORT = re.compile(
    r"^(?:\s*+(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#include|.*\brequire\([\"']|(?:export\b|\}).*\bfrom\s+[\"'])|\t(?:[\w.]+ )?\"[\w.-]+/[\w./-]+\"$)"
)
_MARKED = re.compile(r"`([A-Za-z_][\w$.]{2,80})`")
_TRIPLE, _BLOCK = re.compile(r"(\"\"\"|''')"), re.compile(r"^\s*(/\*)")
_DERIVED = re.compile(r"\s*+#!?\[derive\b")  # it names library traits, which every file uses
_WRITE = re.compile(
    r"(?<![\w$])([A-Za-z_$][\w$]*+)[\"'\])]*+\s*+(?::[^=:]{0,40})?(?:[-+|&^*/%]|<<|>>|\|\||&&|\?\?)?=(?![=>~])"
    r"|[\"']?(?<![\w$])([A-Za-z_$][\w$-]{0,200}+)[\"']?\s*+:(?!:)"
)
COMMON = frozenset(
    """
    abstract and array as assert async await bool boolean break byte case catch char class const continue default def del delete
    dict do double elif else enum error except export extends extern false final finally float fn for from func function global
    goto if impl implements import in include instanceof int interface internal is lambda let list long loop main map match
    mod module move mut namespace native new nil none not null number object of operator option optional or override package
    pass print private protected pub public raise readonly ref register require result return self set short signed sizeof
    some static str string struct sub super switch template this throw throws trait true try type typedef typeof undefined
    union unsafe unsigned use using usize value values var vec virtual void volatile when where while with yield
    args kwargs name names path file files data item items index key keys text line lines node size length count start end
    init test tests expect describe todo note param returns example context config options params props state
    add get put pop append push insert remove update clear copy format join split strip replace find filter sort reverse
    len range max min sum any all abs open close read write run call apply bind then exists contains equals hash
    """.split()  # noqa: SIM905 - a list of words reads better than 200 quoted ones
)


def names(units: Iterable[Unit]) -> dict[str, float]:
    """Return the names in the changed lines of these regions, with their weights."""
    sides: dict[str, dict[str, float]] = {"+": defaultdict(float), "-": defaultdict(float)}
    for unit in units:
        for diff_row, is_text in classify_rows(unit):
            if diff_row.sign not in sides or _DERIVED.match(diff_row.text):
                continue
            for name, weight in (
                ((name, IDENTIFIER) for name in in_prose(diff_row.text)) if is_text else _of_line(diff_row.text)
            ):
                sides[diff_row.sign][name] = max(sides[diff_row.sign][name], weight)
    weights = dict(sides["+"])
    for name, weight in sides["-"].items():
        gone_weight = 0.0 if name in sides["+"] else GONE_BONUS * WORD if plain(name) else GONE_BONUS
        weights[name] = max(weights.get(name, 0.0), weight + gone_weight)
    return {name: weight for name, weight in weights.items() if telling(name)}


def stored_keys(line: str, of: str) -> frozenset[str]:
    """Return the keys and fields in which a line stores the value of a name, without local variables."""
    return frozenset(next(filter(None, groups)) for groups in _store_pattern(of).findall(line)) - COMMON


@lru_cache(maxsize=256)
def _store_pattern(of: str) -> re.Pattern[str]:
    value = rf"(?=[^,;\n]{{0,80}}(?<![\w$]){re.escape(of)}(?![\w$]))"
    return re.compile(
        rf"[\"']([\w$-]{{3,}})[\"']\s*(?::|\]\s*=(?!=)|=>){value}|(?:(?:self|this)(?:\.|->)|(?<![\w$@])@)([\w$]{{3,}})\s*=(?!=){value}"
        rf"|(?:^|[{{(,])\s*([\w$]{{3,}})\s*:(?!:){value}"
    )


def assigned_names(line: str) -> frozenset[str]:
    """Return the names that a line assigns or defines."""
    return frozenset(one or two for one, two in _WRITE.findall(line)) | frozenset(defined_names(line))


def dotted_key(line: str) -> list[str]:
    """Return the key at the beginning of a line in a properties or YAML file."""
    key = _KEY.match(line)
    return [key[1]] if key else []


def words(line: str) -> frozenset[str]:
    """Return every identifier in a line."""
    return frozenset(_IDENTIFIER.findall(line))


def classify_rows(unit: Unit) -> list[tuple[DiffRow, bool]]:
    """Return a region's rows, each with whether it is prose: part of a comment or docstring."""
    rows_with_kind: list[tuple[DiffRow, bool]] = []
    python = filetype(unit.path).docstrings
    # By side: the end of the current multi-line text, and whether it is prose
    inside: dict[str, tuple[str, bool]] = {}
    for diff_row in unit.rows:
        is_text = is_comment(diff_row.text, unit.path)
        for side in diff_row.sign if diff_row.sign in ("+", "-") else "+-":
            end, prose = inside.get(side, ("", False))
            opening = (_TRIPLE if python else _BLOCK).search(diff_row.text) if not end else None
            if opening:
                end = opening[1] if python else "*/"
                prose = not diff_row.text[: opening.start(1)].strip(" \trbuRBU")
            is_text |= bool(end) and prose
            is_end = end and end in diff_row.text[opening.end() if opening else 0 :]
            inside[side] = ("", False) if is_end else (end, prose)
        rows_with_kind.append((diff_row, is_text))
    return rows_with_kind


def in_prose(line: str) -> list[str]:
    """Return the names marked as code in a comment or docstring, such as `orders.total`."""
    return [name for text in _MARKED.findall(line) for name in text.split(".") if not plain(name)]


def string_names(line: str) -> list[str]:
    """Return the strings in a line that are a key, label, path or route."""
    texts = (next(group for group in groups if group) for groups in _QUOTED.findall(line))
    return [text for text in texts if _KEYLIKE.match(text)]


def literals(line: str) -> list[str]:
    """Return the strings in a line that other code may read.

    Modules, and plain words given to a named argument or attribute, are left out.
    """
    if IMPORT.match(line):
        return []
    argument_names = {one or two for one, two in _ARGUMENT.findall(line)}
    return [text for text in string_names(line) if text not in argument_names]


def without_labels(line: str) -> str:
    """Return a line without plain words given to a named argument or attribute."""
    return _ARGUMENT.sub("", line)


def plain(name: str) -> bool:
    """Return whether a name is one lowercase word, and so ambiguous. A leading `$` or `--` is ignored."""
    word = name.removeprefix("$").removeprefix("--")
    return word.isalpha() and word.islower()


def single(name: str) -> bool:
    """Return whether a name is one word in any case.

    Such a name is only reliable in the same folder or as a string.
    """
    return plain(name) or bool(re.fullmatch(r"[A-Z](?:[a-z]+|[A-Z]+)", name))


def telling(name: str) -> bool:
    """Return whether a name is worth a search. Keywords, very common words and special methods are not."""
    if len(name) < MIN_SEARCHED_LETTERS or name.lower() in COMMON or special(name):
        return False
    return len(name) >= PLAIN or not name.isalpha() or not name.islower()


def _of_line(line: str) -> Iterable[tuple[str, float]]:
    written_names = {one or two for one, two in _WRITE.findall(line)}
    for word in _IDENTIFIER.findall(line):
        yield word, WORD if plain(word) else IDENTIFIER + (WRITTEN if word in written_names else 0.0)
    for key in dotted_key(line):
        yield key, DOTTED + WRITTEN
    for text in literals(line):
        yield text, STRING * (0.5 if plain(text) else 1.0) + (WRITTEN if text in written_names else 0.0)
