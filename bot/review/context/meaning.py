"""What a change means to other code: the names that it defines, writes, re-types or removes, apart from those that it only mentions. Pure.

A local variable of the change is nobody else's: `source = read()` decides nothing about another file's `source`. A name that
is only mentioned leads to its definition, and not to others that mention it.
"""

import re
from collections.abc import Iterable, Iterator

from bot.review.context import definitions, identifiers
from bot.values import Unit
from deeprepo.impact.text.lines import binds, defined_names, defines, says
from deeprepo.impact.text.paths import is_code

_FIELD = re.compile(
    r"(?:\.|->|\[[\"'])([A-Za-z_][\w$]{2,})[\"']?\]?(?:\[[^\]\n]{0,80}\])?\s*+(?::[^=:]{0,40})?(?:[-+|&^*/%]|\?\?|\|\||&&)?=(?![=>~])"
)
_KEY = re.compile(r"(?:^\s*+|[{,]\s*+)[\"']?([A-Za-z_$][\w$-]{2,})[\"']?\s*+\??:(?!:)")
# A variable that lives and dies in its function: it begins an indented line, after a word for variables or alone.
_BINDING = r"([A-Za-z_$][\w$]*+)\s*+(?::[^=:]{0,80})?:?=(?![=>~])"
_LOCAL = re.compile(r"\s+(?:(?:const|let|var|val|auto|final)\s+)?(?:mut\s+)?" + _BINDING)
_TOP = re.compile(_BINDING)
_MEMBER = re.compile(
    r"\s*+(?:(?:pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|readonly|volatile|override|const|declare)\s++)++"
    r"(?:[\w<>\[\],.?*&]++\s++){0,3}?([A-Za-z_$][\w$]*+)\s*+(?:[=;:?!(]|$)"
)
_ANNOUNCED = re.compile(r"\s+(?:const|let|var|val|static)\s")
_TYPE = re.compile(
    r"\s*+(?:[a-z]++(?:\([a-z]++\))?\s++){0,6}?(?:class|struct|interface|record|enum|trait|type)\s++[A-Za-z_]"
)
_IN_STRUCT = re.compile(r"(?<!\s)\s++([A-Z]\w*+)\s++[\w*\[]")  # Go
_AS_TYPE = (
    r"\bNAME(?:<[^<>]{0,80}>)?(?:\[\])?\s++[*&]?(?!extends\b|implements\b|where\b|for\b)[A-Za-z_]\w*\s*+[(=;,)]"
    r"|:\s*+(?:[A-Za-z_$][\w$]*+\.)++NAME(?:\[\])?\s*+="  # the type of what is declared
)
_NAMED = r"(?:\.|->|::|\?\.|[\"'`$@{])NAME\b|\bNAME[\"']?\s*+(?:[(:=?!]|<[^<>]{0,80}>\s*+\()"


# A local variable by its declaration; a record or an argument that gets a variable under its own name.
_DECLARES = (
    r"^\s++(?:(?:let|var|val|const|auto|final)\s++(?:mut\s++)?)NAME\b"
    r"|^\s++(?:final\s++)?(?!(?:return|new|else|await|throw|case|in|public|private|protected|static)\b)[A-Za-z_][\w<>\[\],.?]*+\s++NAME\s*+[;=]|\bNAME\s*+:="
)
_HANDS_ON = (
    r"[\"'`]NAME[\"'`]|\{\s*+NAME\s*+[,}]|,\s*+NAME\s*+[,}][^()]*$|\bNAME\s*+=\s*+NAME\b|^\s*+NAME,\s*$|[.>]NAME\b"
)


def decided_names(units: Iterable[Unit]) -> frozenset[str]:
    """Return the names whose meaning the changed lines of these units decide: definitions, fields, keys, constants, literals."""
    names_found: set[str] = set()
    for unit in units:
        depth = -1  # of the type whose fields the lines are; -1 inside of a function
        for diff_row, is_text in identifiers.told_apart(unit):
            space = len(diff_row.text) - len(diff_row.text.lstrip())
            if diff_row.sign in ("+", "-"):
                field = 0 <= depth < space
                names_found.update(
                    identifiers.in_prose(diff_row.text) if is_text else _of_line(unit.path, diff_row.text, field=field)
                )
            if definitions.names(unit.path, diff_row.text):
                depth = -1
            elif _TYPE.match(diff_row.text):
                depth = space
    return frozenset(names_found - identifiers.COMMON - {""})


def local_names(units: Iterable[Unit]) -> frozenset[str]:
    """Return the variables that changed definitions declare for themselves and hand to nobody under their names."""
    names_found: set[str] = set()
    for unit in units:
        words = (name for diff_row in unit.changed_rows for name in identifiers.assigned_names(diff_row.text))
        for name in dict.fromkeys(words):
            lines = [line for line in unit.text.split("\n") if name in line]
            if any(says(_DECLARES, name, line) for line in lines) and not any(
                says(_HANDS_ON, name, line) for line in lines
            ):
                names_found.add(name)
    return frozenset(names_found)


def means(name: str, text: str) -> bool:
    """Return whether a line names a field, a key, a type or a function; a bare word in lower case is a variable of its own."""
    if not re.fullmatch(r"[\w$]+", name) or name.lower() != name or name.startswith("_"):
        return True
    return says(_NAMED, name, text)


def settles(name: str, path: str, text: str) -> bool:
    """Return whether a line defines a name, or is the one that declares a field, a constant or a key of that name."""
    if name in definitions.names(path, text):
        return True
    if identifiers.plain(name) or _local(text) == name:
        return False
    if says(_AS_TYPE, name, text):
        return False
    return defines(text, name, path) or binds(text, name) or _member(text) == name or name in _FIELD.findall(text)


def is_type(text: str) -> bool:
    """Return whether a line begins the definition of a type."""
    return bool(_TYPE.match(text))


def _member(text: str) -> str:
    match = _MEMBER.match(text)
    return match[1] if match else ""


def _of_line(path: str, text: str, *, field: bool) -> Iterator[str]:
    yield from identifiers.literals(text)
    yield from identifiers.dotted_key(text)
    defined = definitions.names(path, text)
    yield from defined
    if not is_code(path):
        yield from identifiers.assigned_names(text)
        return
    yield from _FIELD.findall(text)
    yield _member(text)
    yield from (name for name in identifiers.assigned_names(text) if name.isupper())
    if not defined:  # the parameters of a definition are its own
        yield from (name for name in _KEY.findall(text) if name != _local(text))
    if not _ANNOUNCED.match(text):
        yield from defined_names(text)
    if not text[:1].isspace() and (top := _TOP.match(text)):
        yield top[1]
    if field:
        yield _local(text)
        yield from _IN_STRUCT.findall(text)


def _local(text: str) -> str:
    """The variable to which an indented line gives a value; "" for every other line."""
    match = _LOCAL.match(text)
    return match[1] if match else ""
