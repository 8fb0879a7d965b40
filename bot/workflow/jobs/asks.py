"""How an ask is stored: the name of its job, and its JSON. Plain text, never a pickled object.

KIND~INSTALLATION~SUBJECT~DELIVERY      and for its second try, its third: the same with +1, +2

`JOB_FORM` numbers the meaning of the JSON, which also names the build that wrote it. Several builds may share one database, so an ask that this
build cannot read is left for the one that can.

The same delivery gives the same name, so that its copies are known; no two pull requests share a beginning.
"""

import json
import re
from dataclasses import asdict
from typing import Any, get_args

from pydantic import TypeAdapter

from bot.machine import build
from bot.values import Ask, PullRef

JOB_FORM = 1  # builds before 0.2.0 wrote none, and meant this one
UNNAMED_BUILD = "before 0.2.0"
MAX_DELIVERY_CHARS = 120  # characters of a delivery's id
QUEUES = {  # of the kinds of jobs, which are the first words of their names
    "review": "reviews", "command": "commands", "cancel": "commands", "ci": "commands",
    "small": "commands", "packages": "commands",
}  # fmt: skip
OF_PULLS = tuple(kind for kind in QUEUES if kind not in ("small", "packages"))  # whose subject begins with a repository
ASK_KINDS: dict[str, TypeAdapter[Any]] = {kind.__name__: TypeAdapter(kind) for kind in get_args(Ask)}


def write(ask: Ask) -> str:
    """Return an ask as one line of JSON."""
    record = {"kind": type(ask).__name__, "form": JOB_FORM, "by": build.name(), **asdict(ask)}
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"))


def read(text: str) -> Ask | None:
    """Return the ask; None if another build wrote it in a form that this one cannot read, or it is damaged."""
    try:
        record = json.loads(text)
        if record.pop("form", JOB_FORM) != JOB_FORM:
            return None
        ask: Ask = ASK_KINDS[record.pop("kind")].validate_python(record)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return ask


def other_build(text: str) -> str:
    """Return the name of the build that wrote an ask, "" if that is this one or the text is not an ask."""
    try:
        record = json.loads(text)
        return str(record.get("by", UNNAMED_BUILD)) * (bool(record["kind"]) and record.get("by") != build.name())
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def name(ask: Ask, delivery: str) -> str:
    """Return the name of the job that a delivery asks for."""
    label = re.sub(r"[^A-Za-z0-9._-]", "-", delivery)[:MAX_DELIVERY_CHARS]
    return beginning(ask) + label


def beginning(ask: Ask) -> str:
    """Return the prefix of the names of all jobs of a kind about the same thing."""
    return f"{ask.job}~{ask.installation}~{ask.subject}~"


def reviews(pull: PullRef) -> str:
    """Return the prefix of the names of all reviews of a pull request."""
    return f"review~{pull.installation}~{pull.key}~"


def line(job: str) -> list[str]:
    """Return the prefixes of the names of an installation's jobs in one queue."""
    kind, installation, *_ = job.split("~")
    return [f"{other}~{installation}~" for other, queue in QUEUES.items() if queue == QUEUES[kind]]


def queue(job: str) -> str:
    """Return the queue that a job waits in."""
    return QUEUES[job.partition("~")[0]]


def first_try(job: str) -> str:
    """Return the job that this one is a further try of, or itself."""
    return job.partition("+")[0]


def tries(job: str) -> int:
    """Return how many tries went before this one."""
    return int(job.partition("+")[2] or 0)


def following(job: str) -> str:
    """Return the name of the next try."""
    return f"{first_try(job)}+{tries(job) + 1}"


def is_same(one: str, other: str) -> bool:
    """Return whether two jobs are reviews of the same pull request, or one and the same job."""
    reviews = one.startswith("review~") and one.rpartition("~")[0] == other.rpartition("~")[0]
    return one == other or reviews
