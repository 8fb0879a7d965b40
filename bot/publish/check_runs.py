"""Check runs at GitHub: ours alone are seen and changed, and what a lost answer has stored is not stored twice."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from bot.errors import HostDown
from bot.github import Host, shapes
from bot.github.policy import TRIES
from bot.values import Action, Annotation, Check, Ending

if TYPE_CHECKING:
    from githubkit_schemas.latest import types

    Button = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropActionsItemsType
    Output = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropOutputType
    Row = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropOutputPropAnnotationsItemsType

BATCH = 50  # annotations in one request
CHECK = {"title": "output.title", "summary": "output.summary", "text": "output.text", "head": "head_sha"}


async def list_runs(host: Host, head: str, name: str) -> tuple[Check, ...]:
    """Read our check runs of this name on a commit, newest first as GitHub lists them."""
    voice, commit = host.voice, quote(head, safe="")
    ours = ("app.id", voice.app) if voice.app else ("app.slug", voice.login.removesuffix("[bot]"))
    listing = partial(host.rest.checks.async_list_for_ref, *host.repo, commit, check_name=name, filter_="all")
    rows = host.client.pages(listing, "check_runs")
    return tuple([shapes.value(Check, row, CHECK) async for row in rows if shapes.at(row, ours[0]) == ours[1]])


async def start(host: Host, head: str, name: str, external_id: str, title: str, summary: str) -> Check:
    """Make a new check run, in progress."""
    asked = host.rest.checks.async_create(
        *host.repo,
        name=name,
        head_sha=head,
        external_id=external_id,
        status="in_progress",
        output={"title": title, "summary": summary},
    )
    return shapes.value(Check, await host.client.answer(asked), CHECK)


async def update(host: Host, number: int, title: str, summary: str) -> None:
    """Change what a check run in progress shows."""
    shown: Output = {"title": title, "summary": summary}
    patch = partial(host.rest.checks.async_update, *host.repo, number, status="in_progress", output=shown)
    await _again(host, lambda: host.client.answer(patch()))


async def end(
    host: Host,
    number: int,
    conclusion: Ending,
    title: str,
    summary: str,
    text: str = "",
    annotations: Sequence[Annotation] = (),
    actions: Sequence[Action] = (),
) -> None:
    """End a check run; it is not ended before its last annotation is there.

    Annotations are added and never replaced: what a lost answer has stored is not sent again.
    """
    output: Output = {"title": title, "summary": summary}
    if text:
        output["text"] = text

    async def send() -> None:
        known = await annotations_of(host, number) if annotations else frozenset()
        rows = [_row(one) for one in annotations if (one.path, one.start, one.title) not in known]
        while len(rows) > BATCH:
            part: Output = {**output, "annotations": rows[:BATCH]}
            await host.client.answer(host.rest.checks.async_update(*host.repo, number, output=part))
            rows = rows[BATCH:]
        end = partial(host.rest.checks.async_update, *host.repo, number, status="completed", conclusion=conclusion)
        final: Output = {**output, "annotations": rows}
        await host.client.answer(end(output=final, actions=[_button(one) for one in actions]))

    await _again(host, send)


async def annotations_of(host: Host, number: int) -> frozenset[tuple[str, int, str]]:
    """Read which annotations a check run has: path, line, title."""
    rows = host.client.pages(partial(host.rest.checks.async_list_annotations, *host.repo, number))
    return frozenset(
        [(str(row.get("path")), int(row.get("start_line") or 0), str(row.get("title") or "")) async for row in rows]
    )


async def _again(host: Host, send: Callable[[], Awaitable[object]]) -> None:
    """Send, and once more if GitHub fails: a change of a check run is not repeated as it is."""
    for tries in range(1, TRIES):
        with suppress(HostDown):
            await send()
            return
        await host.client.pace.breathe(tries)
    await send()


def _button(action: Action) -> "Button":
    return {"label": action.label, "description": action.description, "identifier": action.identifier}


def _row(one: Annotation) -> "Row":
    return {
        "path": one.path,
        "start_line": one.start,
        "end_line": one.end,
        "annotation_level": one.level,
        "title": one.title,
        "message": one.message,
    }
