"""Read Makefiles: targets with rules, and their uses in prerequisites, recipes and included files."""

import posixpath
import re
from collections.abc import Collection

from deeprepo.impact.declarations import shell
from deeprepo.impact.declarations.reading import DataReading, Paths, Scope, beside, line_finder

_LINE = re.compile(r"(?:[^\\\n]|\\(?:\r?\n|.)|\\)*+", re.DOTALL)  # including continuation lines
_RULE = re.compile(r"(?P<targets>[^\s:=#][^:=#]*+)::?(?!=)(?P<rest>[^;#]*+)(?:;(?P<recipe>.*))?", re.DOTALL)
_INCLUDE = re.compile(r"(?P<word>-include|sinclude|include)[ \t]++(?P<names>[^#]++)")
_NAME = re.compile(r"[A-Za-z0-9_][\w-]*+")
_VARIABLE = re.compile(r"(?:[\w.-]++[ \t]*+)(?:[+?:!]|::)?=|(?:export|unexport|override|vpath|undefine|define)\b")
_LITERAL = re.compile(r"^(?P<name>[\w.-]++)[ \t]*+(?:[?:]|::)?=[ \t]*+(?P<value>[^\s$#]++)[ \t]*+\r?$", re.MULTILINE)
_VALUE = re.compile(r"\$[({]([\w.-]++)[)}]")
_OF_TARGETS = re.compile(r"[ \t]*+(?:private|export|override)?[ \t]*+[\w.-]++[ \t]*+(?:[+?:!]|::)?=")


def read(reading: DataReading, text: str, paths: Paths) -> None:
    """Add the rules of one file."""
    mine, line_of = Scope("target", reading.path), line_finder(text)
    folder, name = posixpath.split(reading.path)
    values = {match["name"]: match["value"] for match in _LITERAL.finditer(text)}
    files = {form for one in paths.inside(folder) for form in (one, one.partition(".")[0])}
    reading.scopes.add(mine)
    at = 0
    while at < len(text):
        match = _LINE.match(text, at)
        end = match.end() if match else at
        line, number, at = re.sub(r"\\\r?\n", "  ", text[at:end]).rstrip("\r"), line_of(at), end + 1
        recipe = line if line.startswith("\t") else ""
        statement = "" if recipe else _VALUE.sub(lambda one: values.get(one[1], one[0]), line).strip()
        if include := _INCLUDE.match(statement):
            _include(reading, include, paths)
        elif statement.startswith(("$(eval", "$(foreach", "$(call", "${eval")):
            reading.doubts.add(mine)  # computed text defines rules
        elif not _VARIABLE.match(statement) and (rule := _RULE.match(statement)):
            _rule(reading, rule, number, files)
            recipe = rule["recipe"] or ""
        if recipe and name in shell.MAKEFILES:  # make runs included lines in another folder
            command = re.sub(r"\$[({]MAKE[)}]", "make", recipe).lstrip("\t @-+")
            shell.add_calls(reading, command, folder, number, paths)


def _rule(reading: DataReading, rule: re.Match[str], number: int, files: Collection[str]) -> None:
    """Add the targets and prerequisites of a rule. `files`: the names that need no rule."""
    mine, rest = Scope("target", reading.path), rule["rest"]
    names = [_pattern(name) for name in rule["targets"].split()]
    if ".DEFAULT" in names or "%" in names:
        reading.doubts.add(mine)
    if _OF_TARGETS.match(rest):
        return  # a variable for these targets
    # A phony target without a rule does nothing and does not fail.
    for name in rest.split() if names[0] == ".PHONY" else names:
        if _NAME.match(name) or "%" in name:
            reading.declare(mine, name, number)
    for name in [] if names[0].startswith(".") else rest.split(":")[-1].replace("|", " ").split():
        if _NAME.fullmatch(name) and name not in files:
            reading.use(mine, name, number)


def _pattern(name: str) -> str:
    """Return a target with its computed part replaced by `%`."""
    return f"{name.partition('$')[0]}%{re.split(r'[)}]', name)[-1]}" if "$" in name else name


def _include(reading: DataReading, include: re.Match[str], paths: Paths) -> None:
    mine = Scope("target", reading.path)
    for word in include["names"].split():
        target = beside(posixpath.dirname(reading.path), word)
        if target is not None and target in paths:
            reading.parts.setdefault(mine, set()).add(Scope("target", target))
        elif include["word"] == "include" or "$" in word:
            reading.doubts.add(mine)  # the included file is unknown
