"""Comments on lines and files of the diff, and replies to them."""

from datetime import datetime

from deeprepo_sandbox.github import anchors, hooks
from deeprepo_sandbox.github.api import reviews
from deeprepo_sandbox.github.bodies.comments import review_comment
from deeprepo_sandbox.github.call import Answer, Call, Do, find_or_404, invalid
from deeprepo_sandbox.github.things import Json, Pull, Review, ReviewComment

KIND = "PullRequestReviewComment"
THREAD = "pull_request_review_thread"


async def create(call: Call) -> Answer:
    """POST R/pulls/N/comments: on lines, on a file, or in reply."""
    pull, said = call.pull, call.body
    reviews.check_lock(call)
    if said.get("in_reply_to"):
        return await _reply(call, said["in_reply_to"])
    if not said.get("commit_id"):
        raise invalid(KIND, "commit_id", "missing_field")
    commit = await anchors.commit(pull, said["commit_id"])
    if commit is None:
        raise invalid(KIND, "commit_id", "custom", "commit_id is not part of the pull request")
    _check(said)
    spot, wrong = await anchors.place_fields(pull, commit, said)
    if wrong:
        part = "path" if wrong.startswith("Path") else "start_line" if wrong.startswith("Start") else "line"
        raise invalid(KIND, f"{THREAD}.{part}", "custom", f"{THREAD}.{part} {_words(part, wrong)}")
    made = reviews.begun(call, commit)
    note = reviews.note(call, made, said, spot)
    return await _store(call, pull, made, note)


async def reply(call: Call) -> Answer:
    """POST R/pulls/N/comments/ID/replies: only to the comment at the top of a thread."""
    reviews.check_lock(call)
    return await _reply(call, call.params["comment_id"])


async def _reply(call: Call, to: int) -> Answer:
    pull = call.pull
    top = find_or_404(next((one for one in pull.review_comments if one.id == to and one.reply_to is None), None))
    _check(call.body)
    made = reviews.begun(call, top.commit)
    where = ("subject", "line", "side", "start_line", "start_side", "hunk")
    spot = {name: getattr(top, name) for name in where}
    note = reviews.note(call, made, {"body": call.body["body"], "path": top.path}, spot)
    note.reply_to = top.id
    return await _store(call, pull, made, note)


async def _store(call: Call, pull: Pull, review: Review, note: ReviewComment) -> Answer:
    """GitHub keeps every comment in a review, be it one of a single comment: who has begun another one has to hand that in first."""
    if reviews.pending(call):
        raise invalid(
            "PullRequestReview", "user_id", "custom", "user_id can only have one pending review per pull request"
        )
    pull.reviews.append(review)
    pull.review_comments.append(note)
    call.world.begin(hooks.on_review(call.world, pull, review))
    call.world.begin(hooks.on_comment(call.world, pull, note))
    return Answer(201, await review_comment(call.world, pull, note))


def _check(fields: Json) -> None:
    wrong = anchors.body(fields.get("body"))
    if wrong:
        raise invalid(KIND, "body", "custom", wrong)


def _words(part: str, wrong: str) -> str:
    if wrong.endswith("too large"):
        return "diff too large"
    return {"path": "is not part of the diff", "line": "must be part of the diff"}.get(
        part, "must precede the end line."
    )


async def find(call: Call) -> Answer:
    """GET R/pulls/N/comments."""
    pull, since = call.pull, call.query.get("since")
    rows = [one for one in pull.review_comments if not since or one.updated_at >= datetime.fromisoformat(since)]
    key = call.query.get("sort", "created")
    down = call.query.get("direction") == "desc"
    rows.sort(key=lambda one: (one.updated_at if key == "updated" else one.created_at, one.id), reverse=down)
    return call.pages([await review_comment(call.world, pull, one) for one in rows])


async def get(call: Call) -> Answer:
    """GET R/pulls/comments/ID."""
    return Answer(200, await review_comment(call.world, *call.comment(ReviewComment)))


async def update(call: Call) -> Answer:
    """PATCH R/pulls/comments/ID."""
    pull, one = call.own_comment(ReviewComment)
    _check(call.body)
    one.body, one.updated_at = call.body["body"], call.world.now()
    return Answer(200, await review_comment(call.world, pull, one))


async def delete(call: Call) -> Answer:
    """DELETE R/pulls/comments/ID."""
    pull, one = call.own_comment(ReviewComment)
    pull.review_comments.remove(one)
    return Answer(204)


OPERATIONS: dict[str, Do] = {
    "pulls/create-review-comment": create,
    "pulls/create-reply-for-review-comment": reply,
    "pulls/list-review-comments": find,
    "pulls/get-review-comment": get,
    "pulls/update-review-comment": update,
    "pulls/delete-review-comment": delete,
}
