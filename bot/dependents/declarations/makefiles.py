"""Makefiles: the targets that have a rule, and who asks for them: prerequisites, recipes, included files. Linear in the text."""

import fnmatch
import posixpath
import re

from bot.dependents.declarations.packages import MAKEFILES, add_calls
from bot.dependents.declarations.reading import DataReading, Declaration, NameUse, Paths, Scope, beside

_RULE = re.compile(r"(?P<targets>[^\s:=#][^:=#]*+)(?P<colons>::?)(?!=)(?P<rest>[^;]*+)(?:;(?P<recipe>.*))?", re.DOTALL)
_INCLUDE = re.compile(r"(?P<word>-include|sinclude|include)[ \t]++(?P<names>[^#]++)")
_NAME = re.compile(r"[A-Za-z0-9_][\w-]*+")
_VARIABLE = re.compile(r"(?:[\w.-]++[ \t]*+)(?:[+?:!]|::)?=|(?:export|unexport|override|vpath|undefine)\b")
_LITERAL = re.compile(r"(?P<name>[\w.-]++)[ \t]*+(?:[?:]|::)?=[ \t]*+(?P<value>[^\s$#]++)[ \t]*+")
_VALUE = re.compile(r"\$[({]([\w.-]++)[)}]")
_OF_TARGETS = re.compile(r"[ \t]*+(?:private[ \t]++|export[ \t]++|override[ \t]++)?[\w.-]++[ \t]*+(?:[+?:!]|::)?=")
_SELF = re.compile(r"\$[({]MAKE[)}]")
_OWN = re.compile(r"\$[({]\w*_?MAKEFILES?_?\w*[)}]")


def read(path: str, text: str, paths: Paths) -> DataReading:
    """The rules of one file."""
    folder, mine = posixpath.dirname(path), Scope("target", path)
    reading = DataReading(scopes={mine})
    is_own = posixpath.basename(path) in MAKEFILES
    number, is_definition, values = 0, False, dict[str, str]()
    lines = text.split("\n")
    while number < len(lines):
        first, parts = number + 1, [lines[number].rstrip("\r")]
        while parts[-1].endswith("\\") and number + 1 < len(lines):
            number += 1
            parts[-1] = parts[-1][:-1]
            parts.append(lines[number].rstrip("\r"))
        line = " ".join(parts)
        number += 1
        if is_definition:
            is_definition = not line.lstrip().startswith("endef")
        elif line.startswith("\t"):
            _recipe(reading, line, folder if is_own else None, path, paths, first)
        elif re.match(r"[ ]*+(?:override[ ]++)?define\b", line):
            is_definition = True
        else:
            _statement(reading, line.strip(), path, paths, first, values, is_own=is_own)
    return reading


def _recipe(reading: DataReading, line: str, folder: str | None, path: str, paths: Paths, number: int) -> None:
    command = _SELF.sub("make", line).replace("$$", "$").lstrip("\t @-+")
    if folder is not None:
        add_calls(reading, command, folder, path, paths, lambda _: number)


def _statement(
    reading: DataReading, line: str, path: str, paths: Paths, number: int, values: dict[str, str], *, is_own: bool
) -> None:
    folder, mine = posixpath.dirname(path), Scope("target", path)
    if not line or line.startswith("#"):
        return
    if include := _INCLUDE.match(line):
        _include(reading, include, folder, mine, paths)
        return
    if line.startswith(("$(eval", "$(foreach", "$(call", "${eval")):
        reading.doubts[mine] = "a computed text defines rules"
        return
    if _VARIABLE.match(line):
        if (assignment := _LITERAL.fullmatch(line)) is not None:
            values[assignment["name"]] = assignment["value"]
        return
    if (rule := _RULE.match(line)) is not None:
        _rule(reading, rule, path, paths, number, values)
        if rule["recipe"] and is_own:
            _recipe(reading, rule["recipe"], folder, path, paths, number)


def _rule(
    reading: DataReading, rule: re.Match[str], path: str, paths: Paths, number: int, values: dict[str, str]
) -> None:
    folder, mine, rest = posixpath.dirname(path), Scope("target", path), rule["rest"]
    names = [_pattern(_VALUE.sub(lambda one: values.get(one[1], one[0]), name)) for name in rule["targets"].split()]
    if ".DEFAULT" in names or "%" in names:
        reading.doubts[mine] = "a rule has a target that is computed"
    if _OF_TARGETS.match(rest):
        return  # a variable of these targets
    is_phony = names[:1] == [".PHONY"]  # make builds nothing for one without a rule, and does not fail
    plain = rest.split() if is_phony else [name for name in names if not name.startswith(".")]
    reading.declarations += [
        Declaration(mine, name, path, number) for name in plain if _NAME.match(name) or "%" in name
    ]
    prerequisites = [] if names[0].startswith(".") else rest.split(":")[-1].replace("|", " ").split()
    for name in prerequisites:
        if _NAME.fullmatch(name) and name not in paths.stems(folder):
            reading.uses.append(NameUse(mine, name, path, number, "removed"))


def _pattern(name: str) -> str:
    """A target with `%` for all that is computed between its first letters and its last."""
    if "$" not in name:
        return name
    return f"{name.partition('$')[0]}%{re.split(r'[)}]', name)[-1]}"


def _include(reading: DataReading, include: re.Match[str], folder: str, mine: Scope, paths: Paths) -> None:
    for word in include["names"].split():
        name = _OWN.sub("", word).removeprefix("/") if "$" in word else word
        target = beside(folder, name)
        if target is None or "$" in name or target not in paths:
            if include["word"] == "include" or "$" in name or fnmatch.translate(name) == name:
                reading.doubts[mine] = f"it includes {word}, which is out of sight"
            continue
        if "*" in name:
            continue
        reading.needs.add(target)
        reading.parts.setdefault(mine, set()).add(Scope("target", target))
