"""Check runs on the commits of one repository: ours alone are seen and changed."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from bot.errors import HostDown, HostRefused
from bot.github import shapes
from bot.github.client import GitHubClient
from bot.github.identity import Voice
from bot.github.policy import TRIES
from bot.values import Action, Annotation, Check, Ending

if TYPE_CHECKING:
    from githubkit_schemas.latest import types

    Button = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropActionsItemsType
    New = types.ReposOwnerRepoCheckRunsPostBodyPropOutputType
    Output = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropOutputType
    Row = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropOutputPropAnnotationsItemsType

BATCH = 50  # annotations in one request
INVALID = 422


class Checks:
    """The check runs of one repository."""

    def __init__(self, client: GitHubClient, owner: str, repo: str, voice: Voice) -> None:
        self._client, self._repo, self._voice = client, (owner, repo), voice
        self._api = client.rest.checks

    async def listed(self, ref: str, name: str) -> tuple[Check, ...]:
        """Read our check runs of this name on a commit, newest first as GitHub lists them."""
        listing = partial(
            self._api.async_list_for_ref, *self._repo, quote(ref, safe=""), check_name=name, filter_="all"
        )
        return shapes.checks([data async for data in self._client.pages(listing, "check_runs")], self._voice)

    async def start(
        self, head: str, name: str, external_id: str, title: str, summary: str, actions: Sequence[Action] = ()
    ) -> Check:
        """Make a new check run, in progress."""
        asked = self._api.async_create(
            *self._repo,
            name=name,
            head_sha=head,
            external_id=external_id,
            status="in_progress",
            output={"title": title, "summary": summary},
            actions=[_button(action) for action in actions],
        )
        return shapes.value(Check, await self._client.answer(asked), shapes.CHECK)

    async def update(self, number: int, title: str, summary: str, text: str = "") -> None:
        """Change what a check run in progress shows."""
        output = _output(title, summary, text)
        patch = partial(self._api.async_update, *self._repo, number, status="in_progress", output=output)
        await self._again(lambda: self._client.answer(patch()))

    async def done(
        self,
        number: int,
        conclusion: Ending | None,
        title: str,
        summary: str,
        text: str = "",
        annotations: Sequence[Annotation] = (),
        actions: Sequence[Action] = (),
    ) -> None:
        """End a check run; it is not ended before its last annotation is there. Without a conclusion it is in progress again.

        Annotations are added and never replaced: what a lost answer has stored is not sent again.
        """
        output = _output(title, summary, text)

        async def send() -> None:
            known = await self.annotations(number) if annotations else frozenset()
            rows = [_row(one) for one in annotations if (one.path, one.start, one.title) not in known]
            while len(rows) > BATCH:
                part: Output = {**output, "annotations": rows[:BATCH]}
                await self._client.answer(self._api.async_update(*self._repo, number, output=part))
                rows = rows[BATCH:]
            last: Output = {**output, "annotations": rows}
            shown = await self._shown(number, conclusion, last, [_button(action) for action in actions])
            if (
                shown.get("conclusion") != conclusion
            ):  # GitHub may hold on to what a check run has ended with: another one says it
                await self._another(shown, conclusion, output)

        await self._again(send)

    async def _shown(
        self, number: int, conclusion: Ending | None, output: "Output", actions: "list[Button]"
    ) -> Mapping[str, Any]:
        """Change a check run; as it is then, also where GitHub refuses the change."""
        update = partial(self._api.async_update, *self._repo, number, output=output, actions=actions)
        how = {"status": "in_progress"} if conclusion is None else {"status": "completed", "conclusion": conclusion}
        try:
            return cast("Mapping[str, Any]", await self._client.answer(update(**how)))
        except HostRefused as refused:
            if refused.status != INVALID:
                raise
            return cast("Mapping[str, Any]", await self._client.answer(self._api.async_get(*self._repo, number)))

    async def _another(self, shown: Mapping[str, Any], conclusion: Ending | None, output: "Output") -> None:
        """Make a check run like this one, with another conclusion. The annotations stay where they are."""
        name, head, mark = (str(shown.get(key) or "") for key in ("name", "head_sha", "external_id"))
        create = partial(self._api.async_create, *self._repo, name=name, head_sha=head, external_id=mark)
        title, summary = str(output["title"]), output["summary"]
        content: New = {"title": title, "summary": summary, "text": output.get("text", "")}
        await self._client.answer(
            create(status="in_progress", output=content)
            if conclusion is None
            else create(status="completed", conclusion=conclusion, output=content)
        )

    async def annotations(self, number: int) -> frozenset[tuple[str, int, str]]:
        """Read which annotations a check run has: path, line, title."""
        rows = self._client.pages(partial(self._api.async_list_annotations, *self._repo, number))
        return frozenset(
            [(str(row.get("path")), int(row.get("start_line") or 0), str(row.get("title") or "")) async for row in rows]
        )

    async def _again(self, send: Callable[[], Awaitable[object]]) -> None:
        """Send, and once more if GitHub fails: a change of a check run is not repeated as it is."""
        for tries in range(1, TRIES):
            with suppress(HostDown):
                await send()
                return
            await self._client.pace.breathe(tries)
        await send()


def _output(title: str, summary: str, text: str) -> "Output":
    return {"title": title, "summary": summary, "text": text} if text else {"title": title, "summary": summary}


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
