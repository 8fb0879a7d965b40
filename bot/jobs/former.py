"""Jobs that an earlier version had stored with a library: they become rows of the present tables once, and the library's rows are deleted.

Unfinished jobs go on with the results of their recorded steps. Finished ones are known by name, so that late copies of their
deliveries are still refused.
"""

import json
import logging
from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy as sa

from bot.errors import StorageError
from bot.jobs import codec, ids
from bot.jobs.tables import CANCELLED, DONE, RUNNING, VERSION, WAITING, job, lock, step
from bot.storage.database import Database
from bot.storage.dialect import insert

log = logging.getLogger("deeprepo.jobs")
STATES = {"ENQUEUED": WAITING, "DELAYED": WAITING, "PENDING": RUNNING, "SUCCESS": DONE}
SCHEMA = "dbos"  # of the library, on PostgreSQL
JOBS = """SELECT s.workflow_uuid AS id, s.status, s.executor_id, s.priority, s.created_at, s.delay_until_epoch_ms, s.completed_at,
  s.started_at_epoch_ms, s.recovery_attempts, i.inputs
  FROM {0}workflow_status s LEFT JOIN {0}workflow_input i ON i.workflow_uuid = s.workflow_uuid WHERE s.name = 'job_v1'"""
STEPS = """SELECT workflow_uuid AS job, function_name AS name, output FROM {0}operation_outputs
  WHERE output IS NOT NULL AND error IS NULL ORDER BY workflow_uuid, function_id"""


async def take_in(database: Database) -> None:
    """Take in what the library had stored, if it ever did."""
    count = await database.run(_take_in)
    if count:
        log.info("jobs of an earlier version were taken in", extra={"facts": {"jobs": count}})


def _take_in(connection: sa.Connection) -> int:
    schema = SCHEMA if connection.dialect.name == "postgresql" else None
    if not sa.inspect(connection).has_table("workflow_status", schema=schema):
        return 0
    lock(connection)
    at = f"{schema}." if schema else ""
    rows = [
        row for job_row in connection.execute(sa.text(JOBS.format(at))).mappings() if (row := _job(job_row)) is not None
    ]
    active_ids = {row["id"] for row in rows if row["state"] in {WAITING, RUNNING}}
    for row in rows:
        connection.execute(insert(job, connection).values(**row).on_conflict_do_nothing())
    for one in _steps(connection.execute(sa.text(STEPS.format(at))).mappings()):
        if one["job"] in active_ids:
            connection.execute(insert(step, connection).values(**one).on_conflict_do_nothing())
    for table in ("operation_outputs", "workflow_input", "workflow_status"):
        connection.execute(sa.text(f"DELETE FROM {at}{table}"))  # noqa: S608 - names of our own
    return len(rows)


def _job(row: sa.RowMapping) -> dict[str, Any] | None:
    """Turn a stored job into a row of our table; None if its arguments cannot be read."""
    state = STATES.get(row["status"], CANCELLED)
    text = _text(row["inputs"])
    try:
        ask = codec.read(text)
    except StorageError:
        return None
    active, created_at = state in {WAITING, RUNNING}, row["created_at"] / 1000
    return {
        "id": row["id"],
        "queue": ids.queue(row["id"]),
        **ids.places(ask),
        "state": state,
        "ask": text if active else "",
        "version": VERSION,
        "created_at": created_at,
        "due_at": max(created_at, (row["delay_until_epoch_ms"] or 0) / 1000),
        "started_at": (row["started_at_epoch_ms"] or 0) / 1000 or None,
        "finished_at": None if active else (row["completed_at"] or row["created_at"]) / 1000,
        "executor": row["executor_id"] or "",
        "attempts": row["recovery_attempts"] or 0,
    }


def _text(inputs: str | None) -> str:
    """The only argument of a job."""
    try:
        arguments = json.loads(inputs or "null")["positionalArgs"]
    except (ValueError, KeyError, TypeError):
        return ""
    return arguments[0] if isinstance(arguments, list) and arguments and isinstance(arguments[0], str) else ""


def _steps(rows: Iterable[sa.RowMapping]) -> Iterator[dict[str, Any]]:
    uses: dict[tuple[str, str], int] = {}
    for row in rows:
        key = row["job"], row["name"]
        uses[key] = uses.get(key, 0) + 1
        yield {"job": row["job"], "name": row["name"], "use": uses[key], "result": row["output"]}
