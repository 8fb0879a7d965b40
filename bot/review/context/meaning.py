"""Find the names that a change defines, writes, re-types or removes, without those it only mentions.

A local variable in the change doesn't affect other files: `source = read()` says nothing about their
`source`. For a name that is only mentioned, its definition matters, but not other mentions. Pure functions.
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
# A local variable of a function: it begins an indented line, after a keyword for variables or alone.
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
    r"|:\s*+(?:[A-Za-z_$][\w$]*+\.)++NAME(?:\[\])?\s*+="  # the type of a declaration
)
_NAMED = r"(?:\.|->|::|\?\.|[\"'`$@{])NAME\b|\bNAME[\"']?\s*+(?:[(:=?!]|<[^<>]{0,80}>\s*+\()"


# A local variable's declaration; an object or argument that receives a variable under the same name.
_DECLARES = (
    r"^\s++(?:(?:let|var|val|const|auto|final)\s++(?:mut\s++)?)NAME\b"
    r"|^\s++(?:final\s++)?(?!(?:return|new|else|await|throw|case|in|public|private|protected|static)\b)[A-Za-z_][\w<>\[\],.?]*+\s++NAME\s*+[;=]|\bNAME\s*+:="
)
_HANDS_ON = (
    r"[\"'`]NAME[\"'`]|\{\s*+NAME\s*+[,}]|,\s*+NAME\s*+[,}][^()]*$|\bNAME\s*+=\s*+NAME\b|^\s*+NAME,\s*$|[.>]NAME\b"
)


def decided_names(units: Iterable[Unit]) -> frozenset[str]:
    """Return the names whose meaning these regions' changed lines decide.

    They are definitions, fields, keys, constants and literals.
    """
    names_found: set[str] = set()
    for unit in units:
        depth = -1  # indentation of the type whose fields follow; -1 inside a function
        for diff_row, is_text in identifiers.classify_rows(unit):
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
    """Return the variables that changed definitions declare locally and don't pass on under the same name."""
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
    """Return whether a line refers to a field, key, type or function.

    A bare lowercase word is a local variable.
    """
    if not re.fullmatch(r"[\w$]+", name) or name.lower() != name or name.startswith("_"):
        return True
    return says(_NAMED, name, text)


def settles(name: str, path: str, text: str) -> bool:
    """Return whether a line defines a name, or declares a field, constant or key with it."""
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
    if not defined:  # the parameters of a definition are local
        yield from (name for name in _KEY.findall(text) if name != _local(text))
    if not _ANNOUNCED.match(text):
        yield from defined_names(text)
    if not text[:1].isspace() and (top := _TOP.match(text)):
        yield top[1]
    if field:
        yield _local(text)
        yield from _IN_STRUCT.findall(text)


def _local(text: str) -> str:
    """Return the variable that an indented line assigns; empty for any other line."""
    match = _LOCAL.match(text)
    return match[1] if match else ""
