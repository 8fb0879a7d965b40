import asyncio
from pathlib import Path

from sandbox_rig import Rig, rig

NOTE = {"path": "a.txt", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "m"}
OUTPUT = {"title": "t", "summary": "s"}


async def _start(at: Rig, **fields: object) -> int:
    said = {"name": "deeprepo", "head_sha": at.gh.pull(1).head_sha, "status": "in_progress", "external_id": "1"}
    made = await at.ok("POST", "/check-runs", said | fields)
    return int(made["id"])


def test_a_check_run_goes_from_start_to_end(tmp_path: Path) -> None:
    """A check run is started, told about, completed; annotations of later calls are added to the earlier ones."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            one = await _start(at, output=OUTPUT)
            await at.ok("PATCH", f"/check-runs/{one}", {"output": OUTPUT | {"annotations": [NOTE] * 50}})
            done = await at.ok(
                "PATCH", f"/check-runs/{one}", {"conclusion": "neutral", "output": OUTPUT | {"annotations": [NOTE] * 7}}
            )
            assert (done["status"], done["conclusion"], done["output"]["annotations_count"]) == (
                "completed",
                "neutral",
                57,
            )
            assert len(await at.ok("GET", f"/check-runs/{one}/annotations?per_page=100")) == 57
            assert done["pull_requests"][0]["number"] == 1

    asyncio.run(run())
