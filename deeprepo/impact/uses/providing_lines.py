"""Find the lines of the head that can provide a name, and read the files around them."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache

from deeprepo.impact.changes import ChangedFile, Query
from deeprepo.impact.filetypes import filetype, filetypes, main_names, module_name
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolution import Way
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import defines
from deeprepo.impact.text.paths import is_prose
from deeprepo.impact.uses.known_files import KnownFiles, once, types_taken

MOST = 4_000  # lines with one of the names that are checked
MOST_FILES = 300  # files with such lines that are read to find the enclosing blocks
# Lines that can provide a name: after a word, at the start, or as a symbol, string or list entry. A member
# access cannot.
_BEFORE = r"(?<=[\w>\]?*&)][ \t])|(?<=[:\"'`@$\\.(\[{,])|(?<=[{,;(][ \t])|^\s*"
_MAY = rf"(?:{_BEFORE})(?:NAMES)\b(?!\()|(?:^\s*|[\w>\]?*&)][ \t]+|\.)(?:NAMES)\s*[(<]"


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

    @property
    def is_bare(self) -> bool:
        """Whether the user writes a member's name without a receiver, as if it were declared around it."""
        return re.search(rf"(?<![\w.:>$@]){re.escape(self.names[0])}\b", self.text) is not None


class Line(Struct, frozen=True):
    """A line of the head."""

    path: str
    line: int
    text: str


class ProvidingLines:
    """The lines of the head that can provide one of the names, and the files that show what they are a part of."""

    def __init__(self, tree: Tree, files: Sequence[ChangedFile], accused: Collection[tuple[str, int]]) -> None:
        self.tree, self.files = tree, files
        self.accused = accused  # the lines that use the names
        self.added = {file.path: file.added_lines for file in files}
        self.answers: dict[tuple[Hashable, ...], object] = {}
        self.paths: Collection[str] = ()
        self.by_name: dict[str, list[Line]] = defaultdict(list)
        self.wholesale: list[Line] = []  # added lines that re-export everything from another module
        self.shared: list[Line] = []  # added lines that make a module's names visible in other files
        self.now, self.before = KnownFiles({}), KnownFiles({})
        self.gap = ""  # why lines are missing
        self.left_out: Collection[str] = ()  # files with a line that were not read
        self._types_taken = frozenset[str]()  # types from which everything is imported into all files

    async def read(self, claims: Sequence[Claim]) -> None:
        """Search the head for the names, and read the files that can provide them."""
        self.paths = await self.tree.entries()
        homes = {home for claim in claims for home in claim.homes}
        words = {word for claim in claims for name in claim.names if (word := name.rstrip("?!="))}
        either = "|".join(map(re.escape, sorted(words | _path_names(homes - {*self.paths}))))
        may, look = _MAY.replace("NAMES", either), re.compile(rf"(?<!\w)({either})(?!\w)")
        await self._search(may, look, suffixes({path for claim in claims for path in (*claim.homes, claim.user)}))
        await self._search_imports({posixpath.splitext(claim.user)[1]: claim.user for claim in claims})
        near = {path for home in homes for path in (home, *parents(home))} | {claim.user for claim in claims}
        codes = _codes_of_pages({claim.user for claim in claims}, self.paths)
        near |= codes
        paths = self._by_use(near)
        self.now = KnownFiles(await self.tree.read_many(paths[: MOST_FILES + len(near)]))
        self.left_out = frozenset(paths[MOST_FILES + len(near) :])
        if self.gap or codes:
            self._read_near(near if self.gap else codes, re.compile(may), look)
        self.before = KnownFiles(await self.tree.read_many(sorted(homes), "base"))
        for path in near:
            lines = self.now.lines(path)
            added = self.now.offers_wholesale(path).intersection(self.added.get(path, ()))
            self.wholesale += [Line(path, at, lines[at - 1]) for at in sorted(added)]
        for claim in claims:
            self._compose(claim)

    async def _search(self, may: str, look: re.Pattern[str], ends: Sequence[str]) -> None:
        stopped = len(self.tree.stopped_searches)
        query = Query([may], [f"*{one}" for one in ends], syntax="perl", limit=MOST)
        rows = await self.tree.grep_lines(query)
        if len(rows) >= MOST or len(self.tree.stopped_searches) > stopped:
            self.gap = "too many lines contain the name to check all of them"
        for path, line, text in rows:
            if not is_prose(path):
                for name in dict.fromkeys(look.findall(text)):
                    self.by_name[name].append(Line(path, line, text))

    async def _search_imports(self, users: Mapping[str, str]) -> None:
        """Search the imports that apply to all files of a project. `users`: suffix -> a file with it."""
        for suffix, user in sorted(users.items()):
            if form := rules_of(user).global_imports:
                found = await self.tree.grep_lines(Query([form], [f"*{suffix}"], syntax="perl"))
                self._types_taken |= types_taken(f"x{suffix}", "\n".join(text for _, _, text in found).encode())
            if form := rules_of(user).shared_imports:
                found = await self.tree.grep_lines(Query([form], [f"*{suffix}"], syntax="perl"))
                self.shared += [Line(*row) for row in found if row[1] in self.added.get(row[0], ())]

    def _by_use(self, near: Collection[str]) -> list[str]:
        """Return the files near the former ones, then the others with a line: first those that changed or provide it."""
        rows = [(name, one) for name, some in self.by_name.items() for one in some if one.path not in near]
        providing = {one.path for name, one in rows if defines(one.text, name, one.path)}
        others = {one.path for _, one in rows}
        return [
            *sorted(path for path in near if path in self.paths),
            *sorted(others, key=lambda path: (path not in self.added, path not in providing, path)),
        ]

    def _read_near(self, near: Iterable[str], may: re.Pattern[str], look: re.Pattern[str]) -> None:
        """Add the lines of the files that most likely provide a name, after a search that had too many lines."""
        known = {(one.path, one.line) for some in self.by_name.values() for one in some}
        for path in sorted(near):
            for number, text in enumerate(self.now.lines(path), 1):
                if (path, number) not in known and not is_prose(path) and may.search(text):
                    for name in dict.fromkeys(look.findall(text)):
                        self.by_name[name].append(Line(path, number, text))

    def _compose(self, claim: Claim) -> None:
        """Add the lines that compose method names from several words, so that none contains the name as a word."""
        for home in claim.homes:
            for number, text in enumerate(self.now.lines(home), 1):
                is_maker = any(word in text for word in rules_of(home).composing_words)
                if is_maker and (home, number) not in self.accused:
                    self.by_name[claim.names[0].rstrip("?!=")].append(Line(home, number, text))

    def of(self, name: str) -> Sequence[Line]:
        """Return the lines with a name."""
        return self.by_name.get(name.rstrip("?!="), ())

    @once
    def way(self, name: str, candidate: Line, *, is_module: bool, is_word: bool) -> Way | None:
        """Return how a line provides a name to other files, or None."""
        return self.now.way(name, candidate.path, candidate.line, candidate.text, is_module=is_module, is_word=is_word)

    def types_taken_by(self, user: str) -> frozenset[str]:
        """Return the types from which a file imports everything, itself or with the whole project."""
        shared = self._types_taken if rules_of(user).global_imports else frozenset[str]()
        return shared | self.now.taken_from(user)


@lru_cache(maxsize=4_096)
def parents(path: str) -> frozenset[str]:
    """Return the files that may re-export a file: the main files of its folder and of the parent folder."""
    folder, (stem, suffix) = posixpath.dirname(path), posixpath.splitext(path)
    names, ends = main_names(path), {suffix, *suffixes([path])}
    folders = {folder, posixpath.dirname(folder), stem}
    beside = {f"{folder}{suffix}", f"{stem}{suffix}"} if folder and rules_of(path).submodule_folders else set()
    if rules_of(path).has_headers:  # a source and its header
        beside |= {f"{stem}{end}" for end in ends}
    inside = {posixpath.join(one, f"{name}{end}") for one in folders for name in names for end in ends}
    return frozenset(inside | beside) - {path}


def is_code_of_page(path: str, page: str) -> bool:
    """Return whether a file is the code of a page, which has no parser: `Cart.razor.cs`, or `cart.ts` for `cart.html`."""
    is_both = bool(filetype(path).folder) and not filetype(page).folder
    return is_both and posixpath.splitext(path)[0] in (page, posixpath.splitext(page)[0])


def _codes_of_pages(users: Collection[str], paths: Collection[str]) -> set[str]:
    stems = {stem: user for user in users if not filetype(user).folder for stem in (user, posixpath.splitext(user)[0])}
    found = ((path, stems.get(posixpath.splitext(path)[0])) for path in (paths if stems else ()))
    return {path for path, user in found if user is not None and is_code_of_page(path, user)}


def suffixes(paths: Collection[str]) -> list[str]:
    """Return the suffixes of all files in the families of these files."""
    own = {posixpath.splitext(path)[1] for path in paths}
    return sorted(own.union(*(_family(family) for path in paths if (family := filetype(path).family))) - {""})


@lru_cache(maxsize=256)
def _family(name: str) -> frozenset[str]:
    return frozenset(suffix for one in filetypes() if one.family == name for suffix in one.suffixes)


def _path_names(paths: Iterable[str]) -> set[str]:
    """Return the names of the files' modules and their parent modules."""
    around = {
        part
        for path in paths
        if rules_of(path).submodule_folders
        for part in posixpath.dirname(path).rpartition("src/")[2].split("/")
    }
    return {part for part in {*map(module_name, paths), *around} if part.isidentifier() and part not in ("src", "lib")}
