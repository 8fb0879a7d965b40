"""The definitions that changed lines call, found by name and by what the caller's file imports. Pure.

Whether a call must be awaited, and in which order its arguments stand, only the callee's first line says; it costs some twenty
tokens. A name with many definitions says nothing: the one that the file imports, or is beside, is meant, or none is shown.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.review.context import identifiers
from bot.review.context.identifiers import Row
from bot.values import Unit
from deeprepo.impact.everyday import METHODS
from deeprepo.impact.filetypes import family, filetype, filetypes
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_product, vendored_folder

MAX_CALLED = 600  # names looked up for one review, the riskiest units' first
MAX_FLOWS = 4  # of one prompt
MAX_LINES = 6  # of one signature
MEANT = 2  # definitions of one name: one, or one and its declaration
MIN_CALLED_LETTERS = 3  # letters
LONG_LINE = 300  # characters; a longer line was written by a program

_MEMBERS, _BEHIND_TYPES = (
    tuple(suffix for filetype in filetypes() if filetype.definitions == form for suffix in filetype.suffixes)
    for form in ("member", "typed")
)
_ANY = r"[A-Za-z_$][\w$]*"
# How a definition is written: announced by a word, after a type, or as a member of a class or an object.
_ANNOUNCED = (
    r"\b(?:def|fn|fun|func|function)\b\*?\s*+(?:\([^)]{0,200}+\)\s*+)?(?:\w++\.)?(?P<a>NAME)\s*+[(<\[]"
    r"|\b(?:const|let|var)\s+(?P<b>NAME)\s*+(?::[^=]{0,200}+)?=\s*+(?:async\b\s*+)?(?:function\b|\(|\w++\s*+=>)"
)
_TYPED = (
    r"^\s*(?:(?!(?:return|new|else|await|throw|case|in)\b)[\w<>\[\],.?*&:@]+\s+){1,6}"
    r"[*&]?(?P<a>NAME)\s*\((?:[^;=]*[{,()])?\s*$"
)
_MEMBER = (
    r"^\s*(?:(?:async|static|public|private|protected|override|get|set)\s+)*"
    r"(?!(?:if|for|while|switch|catch|return|function)\b)(?P<a>NAME)\s*"
    r"(?:<[^>()]*>)?\((?:[^()=]*\)\s*(?::[^{;]*)?\{)?\s*$"
)
_FORMS: tuple[tuple[tuple[str, ...], str], ...] = (((), _ANNOUNCED), (_BEHIND_TYPES, _TYPED), (_MEMBERS, _MEMBER))
_LOOKS = tuple((suffixes, re.compile(form.replace("NAME", _ANY))) for suffixes, form in _FORMS)
_CALL = re.compile(rf"(?:(?<![\w$])(self|this|cls|super\(\))\.|((?<!\.)\.|::|->))?(?<![\w$])({_ANY})\s*\(")
_CALLED_ON = re.compile(rf"(?<![\w$.])({_ANY})\s*(?:\??\.|->)\s*({_ANY})\s*\(")
_CALLED_WITH = re.compile(rf"(?<![\w$])({_ANY})\s*\(([^()]{{1,200}})")
_IMPORTS = re.compile(r"\b(?:import|from|require|use|using|include|export)\b|^\s(?:\w+ )?\"[\w./-]+\"$")  # the last: Go
_WORD_WITH_DASHES = re.compile(r"[\w-]+")
_RECEIVER = rf"(?<![\w$.>:])({_ANY})\s*(?:\??\.|::|->)\s*NAME\s*\("
OWN, IMPORTED, BESIDE, FAR = range(4)


@dataclass(frozen=True, slots=True)
class CalledName:
    """A name that an added line of a file calls. `of`: "" bare, "self" on its own object, "." on anything else."""

    name: str
    path: str
    of: str
    receiver: str = ""  # the word before the dot, if it is one


def called_names(units: Iterable[Unit]) -> tuple[CalledName, ...]:
    """Return what the added lines of these units call, in their order, each once for its file."""
    names_found: dict[CalledName, None] = {}
    for unit in units:
        if unit.side != "head" or not is_product(unit.path):
            continue
        for diff_row in unit.added_rows:
            names_found.update(dict.fromkeys(calls(unit.path, diff_row.text)))
    return tuple(names_found)


def flowing(units: Iterable[Unit]) -> tuple[CalledName, ...]:
    """Return what the rest of changed functions calls on what the added lines use, or with what they give a value: the change flows there."""
    names_found: dict[CalledName, None] = {}
    for unit in units:
        if unit.side != "head" or not is_product(unit.path):
            continue
        added_numbers = {diff_row.number for diff_row in unit.added_rows}
        code_lines = [diff_row.text for diff_row in unit.added_rows if not is_comment(diff_row.text, unit.path)]
        assigned_names = {
            name for text in code_lines for name in identifiers.assigned_names(text) if not identifiers.single(name)
        }
        users = {of for text in code_lines for of, _ in _CALLED_ON.findall(text) if not identifiers.single(of)}
        for number, text in enumerate(unit.text.split("\n"), unit.start) if assigned_names or users else ():
            if number not in added_numbers and len(text) <= LONG_LINE and not is_comment(text, unit.path):
                receivers = {name for of, name in _CALLED_ON.findall(text) if of in users}
                fed = {
                    name for name, inside in _CALLED_WITH.findall(text) if assigned_names & identifiers.words(inside)
                }
                receivers |= {name for name in fed if not identifiers.single(name)}
                names_found.update(dict.fromkeys(call for call in calls(unit.path, text) if call.name in receivers))
    return tuple(names_found)[:MAX_FLOWS]


def calls(path: str, text: str) -> list[CalledName]:
    """Return what a line of a file calls."""
    hits = _CALL.findall(text) if len(text) <= LONG_LINE else ()
    return [
        CalledName(name, path, "self" if own else "." if other else "", _receiver(text, name) if other else "")
        for own, other, name in hits
        if len(name) >= MIN_CALLED_LETTERS
    ]


def _receiver(text: str, name: str) -> str:
    """On what a line calls a method, if one word says it."""
    match = re.search(_RECEIVER.replace("NAME", re.escape(name)), text)
    return match[1] if match else ""


def searches(calls: Iterable[CalledName]) -> Iterator[tuple[str, list[str]]]:
    """Yield Perl patterns of lines that may define these names, each with the globs of the files in which it is worth a look."""
    called_pairs = list(dict.fromkeys((call.name, posixpath.splitext(call.path)[1]) for call in calls))[:MAX_CALLED]
    for suffixes, form in _FORMS:
        name_patterns = dict.fromkeys(
            re.escape(name) for name, suffix in called_pairs if not suffixes or suffix in suffixes
        )
        if name_patterns:
            pattern = (
                form.replace("?P<a>", "?:").replace("?P<b>", "?:").replace("NAME", f"(?:{'|'.join(name_patterns)})")
            )
            yield pattern, [f"*{suffix}" for suffix in suffixes]


def by_defined_name(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return what these rows define, by name: no tests, no texts."""
    rows_by_name: dict[str, list[Row]] = defaultdict(list)
    for hit in dict.fromkeys(rows):
        if is_product(hit[0]) and not vendored_folder(hit[0]):
            for name in names(hit[0], hit[2]):
                rows_by_name[name].append(hit)
    return rows_by_name


def names(path: str, text: str) -> frozenset[str]:
    """Return what a line of a file defines."""
    return _names(path[path.rfind(".") :].lower(), text) if len(text) <= LONG_LINE else frozenset()


@lru_cache(maxsize=16_384)
def _names(suffix: str, text: str) -> frozenset[str]:
    """Asked for the same lines by each part of a prompt."""
    forms = (look for suffixes, look in _LOOKS if not suffixes or suffix in suffixes)
    return frozenset(name for look in forms for match in look.finditer(text) for name in match.groups() if name)


def head(path: str, rows: Sequence[str], line: int) -> int:
    """Return the line on which the function around a line begins; 0 where none is found."""
    indent = _indent(rows[line - 1])
    for number in range(line - 1, 0, -1):
        text = rows[number - 1]
        if text.strip() and _indent(text) < indent:
            if names(path, text):
                return number
            # The head of such a block stands above it, as far to the left
            indent = _indent(text) + (text.strip() == "{")
    return 0


def meanings(call: CalledName, rows: Iterable[Row], import_words: Collection[str]) -> tuple[Row, ...]:
    """Return the definitions that a call may mean, if they are few enough to say something. `import_words`: words of its file's imports."""
    if call.of == "." and _is_everyday(call.name):
        return ()  # every list has it
    near: dict[int, list[Row]] = defaultdict(list)
    for hit in rows:
        if family(hit[0]) == family(call.path) and not is_of_another(call, hit[0], import_words):
            near[_distance(call, hit[0], import_words)].append(hit)
    least = min(near, default=FAR)
    is_believed = least < FAR or _tells(call.name) or call.name in import_words
    return tuple(near[least]) if is_believed and len(near[least]) <= MEANT else ()


def import_words(source: str) -> frozenset[str]:
    """Return the words of a file's import lines."""
    return frozenset(
        word for line in source.split("\n") if _IMPORTS.search(line) for word in _WORD_WITH_DASHES.findall(line)
    )


def demanding(text: str) -> bool:
    """Return whether a definition asks something of its callers that a call may get wrong: to wait, or an order of arguments."""
    return bool(re.search(r"\basync\b|\bsuspend\b|,|\($", text.rstrip()))


def last_line(rows: Sequence[str], start: int) -> int:
    """Return where a signature that begins on this line ends: where its brackets are closed."""
    depth = 0
    for number in range(start, min(len(rows), start + MAX_LINES - 1) + 1):
        depth += sum(rows[number - 1].count(sign) for sign in "([") - sum(rows[number - 1].count(s) for s in ")]")
        if depth <= 0:
            return number
    return start


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def is_of_another(call: CalledName, path: str, import_words: Collection[str]) -> bool:
    """Return whether what a call is made on is known to be something else than this file defines: a library's, the language's, another class."""
    if not (call.receiver in import_words or call.receiver[:1].isupper()):
        return False
    beside = filetype(path).folder_scope and posixpath.dirname(path) == posixpath.dirname(call.path)
    named = re.sub(r"\W|_", "", _stem(path)).lower() == call.receiver.replace("_", "").lower()
    imported = call.receiver in import_words and _stem(path) in import_words
    return not (path == call.path or beside or named or imported)


def _distance(call: CalledName, path: str, import_words: Collection[str]) -> int:
    """How near a definition is to its call. What another object has is hardly ever what its own file defines."""
    if path == call.path:
        return FAR if call.of == "." else OWN
    folder = posixpath.dirname(path)
    if not call.of and _is_everyday(call.name) and call.name not in import_words:
        return FAR  # the language's own `open`
    if _stem(path) in import_words:
        return IMPORTED
    return BESIDE if folder == posixpath.dirname(call.path) and call.of != "." else FAR


def _stem(path: str) -> str:
    """How an import names a file: some languages, and some files, by their folder."""
    folder, file = posixpath.split(path)
    stem, kind = file.partition(".")[0], filetype(path)
    return posixpath.basename(folder) if kind.folder_modules or stem == kind.folder_file else stem


def _is_everyday(name: str) -> bool:
    """Whether the language or its values have something of this name."""
    return name.lower() in identifiers.COMMON or name in METHODS


def _tells(name: str) -> bool:
    """Whether a name found far away can be believed: no plain word, nothing that every object has."""
    return not identifiers.single(name) and not name.startswith("__") and not _is_everyday(name)
