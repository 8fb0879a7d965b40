"""Check findings in new lines against the base, which is assumed to build.

A place is dropped if the build may create what is missing. It is also dropped if an unchanged line in the
base has the same problem with the same module, package, class or function, because then the analysis does not
understand that code. A missing name is not proven if the file that should define it contains the word, nor a
missing module if another folder has its file.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.new_lines.forward import places
from deeprepo.impact.paths import above_of, joined, shared_folders
from deeprepo.impact.ports import SideTree
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.resolving.wholes import builds
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.values import Change, Place

ASKED = 16  # base files that are checked for one place
MOST = 48  # base files that are checked for all places
SHORTEST = 3  # letters; shorter names prove nothing in another language
MODULES = ("missing-module", "missing-name")
# Files that describe code and that no build turns into code.
TOLD = re.compile(
    r"\.(?:mdx?|markdown|rst|txt|adoc|po|pot|html?|css|s[ac]ss|less|svg|json[c5]?|lock|csv|tsv|snap|map|diff|patch|ipynb|ya?ml)$|(?:^|/)(?:README|CHANGELOG|LICENSE)[^/]*$",
    re.IGNORECASE,
)
# What precedes a name that is not a member of something else; a member of the own object is one of the class.
NO_MEMBER = r"(?:(?<![.>:])|(?<=[\s(,\[{]:)|(?<=self\.)|(?<=this\.)|(?<=this->))"
TAG = re.compile(r"@[a-z]")  # of a documentation comment: `@typedef {{x: number}} Point`
BUILT = re.compile(r"(?:^|/)CMakeLists\.txt$")


class Precedents(Struct):
    """Compares the places of one change with the base.

    `head` is the tree after the change, as far as it was read.
    """

    base: SideTree
    head: Index
    before: Index
    wrong: dict[tuple[str, str], Place] = field(default_factory=dict)  # key -> where the base has the same problem
    asked: set[str] = field(default_factory=set)  # base files that were checked

    async def hear(self, found: Sequence[Place], change: Change) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
        """Return the places that are confirmed, and those that are not, with their precedents if they have some."""
        confirmed, dropped = list[Place](), list[Place]()
        accused = {(place.path, line) for place in found for line in (place.line, *place.also)}
        for place in found:
            if await self._is_declared_beside(place) or await self._is_built(place):
                dropped.append(place)
            elif (same := await self._precedent(place, change)) is not None:
                dropped.append(replace(place, precedent=f"{same.path}:{same.line}"))
            else:
                is_doubtful = self._is_below_another_folder(place) or self._is_named_there(place, accused)
                confirmed.append(replace(place, certainty="likely") if is_doubtful else place)
        return tuple(confirmed), tuple(dropped)

    def _is_named_there(self, place: Place, accused: Collection[tuple[str, int]]) -> bool:
        """Return whether the file or folder that lacks a name contains it, perhaps in an unknown form of definition.

        Example: a table of names from which a module is filled, or a tag in a comment that declares a type. A member
        of something else proves nothing.
        """
        language = language_of(place.path)
        if language is None or place.rule not in ("missing-name", "missing-member"):
            return False
        name = _last(place.name, language)
        word = re.compile(rf"{NO_MEMBER}(?<![\w$]){re.escape(name)}(?![\w$])")
        is_folder = language.scope.unit == "folder"
        return any(
            (path, number) not in accused and word.search(line) and (TAG.search(line) or not is_comment(line, path))
            for path, source in self.head.sources.items()
            if path != place.path and (posixpath.dirname(path) if is_folder else path) == place.home
            for number, line in enumerate(file_lines(source), 1)
        )

    async def _is_declared_beside(self, place: Place) -> bool:
        """Return whether a file defines the name that differs from the one that lacks it only in its endings.

        Such as the declarations in index.d.ts for index.js.
        """
        language = language_of(place.path)
        if language is None or place.rule != "missing-name" or not place.home:
            return False
        folder = posixpath.dirname(place.home)
        beside = [f"{folder}/{name}".lstrip("/") for name in self.head.paths.names(folder)]
        beside = [path for path in beside if path != place.home and _stem(path) == _stem(place.home)]
        unchanged = await self.base.read([path for path in beside if path not in self.head.sources])
        sources = {**unchanged, **{path: self.head.sources[path] for path in beside if path in self.head.sources}}
        name = _last(place.name, language)
        outlines = (resolving.outline(path, source, "head") for path, source in sources.items())
        return any(symbol.name == name for outline in outlines for symbol in outline.definitions)

    async def _is_built(self, place: Place) -> bool:
        """Return whether the tree shows that the build may create what is missing."""
        language = language_of(place.path)
        modules = self.head.modules(language) if language is not None else None
        if language is None or modules is None or place.rule == "arguments":
            return False
        name = _last(place.name, language)
        if await (self._is_given(place, name) if place.rule == "missing-member" else self._is_called(place, name)):
            return True
        if place.home and modules.is_added_to(place.home, name, self.head.sources):
            return True
        if place.rule == "missing-name" and isinstance(modules, Namespaces) and not place.near:
            # A build may add classes to any package, so the name must have been there before the change.
            return not await self.base.holding(rf"\b{re.escape(name)}\b", self._folder(place))
        folder = modules.built_from(place.path, place.asked, place.home) if place.home else None
        if folder is not None and place.rule in MODULES:
            holders = await self.base.holding(rf"\b{re.escape(name)}\b", folder)
            return any(path not in (place.home, place.path) and language_of(path) is not None for path in holders)
        return place.rule in MODULES and await self._is_said(place, language, name)

    def _is_below_another_folder(self, place: Place) -> bool:
        """Return whether a file has the path after the first word of an import, which may be an alias of a folder.

        Example: `shop/forms/Login` and the file `core/src/forms/Login.ts`. The word may also be a build output folder.
        """
        language, (word, _, rest) = language_of(place.path), place.name.partition("/")
        if (
            language is None
            or place.rule != "missing-module"
            or language.scope.separator != "/"
            or word in ("", ".", "..")
            or "/" not in rest
        ):
            return False
        stems = (rest, f"{rest}/{language.files.folder_file}")
        ends = tuple(f"/{stem}{end}" for stem in stems for end in ("", *language.suffixes))
        return any(path.endswith(ends) for path in self.head.paths.files)

    async def _is_given(self, place: Place, name: str) -> bool:
        """Return whether code assigns the member, as a test fixture may do."""
        owner = re.escape(re.split(r"\W+", place.name.removesuffix(name).rstrip(".:>-"))[-1])
        pattern = rf"""\b{owner}\.{re.escape(name)}\s*=(?![=>])|setattr\(\s*{owner}\s*,\s*["']{re.escape(name)}["']"""
        texts = (source for path, source in self.head.sources.items() if language_of(path) is not None)
        return any(re.search(pattern.encode(), text) for text in texts) or bool(await self.base.holding(pattern))

    def _folder(self, place: Place) -> str:
        """Return the folder that lacks the name."""
        return place.home if self.head.paths.is_folder(place.home) else posixpath.dirname(place.home)

    async def _is_called(self, place: Place, name: str) -> bool:
        """Return whether an attribute or option contains the name.

        Example: `#[builder(name = "Tool")]` generates it.
        """
        if not place.home or place.rule != "missing-name":
            return False
        naming = rf"""\w*[nN]ame\w*\s*[=:]\s*["']{re.escape(name)}["']"""
        return bool(await self.base.holding(naming, posixpath.dirname(place.home)))

    async def _is_said(self, place: Place, language: Language, name: str) -> bool:
        """Return whether another language or a build file contains the name, and may create it."""
        if len(name) < SHORTEST:
            return False
        is_module = place.rule == "missing-module" or posixpath.basename(place.home).startswith("__init__.")
        under = "" if is_module else self._folder(place)
        quoted = rf"""["']{re.escape(place.asked)}["']"""  # in a build script in the same language
        if is_module and language.scope.separator == "." in place.asked.strip(".") and await self.base.holding(quoted):
            return True
        for path in await self.base.holding(rf"(?<![\w-]){re.escape(name)}(?![\w-])", under):
            other = language_of(path)
            is_own = other is not None and other.folder == language.folder
            if not is_own and (BUILT.search(path) or not TOLD.search(path)):
                return True
        return False

    async def _precedent(self, place: Place, change: Change) -> Place | None:
        """Return an unchanged base line with the same problem, or None."""
        language = language_of(place.path)
        if (same := self._same(place)) is not None or language is None:
            return same
        word = _last(place.asked, language)
        pattern = (
            rf"\b{re.escape(word)}\b"
            if place.rule == "arguments" or place.asked == word
            else (rf"""(?:\b(?:import|from|require|use|using)\b|["'`]).*\b{re.escape(word)}\b""")
        )
        around, slash, _ = place.name.rpartition("/")
        if place.rule == "missing-module" and slash == language.scope.separator and place.name[:1] != ".":
            pattern = rf"""{pattern}|["'`]{re.escape(around)}/"""  # a neighbor in the same package or alias
        holders = [path for path in await self.base.holding(pattern) if _is_asked(path, language)]
        mine = [path for path in change if path in self.before.paths.files]
        holders.sort(key=lambda path: (path not in mine, -shared_folders(path, place.path), path))
        for path in holders[:ASKED]:
            if path not in self.asked and len(self.asked) < MOST:
                await self._ask(path)
                if (same := self._same(place)) is not None:
                    return same
        return None

    def _same(self, place: Place) -> Place | None:
        return next((self.wrong[key] for key in _keys(place) if key in self.wrong), None)

    async def _ask(self, path: str) -> None:
        """Check all lines of a base file."""
        self.asked.add(path)
        found, _ = await self.before.settled(
            self.base,
            lambda: places(self.before, {path: range(1, self.before.sources.get(path, b"").count(b"\n") + 2)}),
        )
        self.wrong = {**{key: one for one in found for key in _keys(one)}, **self.wrong}


def _stem(path: str) -> str:
    """Return a path without its endings: "a/index" for a/index.js and a/index.d.ts."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0]}"


def _is_asked(path: str, language: Language) -> bool:
    other = language_of(path)
    return other is not None and other.folder == language.folder and (not other.search_only or builds(other))


def _keys(place: Place) -> Iterator[tuple[str, str]]:
    """Yield keys of what a place shows the analysis may not understand."""
    if place.rule == "arguments":
        yield "arguments", f"{place.source}:{place.asked}"
    elif place.rule != "missing-module":
        yield "names", place.home
    else:
        yield (
            "module",
            place.name if not place.name.startswith(".") else joined(posixpath.dirname(place.path), place.name),
        )
        yield from (("modules", one) for one in _around(place))


def _around(place: Place) -> Iterator[str]:
    """Yield the package around a missing module, as far as the name shows it."""
    language = language_of(place.path)
    if language is None:
        return
    if place.name.startswith("."):
        dots = len(place.name) - len(place.name.lstrip("."))
        if language.scope.separator == "/":
            yield posixpath.dirname(joined(posixpath.dirname(place.path), place.name))
        else:
            folders = [*above_of(place.path), ""]
            yield posixpath.join(folders[min(dots, len(folders)) - 1], *place.name.strip(".").split(".")[:-1])
        return
    around, _, last = place.name.rpartition(language.scope.separator)
    if around:
        yield around
    if language.scope.unit == "folder" and language.scope.separator != "/":
        yield f"*{language.scope.separator}{last}"  # such a folder may be generated in each package


def _last(name: str, language: Language) -> str:
    written = name.rstrip("/")
    endings = language.suffixes if language.any_suffix else ()
    bare = next((written.removesuffix(one) for one in endings if written.endswith(one)), written)
    return re.split(r"[./:\\]", bare)[-1] if language.scope.separator else name
