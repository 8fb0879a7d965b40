"""Find names that only a framework resolves.

They are template parts, routes, page elements, views, and definitions named in strings. The rows are in
`naming.toml`.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from deeprepo.impact.changes import ChangedFile, ChangedSymbol
from deeprepo.impact.filetypes import module_path
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.text.paths import is_test, uses_nothing
from deeprepo.impact.uses.targets import telling

LONG_LINE = 2_000  # characters; longer lines are cut
MOST_LINES = 60  # lines of a definition in which its marks are searched
SOURCES = ("src", "lib")  # folders that are not part of a module's path
EXACT = ("OWNER", "MODULE", "DOTTED")  # placeholders that make a pattern unambiguous
PLACEHOLDERS = (*EXACT, "QUALIFIED", "NAME")


class Naming(Struct, frozen=True):
    """How a framework defines a name, by lines or by a file's path, and how others use it."""

    what: str
    asks: str
    gives: str = ""
    path: str = ""
    mark: str = "/"  # separates the parts of a name made from a path
    home: str = ""  # a pattern of the defining files
    within: str = ""  # a pattern of the files that use the name
    needs: str = ""  # a pattern of a file that every tree with the framework has
    of_definition: bool = False  # the name is that of a definition, or derived from it
    marks: str = ""  # a pattern of code on or in such a definition
    # a pattern whose group is the part of the name that is used, with its first letter in lower case
    called: str = ""
    own: bool = False  # only its own file uses the name
    beside: bool = False  # only files in its folder use the name
    proves: bool = False  # a use can only mean this definition
    loose: bool = False  # other names are used in the same form
    doubts: str = ""  # a pattern in its file that makes the target uncertain
    block: str = ""  # a pattern of the head of a block with such lines, whose name is OWNER
    takes: str = ""  # how a file that uses the name gets OWNER
    again: str = ""  # a pattern of lines that call something else OWNER

    def names_in(self, lines: Collection[str]) -> frozenset[str]:
        """Return the names that lines define."""
        look = re.compile(self.gives.replace("NAME", r"([A-Za-z][\w.-]{1,80})"))
        return frozenset(name for line in lines for match in look.finditer(line) for name in match.groups() if name)

    def in_blocks(self, text: str) -> frozenset[str]:
        """Return the names that the blocks of a text define, qualified by their block."""
        owner, found = "", set[str]()
        for line in text.split("\n"):
            head = re.match(self.block, line)
            owner = head[1] if head is not None else "" if line.startswith("}") else owner
            found |= {f"{owner}.{name}" for name in self.names_in([line]) if owner and head is None}
        return frozenset(found)

    def of_path(self, path: str) -> str:
        """Return the framework's name for a file, or ""."""
        match = re.search(self.path, path) if self.path else None
        return "/".join(filter(None, match.groups())).replace("/", self.mark) if match else ""

    def pattern_of(self, names: Sequence["LostName"]) -> str:
        """Return a pattern of the lines that use any of the names."""
        meant = {
            word: list(dict.fromkeys(one.meaning[word] for one in names)) for word in PLACEHOLDERS if word in self.asks
        }
        return re.sub(
            "|".join(PLACEHOLDERS),
            lambda word: meant[word[0]][0] if len(meant[word[0]]) == 1 else f"(?:{'|'.join(meant[word[0]])})",
            self.asks,
        )

    def name_of(self, short: str) -> str:
        """Return the framework's name for a definition, or ""."""
        found = re.fullmatch(self.called, short) if self.called else None
        return f"{found[1][:1].lower()}{found[1][1:]}" if found else "" if self.called else short

    def is_asked_in(self, path: str, home: str) -> bool:
        """Return whether a file may use a name of another one."""
        is_near = path == home if self.own else path.rpartition("/")[0] == home.rpartition("/")[0] or not self.beside
        return is_near and re.search(self.within, path) is not None


class LostName(Struct, frozen=True):
    """A name that the change removes.

    `key` identifies the definition or the file and name; `qualified` includes the class.
    """

    naming: Naming
    name: str
    home: str
    key: str
    proves: bool = False
    qualified: str = ""

    @property
    def pattern(self) -> str:
        """The pattern of lines that use it."""
        return self.naming.pattern_of([self])

    @property
    def meaning(self) -> Mapping[str, str]:
        """The pattern for each placeholder of a naming."""
        return {
            "DOTTED": _dotted(self.home),
            "OWNER": re.escape(self.qualified.rpartition(".")[0].rpartition(".")[2]),
            "MODULE": re.escape(self.home.rpartition("/")[2].partition(".")[0]),
            "QUALIFIED": re.escape(self.qualified),
            "NAME": re.escape(self.name),
        }

    @property
    def owner(self) -> str:
        """The class or block that contains it."""
        return self.key.rpartition(":")[2].rpartition(".")[0].rpartition(".")[2]

    @property
    def elsewhere(self) -> str:
        """The pattern of lines with which another file may define it, too; "" if a use is unambiguous."""
        is_exact = any(word in self.naming.asks for word in EXACT)
        name = re.escape(self.name)
        if self.naming.again:
            return self.naming.again.replace("OWNER", self.owner)
        return (
            ""
            if is_exact
            else rf"\b(?:def|function|const|let)\s+(?:self\.)?{name}\b|\bname\s*=\s*[\"']{name}[\"']|\bimport\b[^;]*\b{name}\b"
        )


@cache
def namings() -> tuple[Naming, ...]:
    """Return every row."""
    tables = tomllib.loads((Path(__file__).parent / "naming.toml").read_text(encoding="utf-8"))
    definitions = (Naming(**row, of_definition=True) for row in tables["definition"])
    return (*(Naming(**row) for row in (*tables["name"], *tables["path"])), *definitions)


def lost_names(
    files: Sequence[ChangedFile], before: Mapping[str, bytes], texts: Mapping[str, str], head_paths: Collection[str]
) -> Iterator[LostName]:
    """Yield the names that the change removes and no changed file defines.

    `before`, `texts`: the changed files on each side.
    """
    mine = [file for file in files if file.is_analyzed and (is_test(file.path) or not uses_nothing(file.path))]
    removed = {file.path: _removed(file) for file in mine}
    gone_paths = [
        file.old_path
        for file in files
        if file.old_path
        and (file.status == "deleted" or file.old_path != file.path)
        and not uses_nothing(file.old_path)
    ]
    now = [line[:LONG_LINE] for text in texts.values() for line in text.split("\n")] if any(removed.values()) else []
    for naming in namings():
        if naming.of_definition or not _is_used(naming, head_paths):
            continue
        if naming.block:
            rows = [
                (path, raw.decode("utf-8", "replace")) for path, raw in before.items() if re.search(naming.home, path)
            ]
            left = frozenset().union(*map(naming.in_blocks, texts.values())) if rows else frozenset()
            for path, text in rows:
                for name in sorted(naming.in_blocks(text) - left):
                    short, key = name.rpartition(".")[2], f"{path}:{name}"
                    yield LostName(naming, short, path, key, naming.proves, name)
            continue
        if naming.path:
            names = {name: path for path in gone_paths if (name := naming.of_path(path))}
            alive = {naming.of_path(path) for path in head_paths} if names else set()
            yield from (_lost(naming, name, path) for name, path in names.items() if name not in alive)
            continue
        homes = {
            path: lines
            for path, lines in removed.items()
            if re.search(naming.home, path) and (naming.proves or not is_test(path))
        }
        lost = {name: path for path, lines in homes.items() for name in naming.names_in(lines)}
        kept = naming.names_in(now) if lost else frozenset()
        yield from (_lost(naming, name, path) for name, path in lost.items() if name not in kept)


def _lost(naming: Naming, name: str, path: str) -> LostName:
    proves = naming.proves and telling(name)
    return LostName(naming, name, path, f"{path}:{name}", proves)


def blocks_of(files: Iterable[ChangedFile]) -> list[str]:
    """Return the former paths of changed files whose blocks define names."""
    homes = [naming.home for naming in namings() if naming.block]
    return [file.old_path for file in files if file.old_path and any(re.search(one, file.old_path) for one in homes)]


def lost_definitions(
    symbols: Iterable[ChangedSymbol], before: Mapping[str, bytes], after: Mapping[str, str], head_paths: Collection[str]
) -> Iterator[LostName]:
    """Yield the removed names of definitions.

    `before`: their former files; `after`: the changed files after it.
    """
    for naming in namings():
        if not naming.of_definition or not _is_used(naming, head_paths):
            continue
        for item in symbols:
            was = item.before
            if was is None or (item.after is not None and item.after.short == was.short) or was.path not in before:
                continue
            name = naming.name_of(was.short) if re.search(naming.home, was.path) else ""
            if not name or not _is_marked(naming, before[was.path], was.start, was.end):
                continue
            is_exact = any(word in naming.asks for word in EXACT)
            if "OWNER" in naming.asks and "." not in was.name:
                continue
            now = after.get(was.path, "")
            is_there = re.search(rf"(?<![\w.'\"/-]){re.escape(name)}\s*[(=:,]", now) is not None and not naming.own
            is_own = naming.own and item.after is not None
            proves = naming.proves and (is_exact or is_own or telling(name)) and not is_there
            proves &= not (naming.doubts and re.search(naming.doubts, now, re.MULTILINE))
            key = f"{item.symbol.path}:{item.symbol.name}"
            yield LostName(naming, name, was.path, key, proves, was.name)


def _is_used(naming: Naming, paths: Collection[str]) -> bool:
    return not naming.needs or any(re.search(naming.needs, path) for path in paths)


def _is_marked(naming: Naming, source: bytes, start: int, end: int) -> bool:
    lines = file_lines(source)[start - 1 : end][:MOST_LINES]
    return re.search(naming.marks, "\n".join(lines)) is not None


def _dotted(path: str) -> str:
    """Return a pattern of the dotted paths of a module, complete or from one of its folders on."""
    parts = module_path(path).split("/")
    parts = parts[1:] if len(parts) > 1 and parts[0] in SOURCES else parts
    *folders, last = map(re.escape, parts)
    pattern = ""
    for at, folder in enumerate(folders):
        pattern = f"(?:{pattern}{folder}\\.)" + ("?" if at < len(folders) - 1 else "")
    return pattern + last


def _removed(file: ChangedFile) -> list[str]:
    return [
        line.text[:LONG_LINE]
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "-" and not is_comment(line.text, file.path)
    ]
