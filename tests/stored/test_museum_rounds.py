"""Data of an older build's two reviews, with facts that a single small review lacks. See `rounds.py`."""

import base64
import json
import re
import sqlite3
import sys
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from rounds import FIRST_PUSH, QUOTA, SECOND_PUSH, TALK_BASE, TALK_HEAD
from waits import patience
from whole import Whole, whole

sys.path.append(str(Path(__file__).parents[1] / "action"))  # the workflow runner

from opening import event
from stepping import WRITE, stage

from bot.outputs import json_file
from bot.stored import reviews
from deeprepo_sandbox import github as sandbox

MUSEUM = Path(__file__).parent / "museum"
ROOMS = sorted(path.parent.name for path in MUSEUM.glob("*/rounds.json"))
FINDINGS, UNSETTLED = re.compile(r"(\d+) findings? \("), "could neither confirm nor refute this"
STATE = re.compile("<!-- deeprepo-state:([^ ]*) -->")
GONE = ("ci_failures", "features", "claims", "areas", "calls", "read_by_model")  # stored keys of removed features
# Stored keys without a value in any room, because no change there needs them.
EMPTY = {
    "cache_read", "cache_write", "checks", "commit", "consumer", "consumers",
    "cut", "doubts", "dropped", "fail_on", "full", "how", "is_follow_up", "issues", "not_installed", "not_run", "overlooked",
    "refused", "relying", "repository", "reproduction", "request_changes", "root_usd", "silencing",
    "skip", "skipped_files", "strict", "templates", "tried", "turns", "unconfirmed", "unsettled", "usd",
    "verify_usd",
}  # fmt: skip


def left(room: str) -> dict[str, Any]:
    """Return the data of this build's server and workflow."""
    found: dict[str, Any] = json.loads((MUSEUM / room / "rounds.json").read_text(encoding="utf-8"))
    return found


def stored(room: str) -> list[bytes]:
    """Return a room's reviews as JSON."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript("\n".join(left(room)["database"]))
        rows = [output for (output,) in database.execute("SELECT output FROM review ORDER BY finished")]
    return [(MUSEUM / room / "review.json").read_bytes(), *rows]


def keys(value: object) -> Iterator[tuple[str, object]]:
    """Yield each key in a JSON value, with its value."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield key, inner
        yield from keys(inner)
    for inner in value if isinstance(value, list) else ():
        yield from keys(inner)


@pytest.mark.parametrize("room", ROOMS)
def test_stored_review_is_read_without_loss(room: str) -> None:
    """The review, when read, writes each stored key with the same value, except for removed features."""
    for data in stored(room):
        again, document = json.loads(json_file.render(reviews.review(data))), json.loads(data)
        kept = {key: value for key, value in document.items() if key not in ("schema_version", "result", *GONE)}
        kept["settings"] = {key: value for key, value in document["settings"].items() if key not in GONE}
        kept["findings"] = [{key: value for key, value in row.items() if key not in GONE} for row in kept["findings"]]
        kept["walkthrough"] = {key: value for key, value in document["walkthrough"].items() if key not in GONE}
        again["settings"] = {key: again["settings"][key] for key in kept["settings"]}
        assert {key: again.get(key) for key in kept} == kept


@pytest.mark.parametrize("room", [room for room in ROOMS if "answers" in left(room)])
async def test_decisions_made_in_a_workflow_still_apply(tmp_path: Path, room: str) -> None:
    """Reviews stay paused, the edited learning is listed, dismissed findings stay away."""
    before = left(room)["answers"]
    async with stage(tmp_path, TALK_BASE) as at:
        await at.repo.commit("main", {".deeprepo.yml": "verify: false\n"})
        head = await at.repo.commit("feature", TALK_HEAD)
        with at.gh.holding():
            number = await at.repo.open_pull("feature", title="A mean", body="")
        ids = {before["base"]: at.gh.pull(number).base_sha, before["head"]: head}
        await _posted(at.gh, at.gh.actions_token(at.repo, WRITE), number, before, ids)
        threads = [one.is_resolved for one in at.gh.pull(number).review_comments]

        async def said(text: str) -> str:
            with at.gh.holding() as held:
                await at.repo.comment(number, text, author="maintainer")
            await at.told("issue_comment", event([one for one in held if one.event == "issue_comment"]))
            return at.gh.pull(number).comments[-1].body

        with at.gh.holding() as held:
            await at.repo.push("feature", {"NEWS.md": "one\n"})
        paused = await at.told("pull_request", event(held))
        assert "paused" in paused.says
        listed = await said("/deeprepo rules")
        assert "Items are checked by the caller" in listed
        assert "Rates are set at the start" not in listed
        await said("/deeprepo review")
        summary = next(one.body for one in at.gh.pull(number).comments if '"kind": "summary"' in one.body)
        assert "withdrawn in a conversation" in summary
        assert "is not defined" not in summary.partition("silenced")[0]
        assert [one.is_resolved for one in at.gh.pull(number).review_comments] == threads


def _today(text: str, ids: Mapping[str, str]) -> str:
    """Replace commit IDs in a comment, including those in a workflow summary's state."""
    for before, now in ids.items():
        text = text.replace(before, now)
    if line := STATE.search(text):
        state = zlib.decompress(base64.b64decode(line[1])).decode()
        packed = base64.b64encode(zlib.compress(_today(state, ids).encode(), 9)).decode()
        text = text.replace(line[1], packed)
    return text


async def _posted(
    gh: sandbox.GitHub, token: str, number: int, found: Mapping[str, Any], ids: Mapping[str, str]
) -> None:
    """Post a pull request's comments and checks."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=gh.api, headers=headers, trust_env=False, timeout=patience()) as api:

        async def post(path: str, /, **row: object) -> int:
            answer = await api.post(f"/repos/acme/shop/{path}", json=row)
            assert answer.is_success, answer.text
            return int(answer.json()["id"])

        numbers = list[int]()
        for one in found["line_comments"]:
            to, row = f"pulls/{number}/comments", {"body": _today(one["body"], ids)}
            if one["reply_to"] is None:
                row |= {name: one[name] for name in ("path", "line", "side")} | {"commit_id": ids[one["commit"]]}
            else:
                to += f"/{numbers[one['reply_to']]}/replies"
            numbers.append(await post(to, **row))
        for body in found["comments"]:
            await post(f"issues/{number}/comments", body=_today(body, ids))
        for one in found["checks"]:
            row = {name: one[name] for name in ("conclusion", "external_id")} | {"head_sha": ids[one["head"]]}
            output = {"title": one["title"], "summary": _today(one["summary"], ids)}
            await post("check-runs", name="deeprepo", status="completed", output=output, **row)


async def _stood(gh: sandbox.GitHub, repo: sandbox.Repo, data: Path, room: str) -> None:
    """Recreate a room's pull requests and database."""
    before = left(room)
    gh.listen(None)
    first = await repo.commit("feature", FIRST_PUSH)
    number = await repo.open_pull("feature", title="Prices without tax", body="Tax is added elsewhere.")
    second = await repo.push("feature", SECOND_PUSH)
    quota_head = await repo.commit("quota", QUOTA)
    quota = await repo.open_pull("quota", title="Show what is used", body="")
    ids = {before["rounds"]["base"]: gh.pull(number).base_sha, before["rounds"]["head"]: second}
    ids |= {one["commit"]: first for one in before["rounds"]["line_comments"] if one["commit"] not in ids}
    ids[before["quota"]["head"]] = quota_head
    for at, name in ((number, "rounds"), (quota, "quota")):
        await _posted(gh, gh.token(), at, before[name], ids)
    for place, one in zip(gh.pull(number).review_comments, before["rounds"]["line_comments"], strict=True):
        if one["is_resolved"]:
            repo.resolve(number, place.id)
    _fill(data, before["database"], ids)


def _fill(data: Path, statements: Sequence[str], ids: Mapping[str, str]) -> None:
    """Recreate the server's database, with other commit IDs."""
    data.mkdir(mode=0o700)
    with closing(sqlite3.connect(data / "deeprepo.db")) as database:
        database.executescript("\n".join(statements))
        rows = database.execute("SELECT id, head, output, memory FROM review").fetchall()
        for name, head, output, memory in rows:
            now = (ids[head], *(each and _today(each.decode(), ids).encode() for each in (output, memory)), name)
            database.execute("UPDATE review SET head = ?, output = ?, memory = ? WHERE id = ?", now)
        database.commit()


@asynccontextmanager
async def upgraded(folder: Path, room: str) -> AsyncIterator[Whole]:
    """Start the whole product on an older build's data."""

    async def before(gh: sandbox.GitHub, repo: sandbox.Repo, data: Path) -> None:
        await _stood(gh, repo, data, room)

    async with whole(folder, before) as at:
        await at.quiet()
        yield at


def posted_words(at: Whole) -> tuple[list[str], list[bool]]:
    """Return our thread comments without markers, and which of them are resolved."""
    comments = at.gh.pull(1).review_comments
    return [one.body.partition("\n")[2] for one in comments], [one.is_resolved for one in comments]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("what", ["a push", "the same head"])
async def test_third_review_leaves_unchanged_findings_and_threads_alone(tmp_path: Path, room: str, what: str) -> None:
    """No thread is answered, resolved or reopened; fixed and unsettled findings stay so."""
    async with upgraded(tmp_path, room) as at:
        before, told = posted_words(at), at.summary(1)
        assert before[1][0]
        if what == "a push":
            await at.pushed({"README.md": "# A shop\n\nOne more line.\n"})
        else:
            await at.said(1, "/deeprepo review")
        assert posted_words(at) == before
        summary = at.summary(1)
        assert FINDINGS.findall(summary)[0] == FINDINGS.findall(told)[0]
        assert "No new findings" in summary
        assert summary.count(UNSETTLED) == told.count(UNSETTLED)


@pytest.mark.parametrize("room", ROOMS)
async def test_exhausted_quota_does_not_fail_a_merge_queue(tmp_path: Path, room: str) -> None:
    """A review cut short by its quota does not fail a queue without a threshold, nor changes its summary."""
    from test_whole_checks import queue

    async with upgraded(tmp_path, room) as at:
        told = at.summary(2)
        assert "Quota exhausted" in told
        assert await queue(at, 2) == "success"
        assert at.summary(2) == told
