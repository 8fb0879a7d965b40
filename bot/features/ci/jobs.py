"""Jobs of CI that failed on a reviewed head: which, what they report, and whether they fail on the base too.

Nobody waits for CI. What is asked for is bounded in requests, bytes and time; what GitHub refuses is left out. Nothing of it decides anything.
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

# A cancelled job has not failed. Older builds stored such jobs too, so that it is a `JobEnding`.
FAILURES = frozenset(get_args(JobEnding)) - {"cancelled"}
ACTIONS = "github-actions"  # the App whose check runs are jobs, with logs under the same number
MOST_PAGES, MOST_ROWS, MOST_LOGS = 3, 50, 10  # pages of a list, rows of a page, jobs whose logs are read
MAX_LOG_BYTES = 8 << 20  # of all logs of a commit, and of all patches
UNREAD: Mapping[int, LogState] = {401: "forbidden", 403: "forbidden", 410: "expired"}  # by GitHub's status
LOGS_SECONDS = 60.0  # for all of it


async def is_due(host: Host, head: str) -> bool:
    """Return whether a job of CI has failed on the head already."""
    with suppress(HostRefused):
        return bool(await failed(host, head))
    return False


async def read(host: Host, head: str, bases: Sequence[str], run: str, path: str) -> tuple[CIJobLog, ...]:
    """Read what has failed on the head so far, beside the workflow that reads it. Raises HostRefused if check runs or runs may not be listed.

    `run`: the number of its run; `path`: of its file, "" if that is not known.
    """
    until, rows = end(), list[dict[str, Any]]()
    with suppress(TimeoutError, HostDown, HostLimited):
        async with asyncio.timeout_at(until):
            rows = _first(await _of_others(host, head, await _rows(host, head), run, path))
    return await job_logs(host, rows, bases, until)


def end() -> float:
    """Return when all of it is over, by the clock of the event loop."""
    return asyncio.get_running_loop().time() + LOGS_SECONDS


async def failed(host: Host, commit: str) -> list[dict[str, Any]]:
    """Return the check runs of others that failed on a commit, the newest of each name."""
    return _first(await _rows(host, commit))


async def _rows(host: Host, commit: str) -> list[dict[str, Any]]:
    """Return all failed check runs of others.

    Our own check runs are recognized by the App, and by name and first line if an App has many authors.
    """
    rows: list[dict[str, Any]] = []
    listing = partial(host.rest.checks.async_list_for_ref, *host.repo, commit, status="completed", filter_="latest")
    async for check_run in host.client.pages(listing, "check_runs", MOST_PAGES):
        is_marked = (
            check_run.get("name") == checks.CHECK_NAME
            and markers.read(str(shapes.at(check_run, "output.summary") or "")).kind != ""
        )
        is_ours = is_marked or shapes.at(check_run, "app.id") == host.voice.app
        if not is_ours and isinstance(check_run.get("id"), int):
            rows.append(check_run)
    return await _current(host, commit, rows)


async def _current(host: Host, commit: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The failed ones among the newest results of each job. GitHub lists the newest of each run of a workflow, and a commit may have several runs.

    Jobs of one name in two workflows are two jobs. If GitHub doesn't tell which workflow a run belongs to, a failure counts until a job of this name ends otherwise.
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
    """Those that are named, the oldest first."""
    return sorted(rows, key=lambda check_run: int(check_run["id"]))[:MOST_ROWS]


async def _of_others(
    host: Host, head: str, rows: Sequence[dict[str, Any]], run: str, path: str
) -> list[dict[str, Any]]:
    """Those of other workflows. A review that failed for its findings does not show that CI failed, whichever run of its workflow made it."""
    runs = {run}
    if path and {_run(row) for row in rows} - {run, ""}:
        listing = partial(host.rest.actions.async_list_workflow_runs_for_repo, *host.repo, head_sha=head)
        async for page in host.client.pages(listing, "workflow_runs", MOST_PAGES):
            if f"/{str(page.get('path')).partition('@')[0]}".endswith(f"/{path}"):
                runs.add(str(page.get("id")))
    return [row for row in rows if _run(row) not in runs]


def _run(row: dict[str, Any]) -> str:
    """The number of the run of a workflow that a check run is a job of, "" if it is of none."""
    address = str(row.get("details_url") or "") if shapes.at(row, "app.slug") == ACTIONS else ""
    return address.partition("/actions/runs/")[2].partition("/")[0]


async def job_logs(
    host: Host, rows: Sequence[dict[str, Any]], bases: Sequence[str], until: float
) -> tuple[CIJobLog, ...]:
    """Return what each reports. What could not be read until the end is named without its log."""
    bare = [_bare(row) for row in rows]
    with_logs: dict[int, CIJobLog] = {}
    with suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            on_base = await _names_on(host, bases, {_name(row) for row in rows}) if rows else frozenset()
            bare = [_bare(row, on_base) for row in rows]
            room = MAX_LOG_BYTES
            for row, one in list(zip(rows, bare, strict=True))[:MOST_LOGS]:
                text, state = await _text(host, row, room)
                room -= len(text)
                with_logs[one.id] = replace(one, text=text, log=state)
    return tuple(with_logs.get(one.id, one) for one in bare)


def _bare(row: dict[str, Any], on_base: Collection[tuple[str, str]] = ()) -> CIJobLog:
    return CIJobLog(int(row["id"]), str(row.get("name") or ""), row["conclusion"], _name(row) in on_base)


def _name(check_run: dict[str, Any]) -> tuple[str, str]:
    """Which job it is, from one commit to the next."""
    return str(shapes.at(check_run, "app.slug")), str(check_run.get("name") or "")


async def _names_on(
    host: Host, bases: Sequence[str], names: AbstractSet[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    """Which of these jobs fail on one of the base's commits. The second commit is asked for what passes on the first, or did not run there."""
    failing: set[tuple[str, str]] = set()
    for base in dict.fromkeys(filter(None, bases)):
        if names - failing:
            with suppress(HostRefused):
                failing |= {_name(check_run) for check_run in await failed(host, base)} & names
    return frozenset(failing)


async def _text(host: Host, check_run: dict[str, Any], room: int) -> tuple[str, LogState]:
    """The end of the log of a job of GitHub Actions; of another App what its check run shows. Whether it could be read."""
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
        return "", UNREAD.get(refusal.status, "unread")
    except HostError:
        return "", "unread"
    return data[-min(MAX_LOG_CHARS, room) :].decode("utf-8", "replace"), "read"


async def patches(host: Host) -> tuple[FilePatch, ...]:
    """Return the changed files with their patches, as GitHub shows them: large ones come without."""
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
