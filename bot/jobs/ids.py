"""The names of jobs. The same delivery gives the same name, so that its copies are known; no two pull requests share a beginning.

review~REPOSITORY#NUMBER~DELIVERY       and for its second try, its third: the same with +1, +2; after a refusal +2.1
command~REPOSITORY#NUMBER~DELIVERY
recheck~REPOSITORY#NUMBER~DELIVERY
ci~REPOSITORY#COMMIT~DELIVERY
small~INSTALLATION~DELIVERY
packages~INSTALLATION#REPOSITORY~DELIVERY
"""

import re
from typing import Literal, TypedDict

from bot.values import (
    Ask,
    Cancel,
    ChecksEnded,
    CommandAsk,
    Follow,
    Forget,
    MergeGroup,
    PackageSurvey,
    PullRef,
    Recheck,
    RemarkAsk,
    ReviewAsk,
)

LONGEST = 120  # characters of a delivery's id
QUEUES = {"review": "reviews", "command": "commands", "recheck": "small", "ci": "small", "small": "small"}
QUEUES |= {"packages": "packages"}
OF_PULLS = tuple(
    f"{kind}~" for kind in QUEUES if kind not in ("small", "packages")
)  # how the names of jobs about a pull request begin


def name(ask: Ask, delivery: str) -> str:
    """The name of the job that a delivery asks for."""
    label = re.sub(r"[^A-Za-z0-9._-]", "-", delivery)[:LONGEST]
    match ask:
        case ReviewAsk():
            return f"{about(ask.pull, 'review')}{label}"
        case CommandAsk() | RemarkAsk() | Cancel() | Follow():
            return f"{about(ask.pull, 'command')}{label}"
        case Recheck():
            return f"{about(ask.pull, 'recheck')}{label}"
        case ChecksEnded():
            return f"{checks(ask)}{label}"
        case Forget() | MergeGroup():
            return f"small~{ask.installation}~{label}"
        case PackageSurvey():
            return f"packages~{ask.installation}#{ask.repository}~{label}"


def about(pull: PullRef, kind: Literal["review", "command", "recheck"]) -> str:
    """How the names of all jobs of a kind about a pull request begin."""
    return f"{kind}~{pull.key}~"


def checks(ask: ChecksEnded) -> str:
    """How the names of all jobs about the checks of a commit begin."""
    return f"ci~{ask.repository}#{ask.head}~"


def queue(job: str) -> str:
    """The queue that a job waits in."""
    return QUEUES[job.partition("~")[0]]


def root(job: str) -> str:
    """The job that this one is a further try of, or itself."""
    return job.partition("+")[0]


def tries(job: str) -> int:
    """How many tries went before this one."""
    return int(job.partition("+")[2].partition(".")[0] or 0)


def refusals(job: str) -> int:
    """How many of them GitHub has refused."""
    return int(job.partition("+")[2].partition(".")[2] or 0)


def following(job: str, *, after_refusal: bool = False) -> str:
    """The name of the next try."""
    count = refusals(job) + after_refusal
    return f"{root(job)}+{tries(job) + 1}" + (f".{count}" if count else "")


class Places(TypedDict):
    """What decides when a stored job has its turn."""

    installation: int  # whose turn it takes
    serial: str | None  # what jobs of a queue that run one after the other have in common
    person: str  # who waits for it, "" if nobody does
    priority: int  # lower goes first


def places(ask: Ask) -> Places:
    """Whose places a job takes, and in which order. The commands of a pull request run one after the other, and so does what a merge queue asks for one commit."""
    match ask:
        case ReviewAsk():
            return {"installation": ask.pull.installation, "serial": None, "person": "", "priority": _priority(ask)}
        case CommandAsk() | RemarkAsk() | Cancel() | Recheck() | Follow():
            person = ask.actor if isinstance(ask, CommandAsk | RemarkAsk) else ""
            serial = ask.pull.key
            return {
                "installation": ask.pull.installation,
                "serial": serial,
                "person": person,
                "priority": _priority(ask),
            }
        case Forget() | MergeGroup() | ChecksEnded():
            commit = None if isinstance(ask, Forget) else f"{ask.repository}@{ask.head}"
            return {"installation": ask.installation, "serial": commit, "person": "", "priority": _priority(ask)}
        case PackageSurvey():
            return {"installation": ask.installation, "serial": None, "person": "", "priority": _priority(ask)}


def _priority(ask: Ask) -> int:
    """Who goes first among the jobs of one installation: a person who asked waits less than a push, the team less than strangers.

    What nobody waits for goes last, so a flood of it keeps no person waiting; `shares` gives it places all the same.
    """
    match ask:
        case ReviewAsk(trigger=trigger) if trigger in ASKED:
            return 1
        case (
            ReviewAsk(stranger=True)
            | CommandAsk(stranger=True)
            | RemarkAsk(stranger=True)
            | Cancel()
            | Follow()
            | ChecksEnded()
            | PackageSurvey()
        ):
            return 20
    return 10


ASKED = frozenset({"command", "rerun"})  # triggers that a person pulled
