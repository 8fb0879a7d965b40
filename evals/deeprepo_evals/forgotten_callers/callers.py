"""The list of callers that were forgotten, each read by a person, and of candidates that were none, with the reason."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.errors import UsageError
from deeprepo_evals.clones import half
from deeprepo_evals.forgotten_callers.search import Candidate

LIST = Path(__file__).with_name("callers.jsonl")


@dataclass(frozen=True, slots=True)
class Name:
    """What a file went on using after it was gone."""

    name: str
    kind: str  # function, method, class, variable, type, macro
    home: str  # the file that defined it
    home_line: int  # in the parent
    lines: tuple[int, ...]  # of the user


@dataclass(frozen=True, slots=True)
class Caller:
    """A file that a commit forgot, and the commit that gave the use up. `reason`: why it is no case; empty if it is one."""

    repo: str
    broke: str
    parent: str
    user: str
    repair: str
    later: int  # commits
    names: tuple[Name, ...]
    reason: str = ""

    @property
    def half(self) -> str:
        """Which half its repository is in."""
        return half(self.repo)


def of_candidates(repo: str, candidates: Sequence[Candidate]) -> list[Caller]:
    """A caller for each file and commit: it may have lost several names at once."""
    rows: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        rows.setdefault((candidate.broke, candidate.user), []).append(candidate)
    callers = []
    for (broke, user), mine in rows.items():
        first = min(mine, key=lambda one: one.later)
        names = tuple(
            Name(one.name, one.kind, one.home, one.home_line, one.lines)
            for one in sorted(mine, key=lambda one: (one.lines, one.name))
        )
        callers.append(Caller(repo, broke, first.parent, user, first.repair, first.later, names))
    return callers


def read(path: Path = LIST) -> list[Caller]:
    """The callers of a file, one on each line. Raises UsageError if it is no such file."""
    try:
        return list(_callers(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is not a list of forgotten callers ({error}): `--search` writes one") from error


def _callers(path: Path) -> Iterator[Caller]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        names = tuple(Name(**{**name, "lines": tuple(name["lines"])}) for name in row.pop("names"))
        yield Caller(**row, names=names)


def write(path: Path, callers: Sequence[Caller]) -> None:
    """One caller on each line, in an order that only the callers decide."""
    ordered = sorted(callers, key=lambda one: (one.repo, one.broke, one.user))
    path.write_text("".join(json.dumps(asdict(one)) + "\n" for one in ordered), encoding="utf-8")
