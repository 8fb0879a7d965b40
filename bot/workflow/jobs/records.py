"""How a job is stored: its name, and its JSON.

A name is KIND~INSTALLATION~SUBJECT~DELIVERY, with +1, +2 and so on appended for further tries. The same
delivery always gives the same name, so copies are recognized. Names about different pull requests share no
prefix.

`JOB_FORM` is the version of the JSON, which also names the build that wrote it. Several builds can share one
database, so this build leaves a job that it cannot read to one that can.
"""

import json
import re
from dataclasses import asdict
from typing import Any, get_args

from pydantic import TypeAdapter

from bot.machine import build
from bot.values import CommandJob, Job, PullRef, RemarkJob, ReviewJob

JOB_FORM = 1
MAX_DELIVERY_CHARS = 120  # characters kept of a delivery's id
OBSOLETE_KINDS = frozenset(
    {"ChecksEnded", "PackageSurvey", "Retitled"}
)  # stored by 0.2.0; nothing is left to do for them
QUEUES = {  # by kind of job, which is the first part of a job's name
    "review": "reviews", "command": "commands", "cancel": "commands", "ci": "commands",
    "small": "commands", "packages": "commands",
}  # fmt: skip
# Kinds whose subject begins with a repository.
OF_PULLS = tuple(kind for kind in QUEUES if kind not in ("small", "packages"))
STORED_NAMES = {ReviewJob: "ReviewAsk", CommandJob: "CommandAsk", RemarkJob: "RemarkAsk"}  # of other kinds: their own
KINDS: dict[str, TypeAdapter[Any]] = {
    STORED_NAMES.get(kind, kind.__name__): TypeAdapter(kind) for kind in get_args(Job)
}


def write(job: Job) -> str:
    """Return a job as one line of JSON."""
    record = {
        "kind": STORED_NAMES.get(type(job), type(job).__name__),
        "form": JOB_FORM,
        "by": build.name(),
        **asdict(job),
    }
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"))


def read(text: str) -> Job | None:
    """Return the job; None if it is damaged or in a form that this build cannot read."""
    try:
        record = json.loads(text)
        if record.pop("form") != JOB_FORM:
            return None
        job: Job = KINDS[record.pop("kind")].validate_python(record)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return job


def other_build(text: str) -> str:
    """Return the name of the build that wrote a job.

    Return "" if it is this build, if no build is needed for the job, or if the text is not a job.
    """
    try:
        record = json.loads(text)
        if record["kind"] in OBSOLETE_KINDS:
            return ""
        return str(record["by"]) * (bool(record["kind"]) and record["by"] != build.name())
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def name(job: Job, delivery: str) -> str:
    """Return the name of a delivery's job."""
    label = re.sub(r"[^A-Za-z0-9._-]", "-", delivery)[:MAX_DELIVERY_CHARS]
    return beginning(job) + label


def beginning(job: Job) -> str:
    """Return the prefix shared by the names of all jobs of this kind about the same subject."""
    return f"{job.prefix}~{job.installation}~{job.subject}~"


def reviews(pull: PullRef) -> str:
    """Return the prefix shared by the names of all reviews of a pull request."""
    return f"review~{pull.installation}~{pull.key}~"


def line(job: str) -> list[str]:
    """Return the prefixes of an installation's job names in the same queue as this job."""
    kind, installation, *_ = job.split("~")
    return [f"{other}~{installation}~" for other, queue in QUEUES.items() if queue == QUEUES[kind]]


def queue(job: str) -> str:
    """Return a job's queue."""
    return QUEUES[job.partition("~")[0]]


def first_try(job: str) -> str:
    """Return the name of a job's first try."""
    return job.partition("+")[0]


def tries(job: str) -> int:
    """Return the number of earlier tries."""
    return int(job.partition("+")[2] or 0)


def following(job: str) -> str:
    """Return the name of the next try."""
    return f"{first_try(job)}+{tries(job) + 1}"


def is_same(one: str, other: str) -> bool:
    """Return whether two jobs are the same job, or reviews of the same pull request."""
    reviews = one.startswith("review~") and one.rpartition("~")[0] == other.rpartition("~")[0]
    return one == other or reviews
