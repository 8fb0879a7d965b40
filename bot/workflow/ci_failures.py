"""Jobs of CI that failed on a reviewed head: which, what they report, and whether they fail on the base too.

Nobody waits for CI. What is asked for is bounded in requests, bytes and time; what GitHub refuses is left out. Nothing of it decides anything.
"""

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast, get_args

from bot import github
from bot.errors import HostDown, HostError, HostLimited, HostRefused
from bot.github import Host, shapes
from bot.outputs import marker
from bot.payloads import CIReport, FilePatch
from bot.publish import checks
from bot.review import ci
from bot.values import ChecksEnded, CIJobLog, Follow, PullRef
from bot.values.review import JobEnding, LogState

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import AppPermissionsType

    from bot.jobs import Job
    from bot.storage.reviews import StoredReview
    from bot.workflow.server import Server

READ_CHECKS: "AppPermissionsType" = {"checks": "read", "actions": "read", "pull_requests": "read", "metadata": "read"}
ENDINGS: tuple[JobEnding, ...] = get_args(JobEnding)
ACTIONS = "github-actions"  # the App whose check runs are jobs, with logs under the same number
# Pages of a list, rows of a page, jobs whose logs are read, pull requests of a commit.
MOST_PAGES, MOST_ROWS, MOST_LOGS, MOST_PULLS = 3, 50, 10, 10
MAX_LOG_BYTES = 8 << 20  # of all logs of a commit, and of all patches
UNREAD: Mapping[int, LogState] = {401: "forbidden", 403: "forbidden", 410: "expired"}  # by GitHub's status
LOGS_SECONDS = 60.0  # for all of it


@dataclass(frozen=True, slots=True)
class _StoredPage:
    """A stored review whose page names failures of CI: its commits, and the check runs that it names."""

    review: "StoredReview"
    head: str
    bases: tuple[str, ...]
    check_runs: frozenset[int]


async def spread(ask: ChecksEnded, job: "Job", server: "Server") -> None:
    """Store a job for each pull request whose last review is of the commit. A success concerns those alone whose page names failures."""
    for number in await server.store.reviews.pulls_at(ask.installation, ask.repository, ask.head, MOST_PULLS):
        pull = PullRef(ask.installation, ask.repository, ask.owner, ask.name, number)
        page = await _stored_page(pull, server)
        if page is not None and (ask.is_failure or page.check_runs):
            await server.jobs.submit(Follow(pull, ask.head), job.id)


async def is_due(host: Host, head: str) -> bool:
    """Whether a job of CI has failed on the head already."""
    with suppress(HostRefused):
        return bool(await _failed(host, head))
    return False


async def store(pull: PullRef, head: str, server: "Server") -> bool:
    """Look up what has failed on the head, and store it with its review. Whether the page is to be made again."""
    page = await _stored_page(pull, server)
    if page is None or page.head != head:
        return False
    async with github.open_pull(server.identity, pull, server.pace, READ_CHECKS) as host:
        try:
            rows = await _failed(host, head)
        except HostRefused:
            return False
        if frozenset(int(row["id"]) for row in rows) == page.check_runs:
            return False
        report = CIReport(await _job_logs(host, rows, page.bases, _end()), await _patches(host) if rows else ())
    output = await server.ci_failures(page.review.output, report)
    await server.store.reviews.rewrite(page.review.id, output.encode())
    return True


async def read(host: Host, head: str, bases: Sequence[str], run: str, path: str) -> tuple[CIJobLog, ...]:
    """Read what has failed on the head so far, beside the workflow that reads it. Raises HostRefused if check runs or runs may not be listed.

    `run`: the number of its run; `path`: of its file, "" if that is not known.
    """
    end, rows = _end(), list[dict[str, Any]]()
    with suppress(TimeoutError, HostDown, HostLimited):
        async with asyncio.timeout_at(end):
            rows = _telling(await _of_others(host, head, await _rows(host, head), run, path))
    return await _job_logs(host, rows, bases, end)


def _end() -> float:
    """When all of it is over, by the clock of the event loop."""
    return asyncio.get_running_loop().time() + LOGS_SECONDS


async def _failed(host: Host, commit: str) -> list[dict[str, Any]]:
    """The check runs of others that failed on a commit, the newest of each name."""
    return _telling(await _rows(host, commit))


async def _rows(host: Host, commit: str) -> list[dict[str, Any]]:
    """The same with the cancelled ones. A review's own are known by the App, and by their name and first line where an App has many authors."""
    rows: list[dict[str, Any]] = []
    listing = partial(host.rest.checks.async_list_for_ref, *host.repo, commit, status="completed", filter_="latest")
    async for row in host.client.pages(listing, "check_runs", MOST_PAGES):
        is_marked = (
            row.get("name") == checks.CHECK_NAME
            and marker.read(str(shapes.at(row, "output.summary") or "")) is not None
        )
        is_ours = is_marked or shapes.at(row, "app.id") == host.voice.app
        if row.get("conclusion") in ENDINGS and not is_ours and isinstance(row.get("id"), int):
            rows.append(row)
    return rows


def _telling(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that are named, the oldest first. Cancelled ones tell nothing beside failed ones."""
    telling = [row for row in rows if row["conclusion"] != "cancelled"]
    return sorted(telling or rows, key=lambda row: int(row["id"]))[:MOST_ROWS]


async def _of_others(
    host: Host, head: str, rows: Sequence[dict[str, Any]], run: str, path: str
) -> list[dict[str, Any]]:
    """Those of other workflows. A review that failed for its findings does not show that CI failed, whichever run of its workflow made it."""
    runs = {run}
    if path and {_run(row) for row in rows} - {run, ""}:
        listing = partial(host.rest.actions.async_list_workflow_runs_for_repo, *host.repo, head_sha=head)
        async for one in host.client.pages(listing, "workflow_runs", MOST_PAGES):
            if f"/{str(one.get('path')).partition('@')[0]}".endswith(f"/{path}"):
                runs.add(str(one.get("id")))
    return [row for row in rows if _run(row) not in runs]


def _run(row: dict[str, Any]) -> str:
    """The number of the run of a workflow that a check run is a job of, "" if it is of none."""
    address = str(row.get("details_url") or "") if shapes.at(row, "app.slug") == ACTIONS else ""
    return address.partition("/actions/runs/")[2].partition("/")[0]


async def _job_logs(
    host: Host, rows: Sequence[dict[str, Any]], bases: Sequence[str], end: float
) -> tuple[CIJobLog, ...]:
    """What each reports. What could not be read until the end is named without its log."""
    bare = [_bare(row) for row in rows]
    with_logs: dict[int, CIJobLog] = {}
    with suppress(TimeoutError):
        async with asyncio.timeout_at(end):
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


def _name(row: dict[str, Any]) -> tuple[str, str]:
    """Which job it is, from one commit to the next."""
    return str(shapes.at(row, "app.slug")), str(row.get("name") or "")


async def _names_on(
    host: Host, bases: Sequence[str], names: AbstractSet[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    """Which of these jobs fail on one of the base's commits. The second commit is asked for what passes on the first, or did not run there."""
    failing: set[tuple[str, str]] = set()
    for base in dict.fromkeys(filter(None, bases)):
        if names - failing:
            with suppress(HostRefused):
                failing |= {_name(row) for row in await _failed(host, base)} & names
    return frozenset(failing)


async def _text(host: Host, row: dict[str, Any], room: int) -> tuple[str, LogState]:
    """The end of the log of a job of GitHub Actions; of another App what its check run shows. Whether it could be read."""
    if shapes.at(row, "app.slug") != ACTIONS:
        return "\n".join(str(shapes.at(row, f"output.{name}") or "") for name in ("title", "summary", "text")), "read"
    if room <= 0:
        return "", "unread"
    try:
        download = host.rest.actions.async_download_job_logs_for_workflow_run
        data = await host.client.content(download(*host.repo, int(row["id"])))
    except HostRefused as refusal:
        return "", UNREAD.get(refusal.status, "unread")
    except HostError:
        return "", "unread"
    return data[-min(ci.MOST, room) :].decode("utf-8", "replace"), "read"


async def _patches(host: Host) -> tuple[FilePatch, ...]:
    """The changed files with their patches, as GitHub shows them: large ones come without."""
    files: list[FilePatch] = []
    room = MAX_LOG_BYTES
    with suppress(HostError):
        async for row in host.client.pages(partial(host.rest.pulls.async_list_files, *host.at), most=MOST_PAGES):
            patch = str(row.get("patch") or "")
            patch = patch if len(patch) <= room else ""
            room -= len(patch)
            old = row.get("previous_filename") or row.get("filename")
            files.append(FilePatch(str(row.get("filename") or ""), str(old or ""), patch))
    return tuple(files)


async def _stored_page(pull: PullRef, server: "Server") -> _StoredPage | None:
    """What the last review of a pull request has to say; None if its page names no failures."""
    review = await server.store.reviews.newest(pull)
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        document = cast("dict[str, Any]", await asyncio.to_thread(json.loads, review.output if review else b""))
        own, ids = document["pull"], frozenset(int(row["id"]) for row in document.get("ci_failures", ()))
        if review is not None and document["settings"].get("ci", True):
            return _StoredPage(review, str(own["head"]), (str(own["base"]), str(own["base_tip"] or "")), ids)
    return None
