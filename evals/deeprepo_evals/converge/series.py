"""Real pull requests with several commits, out of the references that a clone keeps of them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deeprepo_evals.clones import ask

PUSHES = 3
NEWEST = 400  # references that are drawn from
MOST_TRIED = 60  # of them, for one repository
COMMITS = range(PUSHES, 16)
FILES = range(1, 31)


@dataclass(frozen=True, slots=True)
class Series:
    """A pull request as its pushes: the commits at which its branch stood."""

    repo: str
    number: str
    clone: Path
    base: str
    pushes: tuple[str, ...]


async def of(repo: str, clone: Path, each: int) -> list[Series]:
    """So many pull requests of a clone, drawn by the repository's name from the newest ones."""
    rows = (await ask(clone, "for-each-ref", "--format=%(objectname) %(refname)", "refs/pull/*/head")).split("\n")
    heads = [(int(name.split("/")[2]), head) for head, _, name in (row.partition(" ") for row in rows if row)]
    newest = sorted(heads, reverse=True)[:NEWEST]
    random.Random(repo).shuffle(newest)  # noqa: S311 - a draw that can be repeated
    found: list[Series] = []
    for number, head in newest[:MOST_TRIED]:
        made = await _series(repo, str(number), clone, head)
        found += [made] if made is not None else []
        if len(found) == each:
            break
    return found


async def _series(repo: str, number: str, clone: Path, head: str) -> Series | None:
    """The pull request, unless it is too small, too large, or holds merges, behind which the pushes cannot be told."""
    base = await ask(clone, "merge-base", "HEAD", head)
    if base in ("", head):
        return None
    commits = (await ask(clone, "rev-list", "--reverse", f"{base}..{head}")).split("\n")
    merges = await ask(clone, "rev-list", "--merges", f"{base}..{head}")
    files = (await ask(clone, "diff", "--name-only", base, head)).split("\n")
    if len(commits) not in COMMITS or len(files) not in FILES or merges:
        return None
    return Series(repo, number, clone, base, tuple(_parts(commits)))


def _parts(commits: list[str]) -> Iterator[str]:
    """The last commit of each push, the pushes as equal as they can be."""
    for number in range(1, PUSHES + 1):
        yield commits[round(len(commits) * number / PUSHES) - 1]
