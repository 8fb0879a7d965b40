"""Find dependencies that a manifest no longer lists while code imports them, and renamed packages.

Indirect dependencies are not resolved: a dependency may install another one, and a package may choose its
module names. So only a language that refuses undeclared packages gives a proof. Everything else is a hint
that says what may still install the package.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import Literal

from deeprepo.impact.changes import ChangedFile, Query
from deeprepo.impact.language import language_of, packagings
from deeprepo.impact.packages import DependencyRules, Packaging, Requirement
from deeprepo.impact.paths import is_below
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.text.paths import is_page, is_prose, is_sample, is_test, uses_nothing, vendored_folder
from deeprepo.impact.text.tables import problem
from deeprepo.impact.values import Import, Side
from deeprepo.impact.views import OneSide

_WORD = re.compile(r"[@A-Za-z_][\w./\\@-]*")
_WORD_OF_MODULE = re.compile(r"[./\\:]")
TOP_DOMAIN = 3  # letters of the first word of a group that begins with a domain, as `com`
MOST = 40  # dependencies checked per change
FORK = 6  # letters that the names of a package and its fork have in common
ROWS = 20_000  # lines that may import one of them
UNREAD = "its dependencies could not be compared: it {}"
Certainty = Literal["proven", "likely", "doubtful"]


class Dropped(Struct, frozen=True):
    """A dependency that a manifest no longer lists, or a renamed package of the tree."""

    name: str
    manifest: str  # path before the change
    line: int  # line of the manifest before the change; 0 if it is not written there
    uses: tuple[tuple[str, int, str], ...]  # rows of path, line and text
    certainty: Certainty
    still: str = ""  # a file that may still install it
    renamed: str = ""  # the new name of a package of the tree; its uses begin with manifests that require it


class Comparison(Struct, frozen=True):
    """The result of comparing the manifests on both sides."""

    dropped: tuple[Dropped, ...] = ()
    compared: frozenset[str] = frozenset()
    open: tuple[tuple[str, str], ...] = ()  # pairs of path and reason that were not compared


def is_manifest(path: str) -> bool:
    """Return whether a file lists dependencies that can be compared with imports."""
    return any(_declares(one, path) for one in packagings().values())


def _declares(reader: Packaging, path: str) -> bool:
    """Return whether a file is a manifest of a language."""
    name = posixpath.basename(path)
    is_one = any(fnmatchcase(name, one) or fnmatchcase(path, one) for one in reader.MANIFESTS)
    return is_one and vendored_folder(path) is None


def _is_lock(reader: Packaging, path: str) -> bool:
    return posixpath.basename(path) in reader.LOCKS and vendored_folder(path) is None


class _Side:
    """The manifests of one language on one side of the change."""

    def __init__(self, reader: Packaging, manifests: Mapping[str, bytes]) -> None:
        self.reader, self.manifests = reader, manifests
        self.rules = reader.DEPENDENCIES
        self._names: dict[str, frozenset[str]] = {}

    def names(self, path: str) -> frozenset[str]:
        """Return the dependencies that a manifest lists."""
        if path not in self._names:
            own = self.rules.declared
            rows: Iterable[Requirement] = () if own else self.reader.requirements({path: self.manifests[path]})
            self._names[path] = own(path, self.manifests) if own else frozenset(row.name for row in rows)
        return self._names[path]

    def all_names(self) -> Iterator[str]:
        """Yield the dependencies that the manifests list."""
        return (one for path in self.manifests for one in self.names(path))

    def shipped(self, path: str) -> frozenset[str]:
        """Return the dependencies that are shipped, without development dependencies."""
        shipped = self.rules.shipped
        return shipped(path, self.manifests[path]) if shipped is not None else self.names(path)

    def above(self, path: str) -> list[str]:
        """Return the manifests that apply to a file: all in parent folders, or only the nearest one."""
        mine = [one for one in self.manifests if is_below(path, self.rules.folder(one))]
        if self.rules.is_closed and mine:
            nearest = max(len(self.rules.folder(one)) for one in mine)
            mine = [one for one in mine if len(self.rules.folder(one)) == nearest]
        return mine

    def providers(self, path: str, name: str, spec: str) -> list[str]:
        """Return the listed dependencies that may provide an import, the closest name first.

        `name` is preferred among equally close names. Only tests can use development dependencies.
        """
        names, means = self.names if is_test(path) else self.shipped, self.rules.means
        listed = {one for manifest in self.above(path) for one in names(manifest)}
        mine = [one for one in listed if (one == name if means is None else means(one, spec))]
        return sorted(mine, key=lambda one: (-_closeness(one, spec), one != name, one))


def _closeness(name: str, spec: str) -> float:
    """Return how closely a dependency's name resembles an imported module, from 0 to 1."""
    return SequenceMatcher(None, _plain(name), _plain(spec), autojunk=False).ratio()


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())


async def compare(tree: Tree, files: Sequence[ChangedFile]) -> Comparison:
    """Compare the dependencies in the manifests on both sides with the imports in code."""
    found: list[Dropped] = []
    compared, left = set[str](), list[tuple[str, str]]()
    entries = {side: await tree.entries(side) for side in _SIDES}
    for reader in packagings().values():
        mine = [file for file in files if any(path and _declares(reader, path) for path in (file.path, file.old_path))]
        if not mine:
            continue
        sides: dict[Side, _Side] = {}
        for side in _SIDES:
            paths = [one for one, row in entries[side].items() if row.kind == "file" and _declares(reader, one)]
            sides[side] = _Side(reader, await tree.read_many(paths, side))
        unread = {one.path: why for one in mine if (why := _problem(one, sides))}
        left += [(path, UNREAD.format(why)) for path, why in unread.items()]
        compared |= {one.path for one in mine} - unread.keys()
        if not unread:
            found += await _of_language(tree, reader, mine, sides["base"], sides["head"])
    return Comparison(tuple(found), frozenset(compared), tuple(left))


_SIDES: tuple[Side, Side] = ("base", "head")


def _problem(file: ChangedFile, sides: Mapping[Side, _Side]) -> str:
    """Return why a changed manifest cannot be compared, or ""."""
    for path, side in ((file.old_path, sides["base"]), (file.path, sides["head"])):
        source = side.manifests.get(path or "")
        if source is not None and (why := problem(path or "", source)):
            return why
    return ""


async def _of_language(
    tree: Tree, reader: Packaging, files: Sequence[ChangedFile], base: _Side, head: _Side
) -> list[Dropped]:
    lost: dict[str, ChangedFile] = {}  # name -> the first manifest that dropped it
    for file in files:
        for names in (_Side.names, _Side.shipped):
            before = names(base, file.old_path or "") if file.old_path in base.manifests else frozenset()
            after = names(head, file.path) if file.path in head.manifests else frozenset()
            for name in sorted(before - after):
                lost.setdefault(name, file)
    rows = [await _dropped(tree, reader, name, file, base, head) for name, file in [*lost.items()][:MOST]]
    return [*filter(None, rows), *await _renamed(tree, reader, files, base, head)]


async def _dropped(
    tree: Tree, reader: Packaging, name: str, file: ChangedFile, base: _Side, head: _Side
) -> Dropped | None:
    """Return a dependency that code requires and that only the base side provides, or None."""
    manifest, rules = file.old_path or file.path, base.rules
    rows = await _asking(tree, reader, name, rules.folder(manifest))
    provided = {row: _provided(row, name, base, head) for row in rows}
    asking = [row for row, how in provided.items() if how != "yes"]
    if not asking or (rules.passes_on and _publisher(name) in {_publisher(one) for one in head.all_names()}):
        return None
    added = head.names(file.path) - base.names(manifest) if file.path in head.manifests else frozenset()
    if rules.has_forks and any(_is_fork(name, one) for one in added):
        return None
    still = "" if rules.is_closed else await _still(tree, reader, name, file, head)
    is_shared = any(posixpath.basename(path) == rules.shared for path in await tree.entries())
    is_doubtful = all(provided[row] == "maybe" for row in asking)
    is_sure = rules.is_closed and not is_shared and any(row.is_plain for row in asking)
    asking.sort(key=lambda row: (not row.is_plain, is_test(row.path), row.path, row.line))
    return Dropped(
        name,
        manifest,
        _line_of(name, base.manifests[manifest], file.removed_lines),
        tuple((row.path, row.line, row.text) for row in asking),
        "proven" if is_sure else "doubtful" if still or rules.passes_on or is_doubtful else "likely",
        still,
    )


def _provided(row: "_Asking", name: str, base: _Side, head: _Side) -> Literal["yes", "maybe", "no"]:
    """Return whether the head provides what a dropped dependency provided to a line.

    A dependency in the former list with a less similar name provides nothing: `flask` doesn't
    contain `flask_cors`. If its name contains the module, as `flask-sqlalchemy` does, it may install it.
    """
    before, after = (side.providers(row.path, name, row.spec) for side in (base, head))
    if before[:1] != [name] or name in after or not set(after) <= set(before) or (after and base.rules.is_closed):
        return "yes"
    module, own, whole = _plain(_WORD_OF_MODULE.split(row.spec)[0]), _plain(name), _plain(row.spec)
    if not any(module in _plain(one) for one in after):
        return "no"
    return "maybe" if own in whole or whole in own else "yes"


class _Asking(Struct, frozen=True):
    """A line of code that requires a dependency. `is_plain`: unconditionally, and nothing else."""

    path: str
    line: int
    text: str
    spec: str
    is_plain: bool


async def _asking(tree: Tree, reader: Packaging, name: str, folder: str) -> list[_Asking]:
    """Return the lines that require a dependency and that nothing in the tree can satisfy."""
    rules = reader.DEPENDENCIES
    globs = [f":(glob){folder}/**/*{one}" if folder else f"*{one}" for one in rules.suffixes]
    rows = await tree.grep_lines(Query([rules.asking(name)], globs, syntax="perl", limit=ROWS))
    by_path: dict[str, dict[int, str]] = {}
    for path, line, text in rows:
        is_aside = is_sample(path) or vendored_folder(path) is not None or (uses_nothing(path) and not is_test(path))
        may_mean = rules.means is None or not is_page(path) or name in text
        if may_mean and not is_aside and not is_comment(text, path):
            by_path.setdefault(path, {})[line] = text.rstrip("\r")
    own = rules.own.replace("NAME", re.sub(r"[-_.]", "[-_]?", name))
    if not by_path or (own and await tree.grep(Query([own], globs, syntax="perl"))):
        return []
    if rules.means is not None:
        return await _resolved(tree, rules, name, by_path)
    sources = await tree.read_many(sorted(by_path))
    return [
        _Asking(path, line, text, "", not (rules.doubt and re.search(rules.doubt.encode(), sources.get(path, b""))))
        for path, lines in by_path.items()
        for line, text in lines.items()
    ]


async def _resolved(
    tree: Tree, rules: DependencyRules, name: str, by_path: Mapping[str, Mapping[int, str]]
) -> list[_Asking]:
    """Return the imports that resolve to the dependency and to no file in the tree, using the language's grammar."""
    one_side, means = OneSide(tree, "head"), rules.means or (lambda _name, _spec: False)
    index = Index(await one_side.paths())
    words = {path: _WORD.findall(" ".join(lines.values())) for path, lines in by_path.items()}
    suspects = sorted(path for path in by_path if any(means(name, word) for word in words[path]))
    items, is_complete = await index.settled(
        one_side,
        lambda: [(path, item) for path in suspects for item in _outside(index, path) if means(name, item.spec)],
    )
    doubt = re.compile(rules.doubt.encode()) if rules.doubt else None
    return [
        _Asking(
            path,
            item.line,
            by_path[path].get(item.line, item.spec),
            item.spec,
            not (item.maybe or (doubt and doubt.search(index.sources[path]))),
        )
        for path, item in (items if is_complete else ())
    ]


def _outside(index: Index, path: str) -> Iterator[Import]:
    """Yield the unconditional imports of a file that do not resolve to the tree."""
    facts, language = index.facts(path), language_of(path)
    modules = index.modules(language) if language is not None else None
    if facts is not None and modules is not None:
        yield from (
            item
            for item in facts.imports
            if not (item.guarded or item.of_type or item.inside)
            and not (item.names and all(bound.here in facts.types for bound in item.names))
            and not modules.files(path, item)
        )


async def _still(tree: Tree, reader: Packaging, name: str, file: ChangedFile, head: _Side) -> str:
    """Return a file in the head that still names the dependency, such as an updated lock file or a build file."""
    names = [path for path in await tree.entries() if _is_lock(reader, path)]
    locks, before = await tree.read_many(names), await tree.read_many(names, "base")
    pattern = rf"(?i)(?<![\w.-]){_word(name)}(?![\w-])"
    look = re.compile(pattern.encode())
    for path, source in sorted(locks.items()):
        if before.get(path) != source and look.search(source):
            return path
    for path in sorted(await tree.grep(Query([pattern], syntax="perl"))):
        is_code = path.endswith(head.rules.suffixes) and not _declares(reader, path)
        is_text = is_prose(path) or is_page(path) or uses_nothing(path) or language_of(path) is not None
        if not (is_code or is_text or path == file.path or path in locks or is_sample(path)):
            return path
    return ""


def _word(name: str) -> str:
    """Return a pattern for a dependency's name in a manifest; for `group:artifact`, of the artifact."""
    return re.sub(r"\\-|[_.]", "[-_.]", re.escape(name.rpartition(":")[2]))


def _publisher(name: str) -> str:
    """Return what the artifacts of one publisher begin with: `com.squareup`, `androidx`, `serilog`.

    Such artifacts usually depend on each other, so one that is listed may install another one.
    """
    words = name.partition(":")[0].split(".")
    return ".".join(words[: 2 if len(words[0]) <= TOP_DOMAIN else 1])


def _is_fork(name: str, other: str) -> bool:
    """Return whether a package may take the place of another one: `AwesomeAssertions` that of `FluentAssertions`."""
    return name[:FORK] == other[:FORK] or name[-FORK:] == other[-FORK:]


def _line_of(name: str, source: bytes, removed: Collection[int]) -> int:
    """Return the line of a manifest that listed a dependency, preferably one that the change removes."""
    look = re.compile(rf"(?i)(?<![\w.-]){_word(name)}(?![\w-])")
    lines = [at for at, text in enumerate(file_lines(source), 1) if look.search(text)]
    return next((at for at in lines if at in removed), next(iter(lines), 0))


async def _renamed(
    tree: Tree, reader: Packaging, files: Sequence[ChangedFile], base: _Side, head: _Side
) -> list[Dropped]:
    """Return packages of the tree that were renamed while another manifest still requires the old name."""
    rows = []
    called = base.rules.called
    every = {one for source in head.manifests.values() for one in called(source)}
    for file in files:
        before, after = base.manifests.get(file.old_path or ""), head.manifests.get(file.path)
        news = called(after) if after is not None else ()
        for name in sorted(called(before) - every) if before is not None and news else ():
            asking = [
                (row, line, file_lines(head.manifests[row.path])[line - 1])
                for row in reader.requirements(head.manifests)
                if row.name == name and row.path != file.path
                if (line := _line_of(name, head.manifests[row.path], ()))
            ]
            if asking:
                uses = await _asking(tree, reader, name, "")
                is_sure = any(row.origin in base.rules.local for row, _, _ in asking)
                asked = [(row.path, line, text) for row, line, text in asking]
                rows.append(
                    Dropped(
                        name,
                        file.old_path or file.path,
                        _line_of(name, before or b"", file.removed_lines),
                        (*asked, *((row.path, row.line, row.text) for row in uses)),
                        "proven" if is_sure else "likely",
                        renamed=min(news),
                    )
                )
    return rows
