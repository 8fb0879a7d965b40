"""Where a new test goes, and what it is called: as the tests that a package has, because a runner collects what is named its way."""

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from bot.review.running.presets import Preset
from bot.text.filetypes import family, filetype
from bot.text.paths import is_sample, is_test, vendored_folder

CORE = re.compile(r"[Dd]eeprepo[-_]?\{n\}")
MARK = re.compile(r"^(?:test|spec)[_.-]|^Test(?=[A-Z])|(?:[_.-](?:test|spec|tests|unit|it)|Tests?|Spec|IT)$")
FEW = 10  # a folder at the top of a package with fewer than one in ten of its tests is not where tests go
SUFFIX = "ts"  # of a new test
TYPED = frozenset({"typescript", "tsx"})  # as `filetype` calls them
# Folders whose tests another program runs (a browser), or whose files no program collects.
ELSEWHERE = re.compile(r"(?:^|/)(?:e2e|cypress|playwright|__snapshots__|__mocks__)/|\.d\.[cm]?ts$", re.IGNORECASE)


def subject(path: str) -> str:
    """Return the name of the file that a test file is named after: `test_rate`, `rate_test`, `RateTest` and `rate.spec` are of `rate`."""
    return MARK.sub("", PurePosixPath(path).stem).lower()


def nearest(path: str, candidates: Iterable[str]) -> list[str]:
    """Return test files, those that are nearest to a file first: by the folders that they share, then by name."""
    at = PurePosixPath(path)
    stem, folders = at.stem.lower(), set(at.parent.parts)

    def near(one: str) -> tuple[int, int, int, str]:
        here = PurePosixPath(one)
        likeness = 0 if subject(one) == stem else 1 if stem in here.stem.lower() else 2
        return -len(folders & set(here.parent.parts)), likeness, len(here.parts), one

    return sorted(candidates, key=near)


def new_file(paths: Collection[str], preset: Preset, package: str, near: str, *, typescript: bool) -> str:
    """Return the path of a new test about a file, with `{n}` in its name, and `{beside}` for the folder of the file.

    `package`: the folder whose tests count; `typescript`: whether the runner takes TypeScript where no test shows what it takes.
    """
    files = preset.files
    core = CORE.search(files)
    if preset.marks and core is not None:
        like = _like(paths, preset, package, near)
        if like is not None:
            folder, before, after = like
            return posixpath.join(folder, f"{before}{core[0]}{after}")
    if typescript and filetype(near).lexer in TYPED and filetype(files).lexer == "javascript":
        files = f"{files.rpartition('.')[0]}.{SUFFIX}"
    return files if files.startswith("{beside}") else posixpath.join(package, files)


def _like(paths: Collection[str], preset: Preset, package: str, near: str) -> tuple[str, str, str] | None:
    """The folder of the nearest test that is named as most tests of the package are, and what stands before and after its name."""
    kind, inside = family(preset.files), f"{package}/" if package else ""
    tests = [
        path
        for path in paths
        if path.startswith(inside) and family(path) == kind and is_test(path) and not _is_elsewhere(path)
    ]
    parts_by_path = {path: parts for path in tests if (parts := _parts(path, preset)) is not None}
    if preset.plain or (not parts_by_path and kind == "web"):  # the runner's own settings collect what has no mark
        parts_by_path |= {path: ("", PurePosixPath(path).suffix) for path in tests if path not in parts_by_path}
    if not parts_by_path:
        return None
    usual, _ = max(Counter(parts_by_path.values()).items(), key=lambda row: (row[1], row[0]))
    alike = [path for path, parts in parts_by_path.items() if parts == usual]
    tops = Counter(
        path[len(inside) :].partition("/")[0] for path in alike
    )  # a module that is called like a test is none
    usual_places = [path for path in alike if tops[path[len(inside) :].partition("/")[0]] * FEW >= len(alike)]
    return posixpath.dirname(nearest(near, usual_places or alike)[0]), *usual


def _is_elsewhere(path: str) -> bool:
    return is_sample(path) or vendored_folder(path) is not None or ELSEWHERE.search(path) is not None


def _parts(path: str, preset: Preset) -> tuple[str, str] | None:
    """What stands before and after the name of a test file; None if its name has no mark of the runner."""
    stem, ending = posixpath.splitext(posixpath.basename(path))
    for before, after in preset.marks:
        if stem.startswith(before) and stem.endswith(after) and len(stem) > len(before) + len(after):
            return before, f"{after}{ending}"
    return None
