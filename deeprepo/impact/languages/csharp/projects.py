"""Read the projects of a .NET tree: their files, references and global usings."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from deeprepo.impact.paths import above_of, joined
from deeprepo.impact.text.xml_reader import elements

GLOBAL = re.compile(rb"^[ \t]*+global\s++using\s++(static\s++)?(?:global::)?([\w.]++)\s*+;", re.MULTILINE)
LINKED = (".cs", ".projitems")  # suffixes of files that a project takes from elsewhere
UNREAD = frozenset("$*@%")  # a property or pattern in a path
# these apply to all projects below their folder
SHARED = ("directory.build.props", "directory.build.targets")


class Projects:
    """The contents of project files. Files without a project belong together."""

    def __init__(self, configs: Mapping[str, bytes]) -> None:
        self._texts: dict[str, list[bytes]] = defaultdict(list)  # project folder -> contents that apply to it
        shared = {path: source for path, source in configs.items() if posixpath.basename(path).lower() in SHARED}
        for path, source in configs.items():
            if path.endswith(".csproj"):
                self._texts[posixpath.dirname(path)].append(source)
        for folder, texts in self._texts.items():
            around = {folder, *above_of(folder), ""}
            texts += [source for path, source in shared.items() if posixpath.dirname(path) in around]
        self._refers = {
            folder: _folders(folder, [one for text in texts for one in _references(text)])
            for folder, texts in self._texts.items()
        }
        self._links = {
            folder: _folders(folder, [one for text in texts for one in _linked(text)])
            for folder, texts in self._texts.items()
        }
        self._homes: dict[str, str | None] = {}
        self._usings: dict[str | None, set[str]] = defaultdict(set)
        self.aliases: dict[str | None, set[str]] = defaultdict(set)  # project folder -> names for types
        self._lent: set[str] = set()  # types whose members every file of a project sees
        for folder, texts in self._texts.items():
            for text in texts:
                for given in _attributes(text, "using"):
                    is_static = given.get("static", "").lower() == "true"
                    name, alias = given.get("include", ""), given.get("alias", "")
                    rows = self.aliases if alias else self._usings
                    (self._lent if is_static else rows[folder]).update([alias or name] if is_name(name) else [])
        for path, source in configs.items():
            for is_static, name in GLOBAL.findall(source) if path.endswith(".cs") else ():
                (self._lent if is_static else self._usings[self.home(path)]).add(name.decode())

    def lent(self) -> frozenset[str]:
        """Return the types whose members files see without naming them."""
        return frozenset(self._lent)

    def usings(self, path: str) -> frozenset[str]:
        """Return the global usings of a file's project."""
        return frozenset(self._usings.get(self.home(path), ()))

    def home(self, path: str) -> str | None:
        """Return the folder of the project that contains a file, or None."""
        folder = posixpath.dirname(path)
        if folder not in self._homes:
            around = (folder, *above_of(folder), "")
            self._homes[folder] = next((one for one in around if one in self._texts), None)
        return self._homes[folder]

    def sees(self, importer: str, path: str) -> bool:
        """Return whether a file's project references another file's project; True if unknown."""
        mine, other = self.home(importer), self.home(path)
        if mine is None or other is None or mine == other or not self._is_complete:
            return True
        seen = self._closures.get(mine)
        return seen is None or other in seen or any(path.startswith(f"{one}/") for one in seen - self._texts.keys())

    @cached_property
    def _is_complete(self) -> bool:
        """Return whether projects of this tree reference each other; otherwise something else connects them."""
        return any(self._refers.values())

    @cached_property
    def _closures(self) -> Mapping[str, frozenset[str] | None]:
        """Return project -> folders of its direct and indirect references and of linked files.

        The value is None if one of the paths cannot be read.
        """
        found: dict[str, frozenset[str] | None] = {}
        for home in self._refers:
            seen, level = {home}, [home]
            is_complete = True
            while level:
                links = [self._links.get(one, frozenset()) for one in level]
                rows = [self._refers.get(one, frozenset()) for one in level]
                is_complete = is_complete and all(row is not None for row in (*rows, *links))
                level = sorted({one for row in rows for one in row or ()} - seen)
                seen.update(level, *(row for row in links if row is not None))
            found[home] = frozenset(seen) if is_complete else None
        return found


def is_name(name: str) -> bool:
    """Return whether a text is a name, maybe with dots: not one that a property computes."""
    return all(part.isidentifier() for part in name.split("."))


def _attributes(text: bytes, name: str) -> Iterator[Mapping[str, str]]:
    for element in elements(text):
        if element.name.lower() == name:
            yield {key.lower(): value for key, value in element.attributes.items()}


def _references(text: bytes) -> list[str]:
    return [given["include"] for given in _attributes(text, "projectreference") if "include" in given]


def _linked(text: bytes) -> list[str]:
    """Return the files that a project includes from elsewhere. A pattern becomes a placeholder in its folder."""
    given = [one.get("include", "") for one in _attributes(text, "compile")]
    given += [one.get("project", "") for one in _attributes(text, "import")]
    paths = [
        part.strip().replace("\\", "/") for one in given if one.lower().endswith(LINKED) for part in one.split(";")
    ]
    return [re.sub(r"/(?:\*\*/)?[^/*]*\*[^/]*$", "/x", path) for path in paths]


def _folders(home: str, named: Iterable[str]) -> frozenset[str] | None:
    """Return the folders of files named in a project (separated by semicolons); None if one is computed."""
    paths = [path.strip().replace("\\", "/") for row in named for path in row.split(";") if path.strip()]
    if not all(map(UNREAD.isdisjoint, paths)):
        return None
    return frozenset(posixpath.dirname(joined(home, path)) for path in paths)
