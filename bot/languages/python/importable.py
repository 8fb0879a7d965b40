"""Which files of a tree a distribution consists of: what its manifests list and have a build find, else what its name and the paths tell."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from bot.languages.python.distributions import GLOB, Distribution, Finder
from bot.languages.python.setup_program import LONGEST, MOST
from bot.text.paths import is_test

TOPS = ("src", "lib", "python")  # folders in which a distribution's packages lie, beside its own
SUFFIXES = (".py", ".pyi")
DOT = re.compile(r"\.")
# What setuptools leaves out where it looks by itself, but for names that projects give to what they offer.
ASIDE = frozenset({
    "setup", "conftest", "noxfile", "toxfile", "tasks", "manage", "dodo", "fabfile", "pavement", "conanfile", "ci", "debian", "doc", "docs",
    "documentation", "manpages", "news", "newsfragments", "changelog", "test", "tests", "unit_test", "unit_tests", "example", "examples", "build",
    "benchmark", "benchmarks", "exercise", "exercises", "htmlcov", "site_scons",
})  # fmt: skip


class PythonPaths:
    """The files of a tree, and the importable names directly in each of its folders."""

    def __init__(self, paths: Collection[str]) -> None:
        self._every = sorted(paths)
        self._code = [path for path in self._every if path.endswith(SUFFIXES)]
        self._names: dict[str, dict[str, str]] = {}

    def has_any(self, place: str) -> bool:
        """Whether a file or a folder is there."""
        return _has(self._every, place)

    def has_code(self, place: str) -> bool:
        """Whether a file of Python, or a folder with one in it, is there."""
        return _has(self._code, place)

    def is_package(self, place: str) -> bool:
        """Whether a folder has an `__init__`."""
        return any(_at(self._code, f"{place}/__init__{suffix}") for suffix in SUFFIXES)

    def names(self, folder: str) -> dict[str, str]:
        """The packages and modules directly in a folder: the path of each -> its name."""
        if folder not in self._names:
            start = f"{folder}/" if folder else ""
            at, found = bisect_left(self._code, start), dict[str, str]()
            while at < len(self._code) and self._code[at].startswith(start):
                first, deeper, _ = self._code[at][len(start) :].partition("/")
                name = first if deeper else first.rpartition(".")[0]
                place = start + first
                if name.isidentifier() and (deeper or not is_test(first)):
                    found.setdefault(place, name)
                # The rest of a folder tells nothing more of it: "0" is what comes after "/".
                at = bisect_left(self._code, f"{place}0", at) if deeper else at + 1
            self._names[folder] = found
        return self._names[folder]


def _at(rows: Sequence[str], text: str) -> bool:
    at = bisect_left(rows, text)
    return at < len(rows) and rows[at] == text


def _has(rows: Sequence[str], place: str) -> bool:
    at = bisect_left(rows, f"{place}/")
    return not place or _at(rows, place) or (at < len(rows) and rows[at].startswith(f"{place}/"))


def roots(folder: str, distribution: Distribution, paths: PythonPaths) -> tuple[str, ...]:
    """Return what a distribution consists of: what it lists and what its build finds, else what its name and the paths tell."""
    listed = set(distribution.modules[:MOST]) | {name for name in distribution.places if name}
    outer = [one for one in listed if not any(one[: dot.start()] in listed for dot in DOT.finditer(one[:LONGEST]))]
    parts = [_expanded(posixpath.join(folder, one.lstrip("/")), paths) for one in distribution.paths]
    parts += [_placed(folder, one, distribution, paths) for one in outer]
    places = {place for part in parts for place in part or ()}
    places |= {place for finder in distribution.finders for place in _found(folder, finder, distribution, paths)}
    every = _every(folder, distribution, paths)
    if distribution.is_open or None in parts:
        return tuple(sorted({*places, *every}))
    if places and not distribution.finders:
        return tuple(sorted(places))
    return tuple(sorted(places | _own(folder, distribution, every) or every))


def _expanded(pattern: str, paths: PythonPaths) -> set[str] | None:
    """The code at a path or a pattern of paths; None if there is nothing."""
    before = pattern[: match.start()] if (match := GLOB.search(pattern)) else pattern
    if match is None:
        place = _normal(pattern)
        places = {one for one in (place, *(place + suffix for suffix in SUFFIXES)) if paths.has_code(one)}
        return places or (set() if paths.has_any(place) else None)
    home = _normal(posixpath.dirname(before))
    if home and paths.is_package(home):
        return {home}
    first = pattern[len(posixpath.dirname(before)) :].lstrip("/").partition("/")[0]
    return {place for place in paths.names(home) if fnmatchcase(posixpath.basename(place), first)} or None


def _placed(folder: str, name: str, distribution: Distribution, paths: PythonPaths) -> set[str] | None:
    """Where a listed module or package lies, as setuptools looks for it; None if it is nowhere. One that lies in a listed one is a part of it."""
    words = name.split(".")
    near = next((at for at in range(len(words), 0, -1) if ".".join(words[:at]) in distribution.places), 0)
    tops = [distribution.places[".".join(words[:near])]] if near else ["", *_tops(distribution)]
    places = [_normal(posixpath.join(folder, top, *words[near:])) for top in tops]
    return {place + suffix for place in places for suffix in ("", *SUFFIXES) if paths.has_code(place + suffix)} or None


def _found(folder: str, finder: Finder, distribution: Distribution, paths: PythonPaths) -> Iterator[str]:
    """The packages that a build finds. Where nothing is said of names, those that no project means to offer are left out."""
    home = _normal(posixpath.join(folder, finder.where))
    is_plain = home == folder and not (finder.include or finder.exclude)
    for place, name in paths.names(home).items():
        is_taken = not place.endswith(SUFFIXES) and finder.takes(name, is_package=paths.is_package(place))
        if is_taken and not (is_plain and name.lower() in ASIDE):
            yield place
    if home == folder and distribution.places.get("", ".") not in ("", "."):
        yield from _found(folder, Finder(distribution.places[""], finder.include, finder.exclude), distribution, paths)


def _every(folder: str, distribution: Distribution, paths: PythonPaths) -> dict[str, str]:
    """All that could be imported from the folder of a distribution and those of its sources -> its name."""
    tops = [_normal(posixpath.join(folder, top)) for top in _tops(distribution)]
    rows = [row for home in (folder, *tops) for row in paths.names(home).items()]
    return {
        place: name
        for place, name in rows
        if name.lower() not in ASIDE and (place not in tops or paths.is_package(place))
    }


def _tops(distribution: Distribution) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(one for one in (*distribution.tops, distribution.places.get("", ""), *TOPS) if one.strip("./"))
    )


def _own(folder: str, distribution: Distribution, every: Mapping[str, str]) -> set[str]:
    """The package that is called like its distribution, with what else lies in its folder for sources."""
    name = re.sub(r"[-_.]+", "_", distribution.name).lower()
    own = {place for place, one in every.items() if one.lower() in (name, name.replace("_", ""))}
    homes = {posixpath.dirname(place) for place in own} - {folder}
    return own | {place for place in every if posixpath.dirname(place) in homes}


def _normal(path: str) -> str:
    result = posixpath.normpath(path)
    return "" if result == "." else result
