"""The names of jobs. The same delivery gives the same name, so that its copies are known; no two pull requests share a beginning.

review~REPOSITORY#NUMBER~DELIVERY       and for its second try, its third: the same with +1, +2; after a refusal +2.1
command~REPOSITORY#NUMBER~DELIVERY
ci~REPOSITORY#COMMIT~DELIVERY
small~INSTALLATION~DELIVERY
packages~INSTALLATION#REPOSITORY~DELIVERY
"""

import re
from typing import Literal, TypedDict

from bot.values import Ask, ChecksEnded, CommandAsk, PullRef, RemarkAsk, ReviewAsk

LONGEST = 120  # characters of a delivery's id
QUEUES = {  # of the kinds of jobs, which are the first words of their names
    "review": "reviews", "command": "commands", "ci": "small", "small": "small", "packages": "packages",
}  # fmt: skip
OF_PULLS = tuple(
    f"{kind}~" for kind in QUEUES if kind not in ("small", "packages")
)  # how the names of jobs about a pull request begin


def name(ask: Ask, delivery: str) -> str:
    """The name of the job that a delivery asks for."""
    label = re.sub(r"[^A-Za-z0-9._-]", "-", delivery)[:LONGEST]
    return f"{ask.job}~{ask.subject}~{label}"


def about(pull: PullRef, kind: Literal["review", "command"]) -> str:
    """How the names of all jobs of a kind about a pull request begin."""
    return f"{kind}~{pull.key}~"


def checks(ask: ChecksEnded) -> str:
    """How the names of all jobs about the checks of a commit begin."""
    return f"{ask.job}~{ask.subject}~"


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
    person = ask.actor if isinstance(ask, CommandAsk | RemarkAsk) else ""
    return {"installation": ask.installation, "serial": ask.serial, "person": person, "priority": _priority(ask)}


def _priority(ask: Ask) -> int:
    """Who goes first among the jobs of one installation: a person who asked waits less than a push, the team less than strangers.

    What nobody waits for goes last, so a flood of it keeps no person waiting; `shares` gives it places all the same.
    """
    if isinstance(ask, ReviewAsk) and ask.trigger in ASKED:
        return 1
    is_stranger = isinstance(ask, ReviewAsk | CommandAsk | RemarkAsk) and ask.stranger
    return 20 if is_stranger or not ask.is_awaited else 10


ASKED = frozenset({"command", "rerun"})  # triggers that a person pulled
