"""The manifests of a tree, read: what each holds, and which could not be read."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache

from bot.dependents.links import follow
from bot.ports import Including, Packaging, Tree
from bot.text.lines import utf8
from bot.text.paths import vendored_folder
from bot.values import Side, TreeEntry
from bot.values.consumer import ManifestProblem

MOST = 5_000  # manifests of one tree that are read, those nearest the root first
ROUNDS = 8  # files that name files that name files
PORTION = 500  # files that are asked for at once
MARKS = re.compile(rb"^(?:<{7}|>{7})(?:[ \t]|\r?$)", re.MULTILINE)
CONFLICT = "holds the marks of a merge that was not finished"


@dataclass(slots=True)
class Manifests:
    """What the manifests of one language hold, in UTF-8, and those of which something is not known."""

    texts: dict[str, bytes] = field(default_factory=dict)
    problems: list[ManifestProblem] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.texts or self.problems)


async def read_manifests(tree: Tree, packaging: Packaging, side: Side = "head") -> Manifests:
    """Read every manifest of a language, through links, with the files that they name."""
    entries = await tree.entries(side)
    candidates = matching(packaging.MANIFESTS, entries)
    paths = sorted(candidates, key=lambda path: (path.count("/"), path))
    manifests = Manifests()
    await _read(tree, paths[:MOST], entries, manifests, side)
    if len(paths) > MOST:
        why = f"and {len(paths) - MOST - 1:,} more manifests were not read: no more than {MOST:,} are"
        manifests.problems.append(ManifestProblem(paths[MOST], why))
    if isinstance(packaging, Including):
        await _read_included(tree, packaging, paths, entries, manifests, side)
    manifests.problems += _problems_inside(packaging, manifests)
    return manifests


async def _read_included(
    tree: Tree,
    packaging: Including,
    paths: Sequence[str],
    entries: Mapping[str, TreeEntry],
    manifests: Manifests,
    side: Side,
) -> None:
    """Read the files that manifests name, and those that these name, each once."""
    requested_paths, new = {*paths}, list(manifests.texts)
    for _ in range(ROUNDS):
        named_by = {one: path for path in new for one in packaging.included_paths(path, manifests.texts[path])}
        new = [path for path in dict.fromkeys(named_by) if path not in requested_paths][: MOST - len(manifests.texts)]
        if not new:
            return
        requested_paths |= {*new}
        manifests.problems += [
            ManifestProblem(named_by[path], f"takes more from {path}, which is not in the repository", is_form=True)
            for path in new
            if path not in entries
        ]
        await _read(tree, [path for path in new if path in entries], entries, manifests, side)
        new = [path for path in new if path in manifests.texts]


def _problems_inside(packaging: Packaging, manifests: Manifests) -> list[ManifestProblem]:
    """What is not understood of the manifests that were read: one problem of a file that cannot be parsed is enough."""
    conflicts = [ManifestProblem(path, CONFLICT) for path, text in manifests.texts.items() if MARKS.search(text)]
    broken_paths = {problem.path for problem in (*manifests.problems, *conflicts)}
    syntax_problems = packaging.problems(manifests.texts)
    return [*conflicts, *(one for one in syntax_problems if one.is_form or one.path not in broken_paths)]


async def read_locks(tree: Tree, packaging: Packaging) -> Mapping[str, bytes]:
    """The lock files that can be read: one that cannot leaves a version unknown, and nothing else."""
    result = Manifests()
    entries = await tree.entries()
    await _read(tree, sorted(matching(packaging.LOCKS, entries), key=len)[:MOST], entries, result, "head")
    return result.texts


async def _read(
    tree: Tree, paths: Sequence[str], entries: Mapping[str, TreeEntry], result: Manifests, side: Side
) -> None:
    """Read files, those that are links as what they lead to."""
    real: Mapping[str, str] = {}
    if any(entries[path].kind == "symlink" for path in paths):
        real = follow(await tree.links(side), [path for path, entry in entries.items() if entry.kind == "file"]).real
    ends = {path: path if entries[path].kind == "file" else real.get(path, "") for path in paths}
    for at in range(0, len(paths), PORTION):
        portion = paths[at : at + PORTION]
        texts = dict(await tree.read_many([end for path in portion if (end := ends[path])], side))
        for path in portion:
            if ends[path] in texts:
                result.texts[path] = utf8(texts[ends[path]])
            else:
                result.problems.append(ManifestProblem(path, _reason(entries.get(ends[path]))))


def _reason(entry: TreeEntry | None) -> str:
    if entry is None:
        return "is a link that leads to no file of the repository"
    if entry.kind == "submodule":
        return "is a submodule"
    return "is not in the object store" if entry.size < 0 else "is too large or could not be read"


def matching(names: Sequence[str], paths: Collection[str]) -> list[str]:
    """The files of such names that are nobody else's code."""
    if not names:
        return []
    fits = form(tuple(names))
    return [path for path in paths if fits.match(f"/{path}") and not vendored_folder(path)]


@lru_cache(maxsize=64)
def form(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match a path after a slash, if it ends in one of these names."""
    return re.compile("|".join(f"(?:.*/){translate(name)}" for name in names))
