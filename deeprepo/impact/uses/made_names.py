"""Find names that added lines define without a declaration.

Examples are `setattr(Order, "total", ...)`, a computed key of `exports`, and a class passed to a call. If the
base declares a name and the head does not, and the program still works, an added line defines the name. A
line that contains the name provides it. A line that can define any name leaves the question open, so the name
is not reported as removed.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading import reader
from deeprepo.impact.resolution import Unknown
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.text.paths import is_prose, is_test

LONGEST_LINE = 400  # characters of a line
_QUOTED = (
    # reading a key defines nothing
    r"(?<![\w/\[])[\"'`]NAME[\"'`]|\[\s*[\"'`]NAME[\"'`]\s*(?:,|\]\s*(?:[:{]|of\b))"
)
_PATH = r"[\"'`](?:[\w.{}]*\.)?NAME[\"'`]"  # of a module
_ASSIGNED = r"(?:\.|\[\s*[\"'`])NAME(?:[\"'`]\s*\])?\s*(?::[^=\n]{1,80})?=(?![=>~])"
_OWN = r"(?<!\bexports)(?<!\bself)(?<!\bthis)"  # other files do not get what a file assigns to itself
_KEYWORD = r"[(,]\s*NAME\s*=(?![=>~])"
_VALUE = re.compile(r"\s*(?::[^=\n]{1,80})?=(?![=>~])")


class MadeNames:
    """The added lines of the changed files."""

    def __init__(
        self, added: Mapping[str, Collection[int]], sources: Mapping[str, bytes], removed: Mapping[str, Collection[str]]
    ) -> None:
        """Take the added and removed lines by file, and the content of these files in the head."""
        self._added = {path: lines for path, lines in added.items() if path in sources and _makes_names(path, sources)}
        self._assigned = [path for path in self._added if filetype(path).assigned_members]
        self._sources, self._removed = sources, removed
        self._lines: dict[str, Sequence[str]] = {}
        self._makers: dict[str, frozenset[int]] = {}

    def provider(self, name: str, near: Collection[str], *, is_module: bool = False) -> Unknown | None:
        """Return what may define a name; None if no added line does.

        `near`: files whose lines may define it without writing it.
        """
        if not name:
            return None
        homes = [path for path in sorted(near) if path in self._added]
        made = [(path, line) for path in homes for line in self.dynamic(path)]
        forms = (_PATH,) if is_module else (_QUOTED, _ASSIGNED)
        written, keyword = _pattern(name, *forms), _pattern(name, _KEYWORD)
        elsewhere = written if made else _pattern(name, f"{_OWN}{_ASSIGNED}")
        for path in (home for home in homes if home in self._assigned):
            for number, text in self._texts(path):
                is_written = written.search(text) is not None and not self._is_former_value(name, path, text)
                if is_written or (not is_module and keyword.search(text)):
                    return _unknown(path, number)
        for path in self._assigned if not is_module else ():
            if path not in near and not is_test(path):
                is_dynamic = bool(self.dynamic(path))  # it may give the name to a module or class that it imports
                for number, text in self._texts(path):
                    if elsewhere.search(text):
                        return _unknown(path, number)
                    if is_dynamic and written.search(text):
                        return _unknown(path, number)
        return next((_unknown(path, line) for path, line in made), None)

    def dynamic(self, path: str) -> list[int]:
        """Return the added lines of a file that can define names without writing them."""
        if path not in self._makers:
            source = self._sources.get(path, b"")
            language = reader.language_for(path, source) if self._added.get(path) else None
            facts = reader.facts(language, source) if language is not None else None
            self._makers[path] = facts.unwritten.lines if facts is not None else frozenset()
        return sorted(self._makers[path].intersection(self._added[path]))

    def _is_former_value(self, name: str, path: str, text: str) -> bool:
        """Return whether a line gives another name the value that this one had.

        Example: `SUM = read("TOTAL")`, which was `TOTAL = read("TOTAL")`.
        """
        for line in self._removed.get(path, ()):
            _, _, value = line.partition(name)
            is_value = name in value and _VALUE.match(value) is not None
            if is_value and text.endswith(value) and name not in text.removesuffix(value):
                return True
        return False

    def _texts(self, path: str) -> Iterable[tuple[int, str]]:
        if path not in self._lines:
            self._lines[path] = file_lines(self._sources[path])
        lines = self._lines[path]
        for number in sorted(self._added[path]):
            if (
                0 < number <= len(lines)
                and len(text := lines[number - 1]) <= LONGEST_LINE
                and not is_comment(text, path)
            ):
                yield number, text


async def made_names(tree: Tree, files: Collection[ChangedFile], suffixes: Collection[str]) -> MadeNames:
    """Return what a change's added lines define in the files with these suffixes."""
    mine = [file for file in files if file.status != "deleted" and file.path.endswith(tuple(suffixes))]
    sources = await tree.read_many([file.path for file in mine])
    return MadeNames({file.path: file.added_lines for file in mine}, sources, removed_texts(mine))


def removed_texts(files: Iterable[ChangedFile]) -> Mapping[str, Collection[str]]:
    """Return the removed lines of each file."""
    return {file.path: [line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-"] for file in files}


def _makes_names(path: str, sources: Mapping[str, bytes]) -> bool:
    """Return whether a file's language can define names without declaring them.

    Elsewhere a quoted word defines nothing.
    """
    language = reader.language_for(path, sources[path]) if not is_prose(path) else None
    return language is not None and language.captures("@dynamic", "open")


def _pattern(name: str, *forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms).replace("NAME", re.escape(name)))


def _unknown(path: str, line: int) -> Unknown:
    return Unknown(f"{path}:{line} may define it")
