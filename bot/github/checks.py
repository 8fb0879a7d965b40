"""Check runs on the commits of one repository: ours alone are seen and changed."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from bot.errors import HostDown
from bot.github import shapes
from bot.github.client import TRIES, GitHubClient
from bot.github.identity import Voice
from bot.values import Action, Annotation, Check, Ending

BATCH = 50  # annotations in one request


class Checks:
    """The check runs of one repository."""

    def __init__(self, client: GitHubClient, repo: str, voice: Voice) -> None:
        self._client, self._repo, self._voice = client, repo, voice

    async def listed(self, ref: str, name: str) -> tuple[Check, ...]:
        """Our check runs of this name on a commit, newest first as GitHub lists them."""
        path = f"{self._repo}/commits/{quote(ref, safe='')}/check-runs"
        found = self._client.pages(path, key="check_runs", check_name=name, filter="all")
        return shapes.checks([data async for data in found], self._voice)

    async def start(
        self, head: str, name: str, external_id: str, title: str, summary: str, actions: Sequence[Action] = ()
    ) -> Check:
        """A new check run, in progress."""
        asked = {
            "name": name,
            "head_sha": head,
            "external_id": external_id,
            "status": "in_progress",
            "output": {"title": title, "summary": summary},
            "actions": [_button(action) for action in actions],
        }
        return shapes.check(await self._client.write("POST", f"{self._repo}/check-runs", asked))

    async def update(self, number: int, title: str, summary: str, text: str = "") -> None:
        """What a check run in progress says."""
        output = {"title": title, "summary": summary} | ({"text": text} if text else {})
        asked = {"status": "in_progress", "output": output}
        await self._client.write("PATCH", f"{self._repo}/check-runs/{number}", asked, again=True)

    async def done(
        self,
        number: int,
        conclusion: Ending,
        title: str,
        summary: str,
        text: str = "",
        annotations: Sequence[Annotation] = (),
        actions: Sequence[Action] = (),
    ) -> None:
        """End a check run; it is not ended before its last annotation is there."""
        output = {"title": title, "summary": summary} | ({"text": text} if text else {})
        end = {"status": "completed", "conclusion": conclusion, "actions": [_button(one) for one in actions]}
        for tries in range(1, TRIES + 1):
            try:
                return await self._end(number, output, end, annotations)
            except HostDown:
                if tries == TRIES:
                    raise
            await self._client.pace.breathe(tries)
        return None

    async def _end(
        self, number: int, output: Mapping[str, object], end: Mapping[str, object], annotations: Sequence[Annotation]
    ) -> None:
        """Annotations are added and never replaced: what a lost answer has stored is not sent again."""
        known = await self.annotations(number) if annotations else frozenset()
        left = [one for one in annotations if _key(one) not in known]
        while True:
            batch, left = left[:BATCH], left[BATCH:]
            rows = {"output": {**output, "annotations": [_annotation(one) for one in batch]}}
            await self._client.write("PATCH", f"{self._repo}/check-runs/{number}", {**rows, **({} if left else end)})
            if not left:
                return

    async def annotations(self, number: int) -> frozenset[tuple[str, int, str]]:
        """Which annotations a check run has: path, line, title."""
        rows = self._client.pages(f"{self._repo}/check-runs/{number}/annotations")
        return frozenset(
            [(str(row.get("path")), int(row.get("start_line") or 0), str(row.get("title") or "")) async for row in rows]
        )


def _button(action: Action) -> dict[str, str]:
    return {"label": action.label, "description": action.description, "identifier": action.identifier}


def _key(one: Annotation) -> tuple[str, int, str]:
    return one.path, one.start, one.title


def _annotation(one: Annotation) -> dict[str, object]:
    return {
        "path": one.path,
        "start_line": one.start,
        "end_line": one.end,
        "annotation_level": one.level,
        "title": one.title,
        "message": one.message,
    }
