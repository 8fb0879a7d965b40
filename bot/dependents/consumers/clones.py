"""The clones that somebody named, opened: which repository each one is, at which commit."""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.checkout import clone
from bot.checkout.locate import paths_of
from bot.errors import DeepRepoError
from bot.values.consumer import Clone, ConsumerReport, NamedConsumer

MOST = 40  # of one review


async def open_clones(
    consumers: Sequence[NamedConsumer], scratch: str, own: str = ""
) -> tuple[list[Clone], list[ConsumerReport]]:
    """The clones that can be read, each once, and a report of each of the others. `own`: the git folder of the repository under review."""
    names: set[str] = set()
    commits: set[tuple[str, str]] = set()
    clones: list[Clone] = []
    others: list[ConsumerReport] = []
    for one in consumers:
        if one.problem:
            others.append(ConsumerReport(_distinct(one.name, names), "unread", reason=one.problem))
            continue
        try:
            one_clone = await clone(one.location, scratch)
        except DeepRepoError as error:
            name = one.name or posixpath.basename(one.location.rstrip("/")) or one.location
            others.append(ConsumerReport(_distinct(name, names), "unread", reason=sentence(error).partition(": ")[0]))
            continue
        common = paths_of(one_clone.pull.git_dir).common
        if (common, one_clone.pull.head) in commits:
            continue  # named twice
        commits.add((common, one_clone.pull.head))
        name = _distinct(one.name or one_clone.name, names)
        one_clone = replace(one_clone, name=name, settings=one.settings, standing=one.standing)
        if own and common == paths_of(own).common:
            others.append(
                ConsumerReport(
                    one_clone.name, "unrelated", one_clone.pull.head, one_clone.day, "it is the repository under review"
                )
            )
        elif len(clones) == MOST:
            why = f"no more than {MOST} repositories are looked at in one review"
            others.append(ConsumerReport(one_clone.name, "unread", one_clone.pull.head, one_clone.day, why))
        else:
            clones.append(one_clone)
    return clones, others


def _distinct(name: str, names: set[str]) -> str:
    """The name; of a second clone of that name one that tells them apart."""
    free = next(one for one in _names(name) if one not in names)
    names.add(free)
    return free


def _names(name: str) -> Iterator[str]:
    yield name
    for number in range(2, 10_000):
        yield f"{name}-{number}"


def sentence(error: object) -> str:
    """The first line of an error."""
    return str(error).split("\n")[0][:300]
