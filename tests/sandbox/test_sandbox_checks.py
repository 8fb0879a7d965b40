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


FORBIDDEN: list[dict[str, object]] = [
    {"output": OUTPUT | {"annotations": [NOTE] * 51}},
    {"output": {"summary": "no title"}},
    {"output": OUTPUT | {"summary": "x" * 65_536}},
    {"output": OUTPUT | {"annotations": [NOTE | {"message": "x" * 65_537}]}},
    {"output": OUTPUT | {"annotations": [NOTE | {"start_line": 2}]}},
    {"status": "completed"},
    {"head_sha": "f" * 40},
    {"actions": [{"label": "x", "description": "y", "identifier": "z"}] * 4},
    {"actions": [{"label": "x" * 21, "description": "y", "identifier": "z"}]},
]


def test_what_a_check_run_may_not_hold(tmp_path: Path) -> None:
    """Too many annotations or actions, texts too long, no title, no such commit, an end without a conclusion: 422."""

    async def run() -> None:
        async with rig(tmp_path, strict=False) as at:
            for fields in FORBIDDEN:
                said = {"name": "deeprepo", "head_sha": at.gh.pull(1).head_sha} | fields
                assert (await at.refused("POST", "/check-runs", said))[0] == 422, fields
            assert at.gh.pull(1).checks == []

    asyncio.run(run())


def test_check_runs_are_found_by_commit(tmp_path: Path) -> None:
    """The list of a commit has the latest run of each name, or all of them, and can be cut to one App."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            one, two = await _start(at), await _start(at)
            head = at.gh.pull(1).head_sha
            latest = await at.ok("GET", f"/commits/{head}/check-runs?check_name=deeprepo")
            assert [row["id"] for row in latest["check_runs"]] == [two]
            everything = await at.ok("GET", f"/commits/{head}/check-runs?filter=all&app_id={at.gh.app_id}")
            assert (everything["total_count"], {row["id"] for row in everything["check_runs"]}) == (2, {one, two})
            assert (await at.ok("GET", f"/commits/{head}/check-runs?app_id=1"))["check_runs"] == []

    asyncio.run(run())


def test_a_check_run_belongs_to_its_app(tmp_path: Path) -> None:
    """Another App may not change it."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            one = await _start(at)
            other = f"Bearer {at.gh.actions_token(at.repo, {'checks': 'write'})}"
            assert (await at.refused("PATCH", f"/check-runs/{one}", {"name": "x"}, authorization=other))[0] == 403

    asyncio.run(run())


def test_a_check_run_of_a_fork_names_no_pull_request(tmp_path: Path) -> None:
    """For a head that lives in a fork the list of pull requests is empty, as at GitHub."""

    async def run() -> None:
        async with rig(tmp_path, fork=True) as at:
            one = await _start(at)
            rows = await at.ok("GET", f"/commits/{at.gh.pull(1).head_sha}/check-runs")
            assert (rows["check_runs"][0]["id"], rows["check_runs"][0]["pull_requests"]) == (one, [])

    asyncio.run(run())
