"""Find the CI jobs that failed on a reviewed head, with their logs, and whether they also fail on the base.

A review never waits for CI. The number of requests, bytes and seconds is limited, and logs that GitHub
refuses are skipped. The result does not affect the review's conclusion.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from bot.errors import HostDown, HostError, HostLimited, HostRefused
from bot.features.ci.explain import MAX_LOG_CHARS
from bot.features.ci.values import CIJobLog, FilePatch, JobEnding, LogState
from bot.github import Host, shapes
from bot.stored import markers
from bot.workflow.publish import checks

# A canceled job has not failed. `JobEnding` contains "cancelled" because older builds stored such jobs.
FAILURES = frozenset(get_args(JobEnding)) - {"cancelled"}
# The slug of the App whose check runs are GitHub Actions jobs. A job has the same ID as its check run.
ACTIONS = "github-actions"
MOST_PAGES, MOST_ROWS, MOST_LOGS = 3, 50, 10  # pages of a list, jobs per commit, logs per commit
MAX_LOG_BYTES = 8 << 20  # bytes of all logs of a commit together, and of all patches together
# The state of a log by the HTTP status of GitHub's refusal.
STATE_BY_STATUS: Mapping[int, LogState] = {401: "forbidden", 403: "forbidden", 410: "expired"}
LOGS_SECONDS = 60.0  # time limit for all requests together


async def has_failed(host: Host, head: str) -> bool:
    """Return whether a CI job has already failed on the head."""
    with suppress(HostRefused):
        return bool(await failed(host, head))
    return False


async def read(host: Host, head: str, bases: Sequence[str], run: str, path: str) -> tuple[CIJobLog, ...]:
    """Return the jobs of other workflows that have failed on the head, with their logs.

    `bases` are the base's commits. `run` is the ID of this workflow run, and `path` its workflow file ("" if
    unknown). Raises HostRefused if the token may not list check runs or workflow runs.
    """
    until, rows = deadline(), list[dict[str, Any]]()
    with suppress(TimeoutError, HostDown, HostLimited):
        async with asyncio.timeout_at(until):
            rows = _first(await _of_other_workflows(host, head, await _rows(host, head), run, path))
    return await job_logs(host, rows, bases, until)


def deadline() -> float:
    """Return the time at which LOGS_SECONDS end, by the event loop's clock."""
    return asyncio.get_running_loop().time() + LOGS_SECONDS


async def failed(host: Host, commit: str) -> list[dict[str, Any]]:
    """Return the failed check runs of other Apps on a commit, at most MOST_ROWS."""
    return _first(await _rows(host, commit))


async def _rows(host: Host, commit: str) -> list[dict[str, Any]]:
    """Return all failed check runs of other Apps.

    Our own check runs are recognized by the App. In a workflow, where other jobs use the same App, they are
    recognized by name and marker.
    """
    rows: list[dict[str, Any]] = []
    listing = partial(host.rest.checks.async_list_for_ref, *host.repo, commit, status="completed", filter_="latest")
    async for check_run in host.client.pages(listing, "check_runs", MOST_PAGES):
        is_marked = (
            check_run.get("name") == checks.CHECK_NAME
            and markers.read(str(shapes.at(check_run, "output.summary") or "")).kind != ""
        )
        is_ours = is_marked or shapes.at(check_run, "app.id") == host.bot_identity.app
        if not is_ours and isinstance(check_run.get("id"), int):
            rows.append(check_run)
    return await _current(host, commit, rows)


async def _current(host: Host, commit: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the check runs of the jobs whose newest result is a failure.

    GitHub returns the newest check run of each workflow run, but a commit can have several workflow runs. Two
    jobs with the same name in different workflows are separate jobs. If it is unknown which workflow a check
    run belongs to, a failure counts until a job with this name has another result.
    """
    jobs = Counter(map(_name, rows))
    several = {_run(row) for row in rows if jobs[_name(row)] > 1} - {""}
    workflows = dict[str, str]()
    if len(several) > 1:
        with suppress(HostRefused):
            listing = partial(host.rest.actions.async_list_workflow_runs_for_repo, *host.repo, head_sha=commit)
            async for run in host.client.pages(listing, "workflow_runs", MOST_PAGES):
                workflows[str(run.get("id"))] = str(run.get("path") or "").partition("@")[0]
    failed = dict[tuple[str, str, str], list[dict[str, Any]]]()
    for row in sorted(rows, key=lambda check_run: int(check_run["id"])):
        workflow = workflows.get(_run(row), "")
        is_failed, key = row.get("conclusion") in FAILURES, (*_name(row), workflow)
        failed[key] = [*([] if workflow or not is_failed else failed.get(key, [])), *([row] if is_failed else [])]
    return [row for of_job in failed.values() for row in of_job]


def _first(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first MOST_ROWS check runs, oldest first."""
    return sorted(rows, key=lambda check_run: int(check_run["id"]))[:MOST_ROWS]


async def _of_other_workflows(
    host: Host, head: str, rows: Sequence[dict[str, Any]], run: str, path: str
) -> list[dict[str, Any]]:
    """Return the check runs that don't belong to this workflow.

    A review job that fails because of findings is not a CI failure, not even in another run of the workflow.
    """
    runs = {run}
    if path and {_run(row) for row in rows} - {run, ""}:
        listing = partial(host.rest.actions.async_list_workflow_runs_for_repo, *host.repo, head_sha=head)
        async for page in host.client.pages(listing, "workflow_runs", MOST_PAGES):
            if f"/{str(page.get('path')).partition('@')[0]}".endswith(f"/{path}"):
                runs.add(str(page.get("id")))
    return [row for row in rows if _run(row) not in runs]


def _run(row: dict[str, Any]) -> str:
    """Return the number of the workflow run that a check run belongs to; "" if none."""
    address = str(row.get("details_url") or "") if shapes.at(row, "app.slug") == ACTIONS else ""
    return address.partition("/actions/runs/")[2].partition("/")[0]


async def job_logs(
    host: Host, rows: Sequence[dict[str, Any]], bases: Sequence[str], until: float
) -> tuple[CIJobLog, ...]:
    """Return the log of each job. A job whose log could not be read in time is listed without it."""
    bare = [_without_log(row) for row in rows]
    with_logs: dict[int, CIJobLog] = {}
    with suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            on_base = await _failing_on(host, bases, {_name(row) for row in rows}) if rows else frozenset()
            bare = [_without_log(row, on_base) for row in rows]
            room = MAX_LOG_BYTES
            for row, one in list(zip(rows, bare, strict=True))[:MOST_LOGS]:
                text, state = await _text(host, row, room)
                room -= len(text)
                with_logs[one.id] = replace(one, text=text, log=state)
    return tuple(with_logs.get(one.id, one) for one in bare)


def _without_log(row: dict[str, Any], on_base: Collection[tuple[str, str]] = ()) -> CIJobLog:
    return CIJobLog(int(row["id"]), str(row.get("name") or ""), row["conclusion"], _name(row) in on_base)


def _name(check_run: dict[str, Any]) -> tuple[str, str]:
    """Return the key that identifies a job across commits."""
    return str(shapes.at(check_run, "app.slug")), str(check_run.get("name") or "")


async def _failing_on(
    host: Host, bases: Sequence[str], names: AbstractSet[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    """Return which of these jobs fail on one of the base's commits."""
    failing: set[tuple[str, str]] = set()
    for base in dict.fromkeys(filter(None, bases)):
        if names - failing:
            with suppress(HostRefused):
                failing |= {_name(check_run) for check_run in await failed(host, base)} & names
    return frozenset(failing)


async def _text(host: Host, check_run: dict[str, Any], room: int) -> tuple[str, LogState]:
    """Return the end of a GitHub Actions log, or the output of another App's check run, and the log's state.

    `room` is the number of bytes that may be read.
    """
    if shapes.at(check_run, "app.slug") != ACTIONS:
        return "\n".join(
            str(shapes.at(check_run, f"output.{name}") or "") for name in ("title", "summary", "text")
        ), "read"
    if room <= 0:
        return "", "unread"
    try:
        download = host.rest.actions.async_download_job_logs_for_workflow_run
        data = await host.client.content(download(*host.repo, int(check_run["id"])))
    except HostRefused as refusal:
        return "", STATE_BY_STATUS.get(refusal.status, "unread")
    except HostError:
        return "", "unread"
    return data[-min(MAX_LOG_CHARS, room) :].decode("utf-8", "replace"), "read"


async def patches(host: Host) -> tuple[FilePatch, ...]:
    """Return the changed files with the patches that GitHub shows. Large patches are empty."""
    files: list[FilePatch] = []
    room = MAX_LOG_BYTES
    with suppress(HostError):
        async for file in host.client.pages(partial(host.rest.pulls.async_list_files, *host.at), most=MOST_PAGES):
            patch = str(file.get("patch") or "")
            patch = patch if len(patch) <= room else ""
            room -= len(patch)
            old = file.get("previous_filename") or file.get("filename")
            files.append(FilePatch(str(file.get("filename") or ""), str(old or ""), patch))
    return tuple(files)
