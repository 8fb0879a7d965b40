import asyncio
from pathlib import Path

from sandbox_rig import Rig, rig

LONG = "x" * 65_537


def test_a_review_is_stored_with_its_comments(tmp_path: Path) -> None:
    """Added, removed and context lines can be commented on, and a range inside one hunk."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            done = await at.review(
                {"path": "a.txt", "line": 11, "side": "RIGHT", "body": "added"},
                {"path": "a.txt", "line": 10, "side": "LEFT", "body": "removed"},
                {"path": "a.txt", "line": 14, "body": "context"},
                {
                    "path": "a.txt",
                    "line": 11,
                    "start_line": 8,
                    "start_side": "RIGHT",
                    "side": "RIGHT",
                    "body": "a range",
                },
                {"path": "sub/new file.txt", "line": 2, "body": "new"},
            )
            assert done.json()["state"] == "COMMENTED"
            rows = await at.ok("GET", f"/pulls/1/reviews/{done.json()['id']}/comments")
            assert [row["body"] for row in rows] == ["added", "removed", "context", "a range", "new"]
            shown = await at.ok("GET", "/pulls/1/comments")
            assert [row["line"] for row in shown] == [11, 10, 14, 11, 2]
            assert shown[0]["diff_hunk"].splitlines()[-1] == "+added"
            assert shown[1]["diff_hunk"].splitlines()[-1] == "-line 10"
            assert shown[3]["start_line"] == 8
            assert shown[0]["user"] == (await at.ok("GET", "/pulls/1/reviews"))[0]["user"]

    asyncio.run(run())


BAD_COMMENTS = [
    ({"path": "a.txt", "line": 20}, "Line could not be resolved"),
    ({"path": "a.txt", "line": 10, "side": "MIDDLE"}, "Line could not be resolved"),
    ({"path": "a.txt"}, "Line could not be resolved"),
    ({"path": "b.txt", "line": 1}, "Path could not be resolved"),
    ({"path": "a.txt", "line": 11, "start_line": 11}, "Start line must precede the end line"),
    ({"path": "a.txt", "line": 11, "start_line": 12}, "Start line must precede the end line"),
    ({"path": "a.txt", "line": 29, "start_line": 11}, "same hunk"),
    ({"path": "a.txt", "line": 11, "body": " "}, "blank"),
    ({"path": "a.txt", "line": 11, "body": LONG}, "too long"),
    (
        {"path": "a.txt", "line": 30, "side": "LEFT", "start_line": 29, "start_side": "RIGHT", "body": LONG},
        "too long",
    ),
]


def test_one_bad_comment_refuses_the_whole_review(tmp_path: Path) -> None:
    """One comment that GitHub does not take is a 422 that names no comment, and nothing at all is posted."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            for comment, said in BAD_COMMENTS:
                good = {"path": "a.txt", "line": 11, "body": "good"}
                answer = await at.review(good, {"body": "bad", **comment})
                assert (answer.status_code, said in answer.text) == (422, True), (comment, answer.text)
                assert "a.txt" not in answer.text
            assert (at.gh.pull(1).reviews, at.gh.pull(1).review_comments) == ([], [])

    asyncio.run(run())


BAD_REVIEWS = [
    ({"body": ""}, "blank"),
    ({"body": LONG}, "too long"),
    ({"commit_id": "0" * 40}, "not part of the pull request"),
    ({"event": "REQUEST_CHANGES", "body": "  "}, "blank"),
]


def test_a_review_needs_a_body_and_a_commit_of_the_pull_request(tmp_path: Path) -> None:
    """An empty or endless body and a foreign commit are refused."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            for fields, said in BAD_REVIEWS:
                answer = await at.review(**fields)
                assert (answer.status_code, said in answer.text) == (422, True), fields

    asyncio.run(run())


def test_a_subject_type_inside_a_review_is_dropped_and_reported(tmp_path: Path) -> None:
    """GitHub knows no file comments inside a review: the field is dropped, the line is missing, the sandbox says so."""

    async def run() -> None:
        async with rig(tmp_path, strict=False) as at:
            answer = await at.review({"path": "a.txt", "subject_type": "file", "body": "whole file"})
            assert answer.status_code == 422
            assert any("subject_type" in text for text in at.gh.violations)

    asyncio.run(run())


def test_a_review_with_no_event_is_seen_by_nobody_else(tmp_path: Path) -> None:
    """Without an event a review is pending: its author sees it and nobody else does."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            done = await at.call("POST", "/pulls/1/reviews", {"body": "draft"})
            assert (done.json()["state"], "submitted_at" in done.json()) == ("PENDING", False)
            assert len(await at.ok("GET", "/pulls/1/reviews")) == 1
            other = f"Bearer {at.gh.actions_token(at.repo, {'pull_requests': 'read'})}"
            assert await at.ok("GET", "/pulls/1/reviews", authorization=other) == []

    asyncio.run(run())


def test_a_review_is_edited_and_dismissed_by_its_rules(tmp_path: Path) -> None:
    """The text can be changed by its author; a mere comment cannot be dismissed, a demand can."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            one = (await at.review()).json()["id"]
            assert (await at.ok("PUT", f"/pulls/1/reviews/{one}", {"body": "new"}))["body"] == "new"
            refused = await at.refused("PUT", f"/pulls/1/reviews/{one}/dismissals", {"message": "no"})
            assert refused[0] == 422
            two = (await at.review(event="REQUEST_CHANGES")).json()["id"]
            done = await at.ok("PUT", f"/pulls/1/reviews/{two}/dismissals", {"message": "no", "event": "DISMISS"})
            assert done["state"] == "DISMISSED"

    asyncio.run(run())


async def _first(at: Rig) -> int:
    await at.review({"path": "a.txt", "line": 11, "body": "top"})
    return at.gh.pull(1).review_comments[0].id


def test_replies_go_to_the_top_comment_only(tmp_path: Path) -> None:
    """A reply to a comment names it; a reply to a reply, or into another pull request, is a 404."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            top = await _first(at)
            reply = await at.ok("POST", f"/pulls/1/comments/{top}/replies", {"body": "why"})
            assert (reply["in_reply_to_id"], reply["line"], reply["path"]) == (top, 11, "a.txt")
            assert (await at.refused("POST", f"/pulls/1/comments/{reply['id']}/replies", {"body": "no"}))[0] == 404
            assert (await at.refused("POST", f"/pulls/2/comments/{top}/replies", {"body": "no"}))[0] == 404

    asyncio.run(run())


def test_a_comment_on_a_whole_file(tmp_path: Path) -> None:
    """A comment of its own can stand on a file; on a line outside of the diff it cannot."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            said = {"commit_id": at.gh.pull(1).head_sha, "path": "a.txt", "body": "whole"}
            made = await at.ok("POST", "/pulls/1/comments", said | {"subject_type": "file"})
            assert (made["subject_type"], made["line"]) == ("file", None)
            status, text = await at.refused("POST", "/pulls/1/comments", said | {"line": 20, "side": "RIGHT"})
            assert (status, "must be part of the diff" in text) == (422, True)
            assert (await at.refused("POST", "/pulls/1/comments", said | {"commit_id": "1" * 40, "line": 11}))[0] == 422

    asyncio.run(run())


def test_a_push_moves_and_outdates_comments(tmp_path: Path) -> None:
    """After a push a comment follows its line; one whose line was changed has no line any more and says which it had."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            await at.review(
                {"path": "a.txt", "line": 11, "body": "stays"}, {"path": "sub/new file.txt", "line": 1, "body": "goes"}
            )
            before = at.gh.pull(1).head_sha
            text = "first\n" + (await at.ok("GET", "/pulls/1/files"))[0]["filename"]
            moved = "zero\n" + "".join(f"line {n}\n" for n in range(1, 41)).replace("line 10\n", "changed 10\nadded\n")
            await at.repo.push("feature", {"a.txt": moved, "sub/new file.txt": text})
            stays, goes = await at.ok("GET", "/pulls/1/comments")
            assert (stays["line"], stays["original_line"]) == (12, 11)
            assert (goes["line"], goes["original_line"], goes["position"]) == (None, 1, None)
            assert (goes["original_commit_id"], stays["commit_id"]) == (before, at.gh.pull(1).head_sha)

    asyncio.run(run())


def test_a_comment_on_the_diff_is_read_changed_and_deleted(tmp_path: Path) -> None:
    """Its author may change and delete it, nobody else; afterwards it is not found."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            one, theirs = await _first(at), await at.repo.review_comment(1, "a.txt", 14, "a person's")
            path = f"/pulls/comments/{one}"
            assert (await at.ok("PATCH", path, {"body": "new"}))["body"] == (await at.ok("GET", path))["body"] == "new"
            assert (await at.refused("DELETE", f"/pulls/comments/{theirs}"))[0] == 403
            assert await at.ok("GET", f"/pulls/comments/{theirs}/reactions") == []
            await at.ok("DELETE", path)
            assert (await at.refused("GET", path))[0] == 404

    asyncio.run(run())
