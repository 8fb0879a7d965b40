"""The list of callers that were forgotten, each read by a person, and of candidates that were none, with the reason."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.errors import UsageError
from deeprepo_evals.clones import half

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


def read(path: Path = LIST) -> list[Caller]:
    """The callers of a file, one on each line. Raises UsageError if it is no such file."""
    try:
        return list(_callers(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is not a list of forgotten callers ({error})") from error


def _callers(path: Path) -> Iterator[Caller]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        names = tuple(Name(**{**name, "lines": tuple(name["lines"])}) for name in row.pop("names"))
        yield Caller(**row, names=names)
