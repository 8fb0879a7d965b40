"""`deeprepo eval large`: pairs of large twins from the clones of a folder, as cases for `deeprepo eval reviews`."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.errors import GitError, UsageError
from deeprepo_evals.large import hosts, pieces
from deeprepo_evals.large.hosts import ENDINGS
from deeprepo_evals.large.mate import CaseFields, mate
from deeprepo_evals.reviews.build import clone_of
from deeprepo_evals.reviews.cases import LARGE


@dataclass(frozen=True, slots=True)
class Plan:
    """What to make. `pairs`: PIECE=OWNER/NAME@COMMIT each; without them `count` pairs are chosen by the seed."""

    repos: Path
    out: Path
    count: int = 12
    seed: int = 1
    pairs: tuple[str, ...] = ()


async def make(plan: Plan, say: Callable[[str], None] = lambda _: None) -> tuple[Path, ...]:
    """Write the pairs; the paths of their files. Raises UsageError if there is no pull request for one."""
    if not plan.repos.is_dir():
        raise UsageError(f"{plan.repos} is not a folder of clones: name one with --repos")
    told = [await _from_pair(pair, plan) for pair in plan.pairs] if plan.pairs else await _choose(plan, say)
    folder = plan.out / LARGE
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for case in told:
        path = folder / f"{case['id']}.json"
        path.write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n", "utf-8")
        paths.append(path)
    return tuple(paths)


async def _from_pair(pair: str, plan: Plan) -> CaseFields:
    name, _, at = pair.partition("=")
    repo, _, commit = at.partition("@")
    clone = clone_of(plan.repos, repo)
    if clone is None or not commit:
        raise UsageError(f"{pair!r}: write PIECE=OWNER/NAME@COMMIT; {plan.repos} must have a clone of it")
    told = await mate(pieces.read(name), clone, repo, await hosts.one(clone, commit), plan.seed)
    if told is None:
        raise UsageError(f"{repo}@{commit[:10]} changes no file in which the piece {name} has a place")
    return told


async def _choose(plan: Plan, say: Callable[[str], None]) -> list[CaseFields]:
    """Pieces in turn, each in a pull request of another clone as long as there are some."""
    chance = random.Random(f"large {plan.seed}")  # noqa: S311 - data, not secrets
    names = list(pieces.names())
    chance.shuffle(names)
    clones = sorted(path for path in plan.repos.iterdir() if path.is_dir() and "+" in path.name)
    chance.shuffle(clones)
    found: dict[str, CaseFields] = {}
    used: dict[Path, int] = dict.fromkeys(clones, 0)
    for number in range(plan.count):
        piece = pieces.read(names[number % len(names)])
        for clone in sorted(clones, key=lambda one: used[one]):
            told = await _in(clone, piece.name, plan, {case["head_sha"] for case in found.values()})
            if told is not None:
                used[clone] += 1
                told["id"] += f"-{plan.seed}-{number + 1}"
                found[told["id"]] = told
                break
        else:
            raise UsageError(
                f"no clone in {plan.repos} has a pull request for the piece {piece.name} ({piece.language})"
            )
        say(f"{number + 1} of {plan.count}: {told['id']}")
    return list(found.values())


async def _in(clone: Path, name: str, plan: Plan, taken_names: set[str]) -> CaseFields | None:
    piece, repo = pieces.read(name), clone.name.replace("+", "/", 1)
    place = clone_of(plan.repos, repo)
    if place is None or piece.language not in ENDINGS:
        return None
    try:
        for host in await hosts.some(place, piece.language, plan.seed):
            if host.head not in taken_names and (told := await mate(piece, place, repo, host, plan.seed)):
                return told
    except GitError:  # the clone holds that history in part
        return None
    return None
