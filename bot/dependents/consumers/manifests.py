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
from bot.text.tables import problem
from bot.values import Side
from bot.values.consumer import ManifestProblem

MOST = 5_000  # manifests of one tree that are read, those nearest the root first
ROUNDS = 8  # files that name files that name files
PORTION = 500  # files that are asked for at once
_MARKS = re.compile(rb"^(?:<{7}|>{7})(?:[ \t]|\r?$)", re.MULTILINE)
CONFLICT = "holds the marks of a merge that was not finished"


@dataclass(slots=True)
class Manifests:
    """What the manifests of one language hold, in UTF-8, and those that could not be read to their end."""

    texts: dict[str, bytes] = field(default_factory=dict)
    problems: list[ManifestProblem] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.texts or self.problems)


async def read_manifests(tree: Tree, packaging: Packaging, side: Side = "head") -> Manifests:
    """Read every manifest of a language, through links, with the files that they name."""
    entries = await tree.entries(side)
    manifests, seen = Manifests(), set[str]()
    paths = sorted(matching(packaging.MANIFESTS, entries), key=lambda path: (path.count("/"), path))
    for _ in range(ROUNDS):
        new = [path for path in dict.fromkeys(paths) if path not in seen]
        if len(seen) + len(new) > MOST:
            why = f"and more manifests were not read: no more than {MOST:,} are"
            manifests.problems.append(ManifestProblem(new[max(0, MOST - len(seen))], why))
        await _read(tree, new[: max(0, MOST - len(seen))], manifests, side)
        seen |= {*new}
        texts = [(path, manifests.texts[path]) for path in new if path in manifests.texts]
        paths = (
            [one for row in texts for one in packaging.included_paths(*row)] if isinstance(packaging, Including) else []
        )
    for path, source in manifests.texts.items():
        if why := CONFLICT if _MARKS.search(source) else problem(path, source):
            manifests.problems.append(ManifestProblem(path, why))
    return manifests


async def read_locks(tree: Tree, packaging: Packaging) -> Mapping[str, bytes]:
    """The lock files that can be read: one that cannot leaves a version unknown, and nothing else."""
    result = Manifests()
    paths = matching(tuple(packaging.LOCKS), await tree.entries())
    await _read(tree, sorted(paths, key=len)[:MOST], result, "head")
    return result.texts


async def _read(tree: Tree, paths: Sequence[str], result: Manifests, side: Side) -> None:
    """Read files, those that are links as what they lead to."""
    entries, real = await tree.entries(side), dict[str, str]()
    if any(path in entries and entries[path].kind == "symlink" for path in paths):
        files = [path for path, entry in entries.items() if entry.kind == "file"]
        real = dict(follow(await tree.links(side), files).real)
    for at in range(0, len(paths), PORTION):
        portion = paths[at : at + PORTION]
        texts = dict(await tree.read_many([real.get(path, path) for path in portion], side))
        for path in portion:
            if (source := texts.get(real.get(path, path))) is not None:
                result.texts[path] = utf8(source)
                continue
            entry = entries.get(real.get(path, path))
            why = (
                "is too large, or could not be read" if entry is not None else "is named, and is not in the repository"
            )
            why = "is a link that leads to no file of the repository" if entry and entry.kind != "file" else why
            result.problems.append(ManifestProblem(path, why))


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
