from sandbox_rig import Rig

LONG = "x" * 65_537


async def test_review_is_stored_with_its_comments(at: Rig) -> None:
    """Added, removed and context lines can get comments, and so can a range within one hunk."""
    done = await at.review(
        {"path": "a.txt", "line": 11, "side": "RIGHT", "body": "added"},
        {"path": "a.txt", "line": 10, "side": "LEFT", "body": "removed"},
        {"path": "a.txt", "line": 14, "body": "context"},
        {"path": "a.txt", "line": 11, "start_line": 8, "start_side": "RIGHT", "side": "RIGHT", "body": "a range"},
        {"path": "sub/new file.txt", "line": 2, "body": "new"},
    )
    assert done.json()["state"] == "COMMENTED"
    shown = await at.ok("GET", "/pulls/1/comments")
    assert [row["body"] for row in shown] == ["added", "removed", "context", "a range", "new"]
    assert [row["line"] for row in shown] == [11, 10, 14, 11, 2]
    assert shown[0]["diff_hunk"].splitlines()[-1] == "+added"
    assert shown[1]["diff_hunk"].splitlines()[-1] == "-line 10"
    assert shown[3]["start_line"] == 8
    assert shown[0]["user"] == (await at.ok("GET", "/pulls/1/reviews"))[0]["user"]


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
    ({"path": "a.txt", "line": 30, "side": "LEFT", "start_line": 29, "start_side": "RIGHT", "body": LONG}, "too long"),
]


async def test_one_invalid_comment_refuses_the_whole_review(at: Rig) -> None:
    """One invalid comment gives a 422 that doesn't name the comment, and nothing is posted."""
    for comment, said in BAD_COMMENTS:
        good = {"path": "a.txt", "line": 11, "body": "good"}
        answer = await at.review(good, {"body": "bad", **comment})
        assert (answer.status_code, said in answer.text) == (422, True), (comment, answer.text)
        assert "a.txt" not in answer.text
    assert (at.gh.pull(1).reviews, at.gh.pull(1).review_comments) == ([], [])


async def _first(at: Rig) -> int:
    await at.review({"path": "a.txt", "line": 11, "body": "top"})
    return at.gh.pull(1).review_comments[0].id


async def test_replies_are_accepted_only_on_the_top_comment(at: Rig) -> None:
    """Replying to a reply, or in a different pull request, gives a 404."""
    top = await _first(at)
    reply = await at.ok("POST", f"/pulls/1/comments/{top}/replies", {"body": "why"})
    assert (reply["in_reply_to_id"], reply["line"], reply["path"]) == (top, 11, "a.txt")
    assert (await at.refused("POST", f"/pulls/1/comments/{reply['id']}/replies", {"body": "no"}))[0] == 404
    assert (await at.refused("POST", f"/pulls/2/comments/{top}/replies", {"body": "no"}))[0] == 404


async def test_push_moves_and_outdates_comments(at: Rig) -> None:
    """After a push, comments follow their lines. If the line changed, only the original line is known."""
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
