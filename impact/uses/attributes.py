"""Attributes that classes set on their objects before the change, and that their files, or those to which the classes went, set or declare no more."""

import re
from collections.abc import Iterator, Sequence

from impact.text.lines import file_lines, is_comment, says
from impact.text.paths import is_test
from impact.uses.symbols import ChangedSource

OWN = re.compile(r"(?:\b(?:self|this|cls)(?:\.|->)|@)([A-Za-z_]\w*)")
SET = re.compile(rf"{OWN.pattern}\s*(?::[^=\n]{{1,80}})?=(?![=>~])")
ASSIGNS = re.compile(r"(?<![=!<>])=(?![=>~])")
FIELD = (
    r"^\s*+(?:public|private|protected|internal|static|readonly|final|var|val|let|const|declare|override|attr_accessor|attr_reader)\s"
    r"[\w$<>\[\]?|:, ]{0,120}?[#:$]?\bNAME\b|\bsetattr\(\s*+self\s*+,\s*+[\"']NAME[\"']|\b(?:as|for)\s++self\.NAME\b"
)


def lost_attributes(sources: Sequence[ChangedSource]) -> Iterator[tuple[str, str, str]]:
    """Give (path, class, attribute) of each. A class that is gone, too, is a loss of its own."""
    for source in sources:
        path = source.file.path
        lines = ["" if is_comment(line, path) else line for line in file_lines(source.before)]
        left = {symbol.name for symbol in source.new.definitions}
        classes = [one for one in source.old.definitions if one.kind == "class" and not is_test(path)]
        told = set[str]()
        for owner in sorted(classes, key=lambda one: one.end - one.start):  # the innermost first
            names = {name for line in lines[owner.start - 1 : owner.end] for name in SET.findall(line)}
            if owner.name in left and names - told:
                holders = [other for other in sources if other is source or _has_class(other, owner.short)]
                for name in sorted(names - told):
                    if not any(_sets(other, name) for other in holders):
                        yield path, owner.name, name
            told |= names


def _has_class(source: ChangedSource, name: str) -> bool:
    return any(symbol.short == name and symbol.kind == "class" for symbol in source.new.definitions)


def _sets(source: ChangedSource, name: str) -> bool:
    """Whether a file as it is now defines the name, assigns it to an object of its own, alone or among others, or declares it as a field."""
    if any(symbol.short == name for symbol in source.new.definitions):
        return True
    lines = (line for line in file_lines(source.after) if name in line and not is_comment(line, source.file.path))
    return any(name in _assigned(line) or says(FIELD, name, line) for line in lines)


def _assigned(line: str) -> set[str]:
    """The attributes that a line assigns: what stands before its first sign, alone or among others, and before each further one."""
    targets, *values = ASSIGNS.split(line, maxsplit=1)
    return {*SET.findall(line), *(OWN.findall(targets) if values else ())}
