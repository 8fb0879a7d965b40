from sandbox_rig import Rig

LONG = "x" * 65_537


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
