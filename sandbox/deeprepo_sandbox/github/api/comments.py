"""Comments in the conversation of a pull request."""

from datetime import datetime

from deeprepo_sandbox.github import anchors, hooks
from deeprepo_sandbox.github.api import reviews
from deeprepo_sandbox.github.bodies.comments import issue_comment
from deeprepo_sandbox.github.call import Answer, Call, Do, invalid
from deeprepo_sandbox.github.things import Comment


async def create(call: Call) -> Answer:
    """POST R/issues/N/comments."""
    pull, now, token = call.pull, call.world.now(), call.caller.token
    reviews.check_lock(call)
    made = Comment(
        id=call.world.id(),
        user=call.user,
        body=_body(call),
        created_at=now,
        updated_at=now,
        app=token.app if token else None,
    )
    pull.comments.append(made)
    call.world.begin(hooks.on_comment(call.world, pull, made))
    return Answer(201, issue_comment(call.world, pull, made))


async def find(call: Call) -> Answer:
    """GET R/issues/N/comments."""
    pull, since = call.pull, call.query.get("since")
    rows = [one for one in pull.comments if not since or one.updated_at >= datetime.fromisoformat(since)]
    return call.pages([issue_comment(call.world, pull, one) for one in rows])


async def get(call: Call) -> Answer:
    """GET R/issues/comments/ID."""
    return Answer(200, issue_comment(call.world, *call.comment(Comment)))


async def update(call: Call) -> Answer:
    """PATCH R/issues/comments/ID."""
    pull, one = call.own_comment(Comment)
    one.body, one.updated_at = _body(call), call.world.now()
    call.world.begin(hooks.on_comment(call.world, pull, one, "edited"))
    return Answer(200, issue_comment(call.world, pull, one))


async def delete(call: Call) -> Answer:
    """DELETE R/issues/comments/ID."""
    pull, one = call.own_comment(Comment)
    pull.comments.remove(one)
    return Answer(204)


def _body(call: Call) -> str:
    text = call.body.get("body")
    wrong = anchors.body(text)
    if wrong:
        raise invalid("IssueComment", "body", "unprocessable", wrong)
    return str(text)


OPERATIONS: dict[str, Do] = {
    "issues/create-comment": create,
    "issues/list-comments": find,
    "issues/get-comment": get,
    "issues/update-comment": update,
    "issues/delete-comment": delete,
}
