"""Check whether the head still provides a name where it is used.

This is done before a name is reported as removed, moved or required, and once for all names of a change. Any
line that can provide a name counts (`providers.py`), in any language, if the user can reach it there:

| what was provided | where a line that provides it counts |
|---|---|
| a module | in the files through which its old path is reached, or in the user's file if it renames it |
| a name of a module | in its former file, and as above; in its namespace or folder if no import is needed |
| a member | in its class, in what that inherits, mixes in or dereferences to, in an extension of it |

The reported line itself never counts.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from time import thread_time

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Query, Reference
from deeprepo.impact.filetypes import filetype, filetypes, main_names, module_name
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.marks import CLASSES
from deeprepo.impact.resolution import Absent, Found, Resolution, Unknown, Way
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.lines import defines
from deeprepo.impact.text.paths import is_prose, is_test
from deeprepo.impact.uses.known_files import KnownFiles, once, types_taken
from deeprepo.impact.uses.made_names import MadeNames, made_names
from deeprepo.impact.uses.meanings import Assumed, Question, found_after, meant_another, question_about
from deeprepo.impact.uses.providers import GLOB, MACRO, TYPE, is_declared_still, is_invoked
from deeprepo.impact.uses.texts import roles
from deeprepo.impact.values import MODULE

MOST = 4_000  # lines with one of the names that are checked
MOST_FILES = 300  # files with such lines that are read to find the enclosing blocks
# Lines that can provide a name: after a word, at the start, or as a symbol, string or list entry. A member
# access cannot.
_MAY = r"(?:(?<=[\w>\]?*&)][ \t])|(?<=[:\"'`@$\\.(\[{,])|(?<=[{,;(][ \t])|^\s*)(?:NAMES)\b(?!\()|(?:^\s*|[\w>\]?*&)][ \t]+|\.)(?:NAMES)\s*[(<]"
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAMED = re.compile(r"\b(?:class|struct|record|interface|enum|trait|object|union|type)\s++(?:class\s++)?(\w++)")
# What a type's head opens: a type, or a further part of one.
_OPENED = re.compile(rf"{_NAMED.pattern}|\b(?:extension|protocol|actor)\s++(\w++)")
_FOR_ALL = re.compile(r"\s*+global\s++using\s++\w++\s*+=")  # an alias for all files of a project
_ATTRIBUTE = re.compile(r"\s*+(?:@(?!(?:Override|Suppress|Deprecated)\b)[A-Za-z]|#\[|\[[A-Z])")
_FROM_THE_ROOT = re.compile(r"(?<![\w:>)\]])::\w++")
_ACCESSOR = re.compile(r"(?:get|set|is|with)([A-Z]\w*)$")


class Claim(Struct, frozen=True):
    """A name in an unchanged line that the change seems to have removed."""

    names: tuple[str, ...]  # the name, and other spellings with which a language provides it
    owner: str  # the class of a member
    homes: tuple[str, ...]  # files that provided it before the change
    user: str
    is_module: bool = False
    is_resolved: bool = False  # the language's resolver found nothing, so plain declarations need not be searched
    is_word: bool = False  # the name only matches as a word
    text: str = ""  # the line of the user
    extended: str = ""  # the type that the name extends, unless the line calls it on its own class
    line: int = 0  # of the definition before the change; 0 if unknown


class _Line(Struct, frozen=True):
    path: str
    line: int
    text: str


async def with_resolutions(
    tree: Tree,
    files: Sequence[ChangedFile],
    symbols: Iterable[ChangedSymbol],
    references: Sequence[Reference],
    seconds: float,
) -> list[Reference]:
    """Return the references, with a resolution for each that assumes something is missing.

    Its certainty is lowered accordingly. What is not checked within `seconds` of CPU time is unknown.
    """
    by_key = {item.key: item for item in symbols}
    claims = {row: claim for row in references if (claim := _claim(row, by_key)) is not None}
    if not claims:
        return list(references)
    questions = {row: one for row, claim in claims.items() if (one := _question(row, claim)) is not None}
    reported = {(row.path, row.line) for row in claims}
    after = await found_after(tree, set(questions.values()), reported)
    others = await _of_others(tree, files, {row: one for row, one in questions.items() if one not in after}, claims)
    references = [row for row in references if row not in others]
    claims = {row: claim for row, claim in claims.items() if row not in others}
    found = {row: after[one] for row, one in questions.items() if one in after}
    left = {row: claim for row, claim in claims.items() if row not in found}
    check = _Check(tree, files)
    if left:
        await check.read({(row.path, row.line) for row in claims}, [*left.values()])
    late = Unknown(f"the check of all names took more than {seconds:g} s of CPU time", is_by_line=False)
    end = thread_time() + seconds
    untouched = {row for row, claim in left.items() if check.is_untouched(claim)}
    answers: dict[Reference, Resolution] = {
        **found,
        **{row: check.resolve(claim) if thread_time() < end else late for row, claim in left.items()},
    }
    known = {_key_without_class(row): answer for row, answer in answers.items() if row.symbol in by_key}
    for row, answer in list(answers.items()):
        if row.symbol not in by_key:  # a file exports it under the name of one of its definitions
            answers[row] = known.get(_key_without_class(row), answer)
    return [
        row
        if row not in claims
        else replace(row, target_state="present", asks=False)
        if row in untouched
        else _said(row, answers[row])
        for row in references
    ]


def _key_without_class(row: Reference) -> tuple[str, int, str]:
    """Return a key of a reference and its definition without the class: `Prices.java:total` may mean `Prices.total`."""
    path, _, name = row.symbol.rpartition(":")
    return row.path, row.line, f"{path}:{name.rpartition('.')[2]}"


def _claim(row: Reference, by_key: Mapping[str, ChangedSymbol]) -> Claim | None:
    """Return what a reference assumes to be missing, or None."""
    path, _, full = row.symbol.rpartition(":")
    item = by_key.get(row.symbol)
    before = item.before if item is not None else None
    home = before.path if before is not None else path
    is_gone = item is None or not {"removed", "renamed"}.isdisjoint(item.contract)
    is_open = row.likely or (row.target_state == "unknown" and row.missing_part is None and (row.sure or row.asks))
    if not (row.is_lost or (is_open and is_gone)):
        return None
    if full == MODULE:
        types = _types_in(row, [one for key, one in by_key.items() if key.startswith(f"{path}:")])
        if types:
            return Claim(types, "", (path,), row.path, text=row.text)
        return Claim((module_name(path),), "", (path,), row.path, is_module=True)
    name = row.name
    owner = before.owner if before is not None else full.rpartition(".")[0]
    is_on_class = (
        re.search(rf"\b{re.escape(owner.rpartition('.')[2])}\s*\.\s*{re.escape(name)}\b", row.text) is not None
    )
    extended = before.extends.rpartition(".")[2] if before is not None and not is_on_class else ""
    others = (_made_of(name),) if (name := name.removesuffix("()")) and _made_of(name) else ()
    return Claim(
        (name, *others),
        owner.rpartition(".")[2],
        (home,),
        row.path,
        is_resolved=row.is_lost,
        is_word=row.asks,
        text=row.text,
        extended=extended,
        line=before.start if before is not None else 0,
    )


def _question(row: Reference, claim: Claim) -> Question | None:
    """Return what to ask the resolver about a reference."""
    if claim.is_module or row.missing_part is not None:
        return None
    line = row.line if row.form == "import" else 0
    return question_about(claim.user, claim.names[0], claim.owner, claim.homes[0], claim.text, line)


async def _of_others(
    tree: Tree, files: Sequence[ChangedFile], questions: Mapping[Reference, Question], claims: Mapping[Reference, Claim]
) -> Collection[Reference]:
    """Return the references that meant another definition before the change."""
    assumed = defaultdict[Question, list[Assumed]](list)
    for row, one in questions.items():
        claim = claims[row]
        # where it is only exported or implemented, its definition is elsewhere
        is_defined = claim.line > 0 and not any(rules_of(home).has_headers for home in claim.homes)
        assumed[one].append(Assumed(claim.homes, is_defined=is_defined, is_resolved=row.is_lost))
    former = {file.path: file.old_path for file in files if file.old_path}
    others = await meant_another(tree, assumed, former)
    return {row for row, one in questions.items() if one in others}


def _types_in(row: Reference, lost: Iterable[ChangedSymbol]) -> tuple[str, ...]:
    """Return the type of a removed file that a line names without an import, where a file is named after its type."""
    if not filetype(row.path).named_types or re.match(r"\s*(?:import|using)\b", row.text):
        return ()
    names = [one.before.short for one in lost if one.before is not None and not one.before.owner]
    return tuple(name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}\b", row.text))[:1]


def _made_of(name: str) -> str:
    """Return the property for which a language may generate an accessor of this name."""
    found = _ACCESSOR.match(name)
    return found[1][:1].lower() + found[1][1:] if found else ""


def _said(row: Reference, answer: Resolution) -> Reference:
    """Return a reference that is no more certain than its resolution."""
    said = replace(row, resolution=answer)
    if isinstance(answer, Absent):
        return said
    if isinstance(answer, Found):
        return replace(said, target_state="present", asks=False)
    return (
        replace(said, target_state="unknown")
        if row.symbol.endswith(f":{MODULE}") or not row.is_lost
        else replace(said, target_state="likely")
    )


class _Check:
    """The lines of the head that can provide one of the names."""

    def __init__(self, tree: Tree, files: Sequence[ChangedFile]) -> None:
        self._tree, self._files = tree, files
        self.answers: dict[tuple[Hashable, ...], object] = {}
        self._made_names = MadeNames({}, {}, {})
        self._added = {file.path: file.added_lines for file in files}
        self._lines: dict[str, list[_Line]] = defaultdict(list)
        self._globs: list[_Line] = []
        self._now, self._before = KnownFiles({}), KnownFiles({})
        self._gap = ""
        self._left_out: Collection[str] = ()  # files with a line that were not read
        self._types_taken = frozenset[str]()  # types from which everything is imported into all files
        self._shared: list[_Line] = []  # added lines that make a module's names visible in other files
        self._accused: Collection[tuple[str, int]] = ()
        self._paths: Collection[str] = ()

    async def read(self, accused: Collection[tuple[str, int]], claims: Sequence[Claim]) -> None:
        """Search the head for the names, and read the files that can provide them."""
        self._accused, self._paths = accused, await self._tree.entries()
        gone = {home for claim in claims for home in claim.homes if home not in self._paths}
        names = sorted(
            {word for claim in claims for name in claim.names if (word := name.rstrip("?!="))} | _path_names(gone)
        )
        suffixes = _suffixes({path for claim in claims for path in (*claim.homes, claim.user)})
        self._made_names = await made_names(self._tree, self._files, suffixes)
        either = "|".join(map(re.escape, names))
        query = Query([_MAY.replace("NAMES", either)], [f"*{one}" for one in suffixes], syntax="perl", limit=MOST)
        stopped = len(self._tree.stopped_searches)
        rows = await self._tree.grep_lines(query)
        if len(rows) >= MOST or len(self._tree.stopped_searches) > stopped:
            self._gap = "too many lines contain the name to check all of them"
        look = re.compile(rf"(?<!\w)({either})(?!\w)")
        for path, line, text in rows:
            if not is_prose(path):
                for name in dict.fromkeys(look.findall(text)):
                    self._lines[name].append(_Line(path, line, text))
        forms = {posixpath.splitext(one.user)[1]: form for one in claims if (form := rules_of(one.user).global_imports)}
        for suffix, form in sorted(forms.items()):
            found = await self._tree.grep_lines(Query([form], [f"*{suffix}"], syntax="perl"))
            self._types_taken |= types_taken(f"x{suffix}", "\n".join(text for _, _, text in found).encode())
        shared = {
            posixpath.splitext(one.user)[1]: form for one in claims if (form := rules_of(one.user).shared_imports)
        }
        for suffix, form in shared.items():
            found = await self._tree.grep_lines(Query([form], [f"*{suffix}"], syntax="perl"))
            self._shared += [_Line(*row) for row in found if row[1] in self._added.get(row[0], ())]
        homes = {home for claim in claims for home in claim.homes}
        near = {path for home in homes for path in (home, *parents(home))} | {claim.user for claim in claims}
        made = [claim for claim in claims if any(filetype(home).symbols for home in claim.homes)]
        paths = self._by_use(near)
        self._now = KnownFiles(await self._tree.read_many(paths[: MOST_FILES + len(near)]))
        self._left_out = frozenset(paths[MOST_FILES + len(near) :])
        if self._gap:
            self._read_near(near, re.compile(_MAY.replace("NAMES", either)), look)
        self._before = KnownFiles(await self._tree.read_many(sorted(homes), "base"))
        for path in near:
            lines = self._now.lines(path)
            self._globs += [
                _Line(path, number, lines[number - 1])
                for number in self._added.get(path, ())
                if 0 < number <= len(lines) and GLOB.search(lines[number - 1])
            ]
        for claim in made:  # a method with a composed name has no line with that word
            self._compose(claim)

    def _by_use(self, near: Collection[str]) -> list[str]:
        """Return the files near the former ones, then the others with a line: first those that changed or provide it."""
        rows = [(name, one) for name, some in self._lines.items() for one in some if one.path not in near]
        providing = {one.path for name, one in rows if defines(one.text, name, one.path)}
        others = {one.path for _, one in rows}
        return [
            *sorted(path for path in near if path in self._paths),
            *sorted(others, key=lambda path: (path not in self._added, path not in providing, path)),
        ]

    def _read_near(self, near: Iterable[str], may: re.Pattern[str], look: re.Pattern[str]) -> None:
        """Add the lines of the files that most likely provide a name, after a search that had too many lines."""
        known = {(one.path, one.line) for some in self._lines.values() for one in some}
        for path in sorted(near):
            for number, text in enumerate(self._now.lines(path), 1):
                if (path, number) not in known and not is_prose(path) and may.search(text):
                    for name in dict.fromkeys(look.findall(text)):
                        self._lines[name].append(_Line(path, number, text))

    def _compose(self, claim: Claim) -> None:
        """Add the lines of a class that compose method names from several words."""
        for home in claim.homes:
            for number, text in enumerate(self._now.lines(home), 1):
                if (
                    any(word in text for word in ("define_", "delegate", "enum"))
                    and (home, number) not in self._accused
                ):
                    self._lines[claim.names[0].rstrip("?!=")].append(_Line(home, number, text))

    def is_untouched(self, claim: Claim) -> bool:
        """Return whether nothing was removed, because the file only extended a type of that name or used the name.

        It is also untouched if the line cannot mean what was removed.
        """
        if claim.is_module:
            return False
        name = claim.names[0]
        if rules_of(claim.user).dotted_extensions and self._is_bare(claim) and self._extended(name, claim.homes):
            return not self._may_call_bare(claim)
        if self._is_at_the_root(claim):
            return True
        if claim.owner:
            return False
        is_beside = claim.user in claim.homes or (
            _shared(claim.user) == "folder"
            and {*map(posixpath.dirname, claim.homes)} == {posixpath.dirname(claim.user)}
        )
        if is_beside and name in rules_of(claim.user).ambient:  # the language has a function of that name
            return True
        return self._only_used(name, claim.homes, is_word=claim.is_word)

    def _is_at_the_root(self, claim: Claim) -> bool:
        """Return whether a line only contains the name as `::Paddle`, but the definition was nested in another one."""
        is_written_so = (
            re.search(rf"(?<!\w){re.escape(claim.names[0])}(?!\w)", _FROM_THE_ROOT.sub("", claim.text)) is None
        )
        return is_written_so and any(claim.owner or self._before.around(home, claim.line) for home in claim.homes)

    def _may_call_bare(self, claim: Claim) -> bool:
        """Return whether the user may call an extension without an object.

        This is possible in another part of its class, and if the user or the whole project takes everything from it.
        """
        types, word = self._types_taken_by(claim.user), rules_of(claim.user).dotted_extensions
        is_taken = claim.owner in types if claim.owner else bool(types)
        return is_taken or claim.user not in self._now or word in self._now.text(claim.user)

    @once
    def _extended(self, name: str, homes: Sequence[str]) -> bool:
        """Return whether a name was only that of extensions in these files."""
        rows = [one for home in homes for one in self._before.outline(home).definitions if one.short == name]
        return bool(rows) and all(one.extends for one in rows)

    @once
    def _only_used(self, name: str, homes: Sequence[str], *, is_word: bool) -> bool:
        """Return whether files only extended a type of that name before the change, or used the name."""
        lines = [
            _Line(home, number, line)
            for home in homes
            for number, line in enumerate(self._before.lines(home), 1)
            if name in line
        ]
        if any(("reads", name) in roles(one.path, one.text) for one in lines):
            return False  # a variable is no longer read, and lines that set it remain
        others = [one for one in lines if not _extends(name, one.text)]
        declared = any(self._before.way(name, one.path, one.line, one.text) for one in others)
        is_used = is_word and any(re.search(rf"\.{re.escape(name)}\b", one.text) for one in lines)
        return not declared and (is_used or len(others) < len(lines))

    def resolve(self, claim: Claim) -> Resolution:
        """Return whether the head provides a name where it is used."""
        is_left_out = False
        for name in claim.names:
            for one in self._lines.get(name.rstrip("?!="), ()):
                way = self._provides(claim, name, one)
                if way is not None and self._reaches(claim, one, way):
                    return Found(one.path, one.line)
                # only the lines above it show what it is a part of
                is_left_out |= way in ("declaration", "accessor") and one.path in self._left_out
        near = {path for home in claim.homes for path in (home, *parents(home))}
        suffix = posixpath.splitext(claim.user)[1]
        globs = [one for one in self._globs if one.path in near]
        globs += [one for one in self._shared if one.path.endswith(suffix)]
        if globs and any(
            self._way(claim.names[0], one, is_module=False, is_word=claim.is_word)
            for one in self._lines.get(claim.names[0], ())
            if one.path != claim.user
        ):
            return Found(globs[0].path, globs[0].line)
        if globs:
            return Unknown(f"{globs[0].path}:{globs[0].line} re-exports everything from an unknown module")
        if (macro := self._macro(claim.homes, claim.owner)) is not None:
            return Unknown(f"the macro at {macro.path}:{macro.line} may declare it")
        made = self._around_module(claim) if claim.is_module else self._made(claim)
        made = made or self._by_added_lines(claim.names[0], claim.homes, is_module=claim.is_module)
        if made is None and claim.owner and not claim.is_module:
            made = self._generated(claim.homes, claim.owner)
        made = made or self._of_another(claim.homes, claim.line)
        if made is not None:
            return made
        gap = self._gap or ("too many files contain the name to read all of them" if is_left_out else "")
        return Unknown(gap, is_by_line=False) if gap else Absent()

    @once
    def _by_added_lines(self, name: str, homes: Sequence[str], *, is_module: bool) -> Resolution | None:
        """Return what added lines may define without a declaration, in the former file or on the module's path."""
        now = {file.old_path: file.path for file in self._files if file.old_path}
        near = {path for home in homes for path in (home, now.get(home, home))}
        near = {path for home in near for path in parents(home)} if is_module else near
        return self._made_names.provider(name, near, is_module=is_module)

    @once
    def _macro(self, homes: Sequence[str], owner: str) -> _Line | None:
        """Return an added macro call in a place for declarations, which may declare the name."""
        for path in dict.fromkeys(one for home in homes for one in (home, *sorted(parents(home)))):
            lines = self._now.lines(path)
            for number in sorted(self._added.get(path, ())) if path in self._now else ():
                text = lines[number - 1] if number <= len(lines) else ""
                if not MACRO.match(text):
                    continue
                heads = self._now.around(path, number)
                is_of = any(re.search(rf"\b{re.escape(owner)}\b", head) for head in heads if TYPE.search(head))
                is_top = path in homes and all(TYPE.search(head) for head in heads)
                if (is_of and owner) or (is_top and not owner):
                    return _Line(path, number, text)
        return None

    @once
    def _generated(self, homes: Sequence[str], owner: str) -> Unknown | None:
        """Return what may generate the members of a class: an added attribute on it, or a call that makes the class."""
        name = re.escape(owner)
        made = re.compile(rf"^[ \t]*+(?:export\s++)?(?:(?:const|let|var|val)\s++)?{name}\s*+=\s*+[\w.]++\(")
        head = re.compile(rf"(?:{TYPE.pattern})[^\n]{{0,200}}?\b{name}\b")
        for home in homes:
            lines, added = self._now.lines(home), self._added.get(home, ())
            for number, text in enumerate(lines, 1):
                if made.match(text):
                    return Unknown(f"{home}:{number} makes {owner} with a call")
                if number in added and _ATTRIBUTE.match(text):
                    below = next((one for one in lines[number:] if not _ATTRIBUTE.match(one)), "")
                    if head.search(below) or any(map(head.search, self._now.around(home, number))):
                        return Unknown(f"the attribute at {home}:{number} may generate it")
        return None

    @once
    def _of_another(self, homes: Sequence[str], line: int) -> Unknown | None:
        """Return that a name may still be there, because the change only removed a declaration of it."""
        for home in homes:
            form, lines = rules_of(home).declares_others, self._before.lines(home)
            if form and 0 < line <= len(lines):
                heads = (lines[line - 1], *self._before.around(home, line))
                if any(re.match(form, head) for head in heads):
                    return Unknown(f"{home}:{line} only declared what something else defines")
        return None

    def _around_module(self, claim: Claim) -> Resolution | None:
        """Return what provides a removed parent module: `pub use core::connector;` also provides `connector::error`."""
        for home in claim.homes:
            folder = posixpath.dirname(home)
            suffix, entry = posixpath.splitext(home)[1], filetype(home).folder_file
            while rules_of(home).submodule_folders and posixpath.basename(folder) not in ("", "src"):
                if f"{folder}{suffix}" in self._paths or f"{folder}/{entry}{suffix}" in self._paths:
                    break
                above = Claim((posixpath.basename(folder),), "", (f"{folder}{suffix}",), claim.user, is_module=True)
                answer = self.resolve(above)
                if not isinstance(answer, Absent):
                    return answer
                folder = posixpath.dirname(folder)
        return None

    def _made(self, claim: Claim) -> Resolution | None:
        """Return what provides a name without a line: an implicit constructor, or the module under another path."""
        for home in claim.homes:
            if claim.owner and rules_of(home).is_constructor(claim.names[0]):
                types = [one for one in self._now.outline(home).definitions if one.kind in CLASSES]
                if found := next((one for one in types if one.short == claim.owner), None):
                    return Found(home, found.line)
            if home not in self._now and home not in self._paths:
                module = self.resolve(Claim((module_name(home),), "", (home,), claim.user, is_module=True))
                if not isinstance(module, Absent):
                    return module
        return None

    def _provides(self, claim: Claim, name: str, one: _Line) -> Way | None:
        if is_test(one.path) and not any(map(is_test, (claim.user, *claim.homes))):
            return None
        if (one.path, one.line) in self._accused:
            if claim.is_module or not self._is_near(claim, one):
                return "path attribute" if claim.is_module and self._has_path(one) else None
            return "accessor" if is_invoked(name, one.text) or is_declared_still(name, one.path, one.text) else None
        if name != claim.names[0] and not self._has_accessors(claim, one):
            return None
        return self._way(name, one, is_module=claim.is_module, is_word=claim.is_word)

    @once
    def _way(self, name: str, one: _Line, *, is_module: bool, is_word: bool) -> Way | None:
        return self._now.way(name, one.path, one.line, one.text, is_module=is_module, is_word=is_word)

    def _is_near(self, claim: Claim, one: _Line) -> bool:
        """Return whether a line is in the file that had the name, or in its header."""
        return any(one.path == home or one.path in parents(home) for home in claim.homes)

    def _has_path(self, one: _Line) -> bool:
        """Return whether the line above states the path of the module that a line declares."""
        lines = self._now.lines(one.path)
        return 1 < one.line <= len(lines) and rules_of(one.path).names_path(lines[one.line - 2])

    def _has_accessors(self, claim: Claim, one: _Line) -> bool:
        """Return whether accessors are generated for properties, which the user may call."""
        suffix, of_user = posixpath.splitext(one.path)[1], posixpath.splitext(claim.user)[1]
        is_mixed = suffix != of_user and filetype(one.path).family == filetype(claim.user).family
        return is_mixed or any(map(self._now.has_data_class, claim.homes))

    def _reaches(self, claim: Claim, one: _Line, way: str) -> bool:
        is_own = one.path == claim.user and way == "declaration" and self._is_of_own_type(claim, one)
        if is_own or self._is_known_line(claim, one, way):
            return True
        if way == "declaration" and (
            self._is_taken_from_its_type(claim, one)
            or self._is_in_a_type_of_the_user(claim, one)
            or self._extends_too(claim, one)
        ):
            return True
        if way == "alias" and _shared(claim.user) == "namespace" and _FOR_ALL.match(one.text):
            return True
        if claim.owner and way in ("declaration", "accessor"):
            plain = replace(claim, owner="") if self._is_bare(claim) else None
            is_in_sight = plain is not None and any(self._stands_in(plain, home, one, way) for home in claim.homes)
            return is_in_sight or self._is_of(claim, one)
        if claim.owner and way == "re-export":
            return False
        return any(self._stands_in(claim, home, one, way) for home in claim.homes)

    def _is_known_line(self, claim: Claim, one: _Line, way: str) -> bool:
        """Return whether a line declares the name where it was, or begins a module as a line of the former file did."""
        if (one.path, one.line) in self._accused:
            return is_declared_still(claim.names[0], one.path, one.text)
        return way == "inline module" and any(
            one.text.strip() == line.strip() for home in claim.homes for line in self._before.lines(home)
        )

    def _stands_in(self, claim: Claim, home: str, one: _Line, way: str) -> bool:
        """Return whether a line provides a name for users of another file."""
        if one.path == claim.user and way == "alias":
            return True
        is_plain = way in ("declaration", "re-export") and claim.is_resolved and _shared(one.path) != "namespace"
        heads = self._now.around(one.path, one.line) if way == "declaration" else []
        is_top = not any(TYPE.search(head) for head in heads if not _is_scope(head))
        if one.path in parents(home):
            if is_top and rules_of(home).has_headers:
                return True  # a source sees all that its header declares
            module = re.compile(rf"\b(?:mod|namespace|module)\s+{re.escape(module_name(home))}\b")
            return way != "declaration" or (is_top and any(map(module.search, heads)))
        if way == "declaration" and not claim.is_module and self._is_mixed_in(home, heads):
            return True
        return (
            not is_plain
            and is_top
            and (one.path == home or (not claim.is_module and self._is_in_sight(claim, home, one)))
        )

    def _is_mixed_in(self, home: str, heads: Sequence[str]) -> bool:
        """Return whether a file mixes in the module that its line is in, as `use Base` does."""
        mixed = self._now.mixed_in(home)
        return any(not mixed.isdisjoint(_WORD.findall(head)) for head in heads if TYPE.search(head))

    def _is_in_sight(self, claim: Claim, home: str, one: _Line) -> bool:
        """Return whether a name is visible as if it were in another file, without an import."""
        if _shared(one.path) == "namespace":
            homes = {self._before.namespace(home), self._now.namespace(claim.user)}
            return self._now.namespace(one.path) in homes or self._now.opens(claim.user, self._now.namespace(one.path))
        is_beside = posixpath.dirname(one.path) == posixpath.dirname(home)
        return _shared(one.path) == "tree" or (_shared(one.path) == "folder" and is_beside)

    def _is_bare(self, claim: Claim) -> bool:
        """Return whether the user writes a member's name without a receiver, as if it were declared around it."""
        return re.search(rf"(?<![\w.:>$@]){re.escape(claim.names[0])}\b", claim.text) is not None

    def _is_taken_from_its_type(self, claim: Claim, one: _Line) -> bool:
        """Return whether the user, or the file that had the name, takes everything from the type around a line."""
        heads = [head for head in self._now.around(one.path, one.line) if TYPE.search(head)]
        types = self._types_taken_by(claim.user).union(*map(self._now.taken_from, claim.homes))
        return bool(heads) and not types.isdisjoint(_NAMED.findall(heads[0]))

    def _types_taken_by(self, user: str) -> frozenset[str]:
        """Return the types from which a file imports everything, itself or with the whole project."""
        shared = self._types_taken if rules_of(user).global_imports else frozenset[str]()
        return shared | self._now.taken_from(user)

    def _is_in_a_type_of_the_user(self, claim: Claim, one: _Line) -> bool:
        """Return whether the user's file has another part of the type around a line, or a type that inherits from it."""
        heads = [head for head in self._now.around(one.path, one.line) if TYPE.search(head) and not _is_scope(head)]
        is_bare = not claim.owner or self._is_bare(claim)
        names = _OPENED.findall(heads[0]) if heads and is_bare and one.path != claim.user else []
        own = self._now.heads(claim.user) if names else ()
        opened = {name for found in names for name in found if name} - {claim.names[0]}  # it's a constructor there
        return any(re.search(rf"\b{name}\b", head) for head in own for name in opened)

    def _is_of_own_type(self, claim: Claim, one: _Line) -> bool:
        """Return whether the user asks a type of its own file for the name, and that type declares it."""
        receivers = re.findall(rf"([A-Za-z_]\w{{0,80}})(?:\.|::){re.escape(claim.names[0])}\b", claim.text)
        heads = [head for head in self._now.around(one.path, one.line) if TYPE.search(head)]
        return bool(heads) and any(re.search(rf"\b{receiver}\b", heads[0]) for receiver in receivers)

    def _is_of(self, claim: Claim, one: _Line) -> bool:
        """Return whether a line declares a member of a class, of its bases or mixins, or in an extension."""
        owner = re.escape(claim.owner)
        if re.search(
            rf"\bthis\s+(?:\w+\.)*{owner}\b|\b(?:fun|val|var|extension)\s+(?:<[^<>\n]{{0,80}}>\s*+)?{owner}\b[^.\n]{{0,200}}\.",
            one.text,
        ):
            return True
        if (claim.extended or claim.is_word) and self._extends_too(claim, one):
            return True
        heads = [head for head in self._now.around(one.path, one.line) if TYPE.search(head)]
        if not heads:
            receiver = rules_of(one.path).receiver_type(one.text)
            is_embedded = bool(receiver) and receiver in self._now.above(claim.owner)
            return is_embedded or (one.path in claim.homes and re.search(rf"\b{owner}\b", one.text) is not None)
        declared = re.split(r"\b(?:extends|implements)\b", heads[0], maxsplit=1)[0]  # not in a subclass
        if re.search(rf"(?<![\w$]){owner}(?![\w$])", declared):
            return self._is_same_type(claim, one, heads[0])
        return not self._now.above(claim.owner).isdisjoint(_WORD.findall(heads[0].partition("(")[0]))

    def _extends_too(self, claim: Claim, one: _Line) -> bool:
        """Return whether a line declares an extension in a namespace that the user sees, for the same type or a call.

        The type of a call's object is unknown, so it may mean an extension of any type.
        """
        is_called = re.search(rf"\.\s*{re.escape(claim.names[0])}\s*(?:<[^<>\n]{{0,200}}>)?\(", claim.text)
        extended = "" if is_called else claim.extended
        if not (is_called or extended) or not re.search(rf"\bthis\s+[\w.]{{0,80}}\b{re.escape(extended)}\b", one.text):
            return False
        namespace = self._now.namespace(one.path)
        homes = {self._before.namespace(home) for home in claim.homes}
        return namespace in homes or self._now.opens(claim.user, namespace)

    def _is_same_type(self, claim: Claim, one: _Line, head: str) -> bool:
        """Return whether a type with the class's name is that class.

        It must be in the class's file, reopen it, or be in the same namespace.
        """
        if one.path in claim.homes or re.search(r"\b(?:impl|extension)\b", head):
            return True
        if any(map(rules_of(one.path).augments, self._now.around(one.path, one.line))):
            return True
        if self._is_near(claim, one) and one.line in self._added.get(one.path, ()):
            return True  # it went from the source into its header, or back
        if any(self._now.renames(home, claim.owner) for home in claim.homes):
            return True
        homes = {self._before.namespace(home) for home in claim.homes}
        return _shared(one.path) == "tree" or (
            _shared(one.path) == "namespace" and self._now.namespace(one.path) in homes
        )


def _extends(name: str, line: str) -> bool:
    """Return whether a line extends a type declared elsewhere."""
    return re.search(rf"\bextension\s+(?:\w+\.)*{re.escape(name)}\b", line) is not None


@lru_cache(maxsize=4_096)
def parents(path: str) -> frozenset[str]:
    """Return the files that may re-export a file: the main files of its folder and of the parent folder."""
    folder, (stem, suffix) = posixpath.dirname(path), posixpath.splitext(path)
    names = main_names(path)
    suffixes = {suffix, *_suffixes([path])}
    folders = {folder, posixpath.dirname(folder), stem}
    beside = {f"{folder}{suffix}", f"{stem}{suffix}"} if folder and rules_of(path).submodule_folders else set()
    if rules_of(path).has_headers:  # a source and its header
        beside |= {f"{stem}{end}" for end in suffixes}
    return frozenset(
        {posixpath.join(one, f"{name}{end}") for one in folders for name in names for end in suffixes} | beside
    ) - {path}


def _shared(path: str) -> str:
    """Return whose names a file sees without imports; "tree" if it has no parser."""
    return filetype(path).shared_names or ("" if filetype(path).folder else "tree")


def _path_names(paths: Iterable[str]) -> set[str]:
    """Return the names of the files' modules and their parent modules."""
    around = {
        part
        for path in paths
        if rules_of(path).submodule_folders
        for part in posixpath.dirname(path).rpartition("src/")[2].split("/")
    }
    return {part for part in {*map(module_name, paths), *around} if part.isidentifier() and part not in ("src", "lib")}


@lru_cache(maxsize=256)
def _family(name: str) -> frozenset[str]:
    return frozenset(suffix for one in filetypes() if one.family == name for suffix in one.suffixes)


def _suffixes(paths: Collection[str]) -> list[str]:
    """Return the suffixes of all files in the families of these files."""
    own = {posixpath.splitext(path)[1] for path in paths}
    return sorted(own.union(*(_family(family) for path in paths if (family := filetype(path).family))) - {""})


def _is_scope(head: str) -> bool:
    """Return whether a head opens a module or namespace rather than a type."""
    return re.search(r"\b(?:namespace|mod|module|defmodule|package|extern)\b", head) is not None
