"""Parameters of SQL procedures and functions: what a change removes, renames or adds, and the lines that call the routine. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from deeprepo.impact.everyday import is_specific
from deeprepo.impact.schemas.breaks import Document, Likeness, SchemaBreak, SchemaPlace
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.brackets import before_close
from deeprepo.impact.text.lines import line_number

_ID = r"[\"`\[]?(\w++)[\"`\]]?"
_CREATES = re.compile(
    rf"^[ \t]*+(?:CREATE|ALTER)\s++(?:OR\s++(?:ALTER|REPLACE)\s++)?(?:PROC(?:EDURE)?|FUNCTION)\s++(?:{_ID}\s*+\.\s*+)?{_ID}",
    re.IGNORECASE | re.MULTILINE,
)
_BODY = re.compile(r"^[ \t]*+(?:AS|BEGIN|WITH|RETURNS|LANGUAGE)\b", re.IGNORECASE | re.MULTILINE)
_PARAMETER = re.compile(r"(?:(?:IN|OUT|INOUT|VARIADIC)\s++)?@?(\w++)", re.IGNORECASE)
_DEFAULT = re.compile(r"=|\bDEFAULT\b|\bOUT(?:PUT)?\b", re.IGNORECASE)
_DEFINES = re.compile(r"\b(?:CREATE|ALTER|DROP|GRANT|REVOKE|COMMENT|sp_refresh\w+)\b", re.IGNORECASE)
_OPENED, _ARROW = re.compile(r"[\"`\]]?\s*+\("), re.compile(r"=>|:=")
_LONGEST = 4_000  # characters of a list of parameters
NEAR = 15  # lines around a call in which its arguments are written


class Routine(Struct, frozen=True):
    """A procedure or function with its parameters by name, and whether each is required."""

    name: str
    line: int
    parameters: Mapping[str, bool]


def routines(text: str) -> Iterator[Routine]:
    """Yield the routines that the statements of a file create."""
    for match in _CREATES.finditer(text):
        behind = text[match.end() : match.end() + _LONGEST]
        is_bracket = behind.lstrip().startswith("(")
        end = _BODY.search(behind)
        inner = before_close(behind.partition("(")[2]) if is_bracket else behind[: end.start()] if end else ""
        parts = [part.strip() for part in re.sub(r"\([^()]*\)|--[^\n]*", "", inner).split(",")]
        named = {part: name[1] for part in parts if (name := _PARAMETER.match(part))}
        parameters = {name: _DEFAULT.search(part) is None for part, name in named.items()}
        yield Routine(match[2], line_number(text, match.start()), parameters)


def compare(old: Document, new: Document) -> Iterator[SchemaBreak]:
    """Yield each parameter that a routine no longer has, and each that is newly required."""
    before, after = (_unambiguous(document.text) for document in (old, new))
    for now in after.values():
        was = before.get(now.name)
        if was is None:
            continue
        gone = [one for one in was.parameters if one not in now.parameters]
        required = [one for one, is_required in now.parameters.items() if is_required and one not in was.parameters]
        is_rename = len(gone) == len(required) == 1 and len(was.parameters) == len(now.parameters)
        for name in gone:
            target_state = f"was renamed to {required[0]}" if is_rename else "was removed"
            yield _break(now, name, "renamed" if is_rename else "removed", target_state, new.path)
        for name in required if not is_rename else ():
            yield _break(now, name, "required", "has to be given now", new.path)


def _unambiguous(text: str) -> dict[str, Routine]:
    """Return the routines of a file by their names, without overloaded ones.

    One without parameters may be a placeholder that a later statement replaces: `CREATE PROCEDURE p AS SELECT 1`.
    """
    rows = sorted(routines(text), key=lambda one: bool(one.parameters))
    counts = Counter(one.name for one in rows if one.parameters)
    return {one.name: one for one in rows if counts[one.name] < 2}  # noqa: PLR2004


def _break(routine: Routine, name: str, rule: str, target_state: str, path: str) -> SchemaBreak:
    rest = routine.name.partition("_")[2]
    words = {routine.name, *([f"_{rest}"] if is_specific(rest) else [])}  # `"[{schema}].[{table}_UpdateSeenById]"`
    law = "A call that gives it by its name fails." if rule != "required" else "A call that leaves it out fails."
    return SchemaBreak(
        f"parameter-{rule}", "parameter", f"{routine.name}.{name}", target_state, law, path, routine.line, "head",
        routine.name, name, None, searched=frozenset(words),
    )  # fmt: skip


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    """Return a hint if a line calls the routine and the lines around it name a former parameter, or lack a required one.

    A call with its arguments in parentheses gives them by position, unless it has an arrow: `f(a => 1)`.
    """
    rest = re.escape(one.name.partition("_")[2])
    call = re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)|}}_{rest}(?!\w)", place.text)
    if call is None or not is_specific(one.name) or _DEFINES.search(place.text):
        return ""
    behind = "\n".join([place.text[call.end() :], *place.lines[place.line : place.line + NEAR]])
    opened = _OPENED.match(behind)
    if opened is not None and not _ARROW.search(before_close(behind[opened.end() :])):
        return ""
    around = "\n".join(place.lines[max(0, place.line - 2) : place.line + NEAR])
    is_named = re.search(rf"(?<!\w){re.escape(one.owner)}(?!\w)", around, re.IGNORECASE) is not None
    return "hint" if is_named != (one.rule == "parameter-required") else ""
