"""Symbolic links of a tree: an import is followed through them, as a compiler or an interpreter follows them.

A link to a folder gives each file below it a second path. What leads out of the tree, or into a submodule, is out of reach.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.machine.concurrency import together
from bot.ports import Tree
from bot.values import Side

HOPS = 16  # links that one path may pass
ROUNDS = 2  # of links in folders that links lead to
MOST_PATHS = 20_000  # second paths of a tree


@dataclass(frozen=True, slots=True)
class FollowedLinks:
    """The links of one tree."""

    real: Mapping[str, str] = field(default_factory=dict)  # path through a link -> the file that it means
    others: Mapping[str, Collection[str]] = field(default_factory=dict)  # file -> its paths through links
    dead_ends: Mapping[str, str] = field(default_factory=dict)  # link whose end is not in the tree -> what it holds
    cut: bool = False  # whether there are more paths than are followed


def follow(holds: Mapping[str, str], files: Collection[str]) -> FollowedLinks:
    """Return what the links of a tree lead to. `holds`: link -> what it holds; `files`: every regular file."""
    if not holds:
        return FollowedLinks()
    names = sorted(files)
    ends = {link: _end(link, holds) for link in sorted(holds)}
    real = {link: end for link, end in ends.items() if end is not None and end in files}
    folders = {link: end for link, end in ends.items() if end is not None and any(_below(names, end))}
    dead_ends = {link: holds[link] for link in ends if link not in real and link not in folders}
    for _ in range(ROUNDS):
        known = sorted({*names, *real})
        for link, end in folders.items():
            for path in _below(known, end):
                if len(real) >= MOST_PATHS:
                    return FollowedLinks(real, _others(real), dead_ends, cut=True)
                if not path.startswith(f"{link}/"):
                    real.setdefault(link + path[len(end) :] if end else f"{link}/{path}", real.get(path, path))
    return FollowedLinks(real, _others(real), dead_ends)


def _end(link: str, holds: Mapping[str, str]) -> str | None:
    """Where a link ends, "" for the root of the tree; None outside the tree, or in a circle."""
    left, at, hops = link.split("/"), list[str](), 0
    while left:
        part = left.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            if not at:
                return None
            at.pop()
            continue
        at.append(part)
        inside = holds.get("/".join(at))
        if inside is not None:
            hops += 1
            if hops > HOPS or not inside or inside.startswith("/"):
                return None
            at.pop()
            left = [*inside.split("/"), *left]
    return "/".join(at)


def _below(names: Sequence[str], folder: str) -> Iterator[str]:
    """Give the paths below a folder, of a list that is in order."""
    start = f"{folder}/" if folder else ""
    for at in range(bisect_left(names, start), len(names)):
        if not names[at].startswith(start):
            return
        yield names[at]


def _others(real: Mapping[str, str]) -> Mapping[str, Collection[str]]:
    links_by_name: dict[str, list[str]] = defaultdict(list)
    for path, file in real.items():
        links_by_name[file].append(path)
    return links_by_name


async def followed_links(tree: Tree) -> Mapping[Side, FollowedLinks]:
    """The links of both sides, followed."""
    head, base, holds, held = await together(
        tree.entries("head"), tree.entries("base"), tree.links("head"), tree.links("base")
    )
    after, before = (frozenset(path for path, one in side.items() if one.kind == "file") for side in (head, base))
    now = follow(holds, after)
    return {"head": now, "base": now if holds == held and after == before else follow(held, before)}
