"""Stored jobs as they are in the database: found, put in, ended, deleted. Everything here runs as nobody's step.

A call made from within a job would else become part of that job's recorded course, and be answered from the record after a
restart. Errors of the database are translated here.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dbos import DBOS, EnqueueOptions
from dbos import error as errors
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError

VERSION = "deeprepo-wf-1"  # of how jobs run: by default it would be a hash of the code, and each edit would strand stored jobs
WORKFLOW = "job_v1"
WAITING, RUNNING = ("ENQUEUED", "DELAYED"), "PENDING"
ACTIVE = (*WAITING, RUNNING)
TRIED = "tried_alone"
FIRST, MOST = 10, 500  # the usual priority; rows deleted in one transaction

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class JobRow:
    """One stored job. `text` is its ask where that was asked for; `executor` who has it, or had it last."""

    id: str
    state: str
    executor: str
    version: str
    attempts: int
    created: int
    queue: str
    partition: str | None
    priority: int
    text: str = ""
    tried: bool = False  # alone, after several processes had died while it ran


def apart(call: Callable[Given, Coroutine[Any, Any, Result]]) -> Callable[Given, Awaitable[Result]]:
    """Run a call as nobody's step, and translate what the database says when it fails."""

    @wraps(call)
    async def done(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return await asyncio.create_task(call(*args, **kwargs), context=contextvars.Context())
        except (SQLAlchemyError, errors.DBOSException) as error:
            said = str(getattr(error, "orig", None) or error).strip().splitlines()
            raise StorageError(f"the jobs' database failed: {said[0] if said else type(error).__name__}") from error

    return done


@apart
async def find(
    *,
    ids: Sequence[str] | None = None,
    prefix: str | None = None,
    states: Sequence[str] = ACTIVE,
    executors: Sequence[str] | None = None,
    text: bool = False,
    most: int | None = None,
) -> list[JobRow]:
    """The jobs that fit, oldest first."""
    if ids is not None and not ids:
        return []
    found = await DBOS.list_workflows_async(
        workflow_ids=list(ids) if ids is not None else None,
        workflow_id_prefix=prefix,
        status=list(states),
        executor_id=list(executors) if executors is not None else None,
        limit=most,
        load_input=text,
        load_output=False,
    )
    return [
        JobRow(
            id=row.workflow_id,
            state=row.status,
            executor=row.executor_id or "",
            version=row.app_version or "",
            attempts=row.recovery_attempts or 0,
            created=row.created_at or 0,
            queue=row.queue_name or "",
            partition=row.queue_partition_key,
            priority=row.priority or FIRST,
            text=_text(row.input) if text else "",
            tried=bool((row.attributes or {}).get(TRIED)),
        )
        for row in found
    ]


@apart
async def mark_tried(job: str) -> None:
    """Note that a job is now tried alone."""
    await DBOS.update_workflow_attributes_async(job, {TRIED: True})


@apart
async def put(
    job: str,
    queue: str,
    text: str,
    *,
    partition: str | None,
    person: str = "",
    priority: int = FIRST,
    delay: float = 0.0,
) -> bool:
    """Store a job; on disk when this returns. False where one of this name is known, finished ones included."""
    options: EnqueueOptions = {
        "workflow_name": WORKFLOW,
        "queue_name": queue,
        "workflow_id": job,
        "workflow_id_reuse_policy": "reject",
        "app_version": VERSION,
        "priority": priority,
    }
    if partition is not None:
        options["queue_partition_key"] = partition
    if person:
        options["authenticated_user"] = person
    if delay > 0:
        options["delay_seconds"] = delay
    try:
        await DBOS.enqueue_workflow_with_options_async(options, text)
    except errors.DBOSWorkflowIDInUseError:
        return False
    return True


@apart
async def end(ids: Sequence[str]) -> None:
    """Cancel jobs: those that wait never run, those that run learn of it within a second."""
    if ids:
        await DBOS.cancel_workflows_async(list(ids))


@apart
async def hand_back(job: str, queue: str) -> None:
    """Put a job that was begun back into its queue, for the process that takes it first; it does not count as a crash."""
    await DBOS.resume_workflow_async(job, queue_name=queue)


@apart
async def take_over(executors: Sequence[str]) -> None:
    """Put back what these dead processes had begun.

    The library's own recovery, which it keeps for its service: it takes a job only while the dead process is still its owner,
    in one statement, and keeps count of the attempts. The public `resume` does neither.
    """
    await asyncio.to_thread(DBOS._recover_pending_workflows, list(executors))  # noqa: SLF001 - see above


@apart
async def finished_before(moment: str) -> list[str]:
    """The names of jobs that ended before a moment (ISO 8601), a bounded number."""
    found = await DBOS.list_workflows_async(completed_before=moment, limit=MOST, load_input=False, load_output=False)
    return [row.workflow_id for row in found if row.status not in ACTIVE]


@apart
async def finished(prefix: str) -> list[JobRow]:
    """The jobs of this beginning that have ended, with their asks."""
    found = await DBOS.list_workflows_async(workflow_id_prefix=prefix, load_output=False)
    return [
        JobRow(row.workflow_id, row.status, "", "", 0, 0, "", None, FIRST, _text(row.input))
        for row in found
        if row.status not in ACTIVE
    ]


@apart
async def delete(ids: Sequence[str]) -> None:
    """Delete jobs with all that is stored of them."""
    for start in range(0, len(ids), MOST):
        await DBOS.delete_workflows_async(list(ids[start : start + MOST]))


def _text(given: object) -> str:
    """A job's only argument. Something else was put in by hand, or by a later version."""
    args = given.get("args") if isinstance(given, dict) else None
    return args[0] if isinstance(args, tuple | list) and args and isinstance(args[0], str) else ""
