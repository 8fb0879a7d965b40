"""Find attributes that no new version of a class sets, and what they are called in a search for users."""

import re
from collections.abc import Iterator, Sequence

from deeprepo.impact.text.lines import file_lines, is_comment, says
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.scene import Scene
from deeprepo.impact.uses.sites import UseTarget
from deeprepo.impact.uses.symbols import ChangedSource

OWN = re.compile(r"(?:\b(?:self|this|cls)(?:\.|->)|@)([A-Za-z_]\w*)")
SET = re.compile(rf"{OWN.pattern}\s*(?::[^=\n]{{1,80}})?=(?![=>~])")
ASSIGNS = re.compile(r"(?<![=!<>])=(?![=>~])")
FIELD = (
    r"^\s*+(?:public|private|protected|internal|static|readonly|final|var|val|let|const|declare|override|attr_accessor|attr_reader)\s"
    r"[\w$<>\[\]?|:, ]{0,120}?[#:$]?\bNAME\b|\bsetattr\(\s*+self\s*+,\s*+[\"']NAME[\"']|\b(?:as|for)\s++self\.NAME\b"
)


async def attribute_targets(scene: Scene) -> list[UseTarget]:
    """Return targets for attributes that classes no longer set."""
    targets = []
    for path, within, name in _lost_attributes(scene.sources):
        outline = await scene.exports.outline("head", path)
        above = {within[:at] for at, letter in enumerate(within) if letter == "."} | {within}
        exports = frozenset(there for there, local in outline.exports if local in above) if outline else frozenset()
        if not exports and scene.head.visible_files(path):
            exports = frozenset({within.partition(".")[0]})
        key, owner, exporting_files = f"{path}:{within}.{name}", within.rpartition(".")[2], ((path, exports),)
        home = frozenset({path})
        targets.append(
            UseTarget(
                key, exporting_files, frozenset({name}), home, None, owner, within, is_gone=True, is_attribute=True
            )
        )
    return targets


def _lost_attributes(sources: Sequence[ChangedSource]) -> Iterator[tuple[str, str, str]]:
    """Yield (path, class, attribute) for attributes that no new version of the class sets.

    Attributes of removed classes are not included.
    """
    for source in sources:
        path = source.file.path
        lines = ["" if is_comment(line, path) else line for line in file_lines(source.before)]
        left = {symbol.name for symbol in source.new.definitions}
        classes = [one for one in source.old.definitions if one.kind == "class" and not is_test(path)]
        seen_names = set[str]()
        for owner in sorted(classes, key=lambda one: one.end - one.start):  # innermost first
            names = {name for line in lines[owner.start - 1 : owner.end] for name in SET.findall(line)}
            if owner.name in left and names - seen_names:
                holders = [other for other in sources if other is source or _has_class(other, owner.short)]
                for name in sorted(names - seen_names):
                    if not any(_sets(other, name) for other in holders):
                        yield path, owner.name, name
            seen_names |= names


def _has_class(source: ChangedSource, name: str) -> bool:
    return any(symbol.short == name and symbol.kind == "class" for symbol in source.new.definitions)


def _sets(source: ChangedSource, name: str) -> bool:
    """Return whether a file defines the name, assigns it to its own object, or declares it as a field."""
    if any(symbol.short == name for symbol in source.new.definitions):
        return True
    lines = (line for line in file_lines(source.after) if name in line and not is_comment(line, source.file.path))
    return any(name in _assigned(line) or says(FIELD, name, line) for line in lines)


def _assigned(line: str) -> set[str]:
    """Return the attributes that a line assigns, including tuple and chained targets."""
    targets, *values = ASSIGNS.split(line, maxsplit=1)
    return {*SET.findall(line), *(OWN.findall(targets) if values else ())}
