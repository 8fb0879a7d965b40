"""Emoji under comments."""

from deeprepo_sandbox.github.bodies.comments import EMOJI, reaction
from deeprepo_sandbox.github.call import Answer, Call, Do, invalid
from deeprepo_sandbox.github.things import Comment, Reaction, ReviewComment


async def create(call: Call) -> Answer:
    """POST .../comments/ID/reactions: the same emoji of the same person is kept once."""
    comment, content = _comment(call), call.body.get("content")
    if content not in EMOJI:
        raise invalid("Reaction", "content")
    same = [one for one in comment.reactions if one.user is call.user and one.content == content]
    if same:
        return Answer(200, reaction(call.world, same[0]))
    made = Reaction(call.world.id(), call.user, content, call.world.now())
    comment.reactions.append(made)
    return Answer(201, reaction(call.world, made))


async def find(call: Call) -> Answer:
    """GET .../comments/ID/reactions."""
    content = call.query.get("content")
    rows = [one for one in _comment(call).reactions if not content or one.content == content]
    return call.pages([reaction(call.world, one) for one in rows])


def _comment(call: Call) -> Comment:
    return call.comment(ReviewComment if "review-comment" in call.operation.id else Comment)[1]


OPERATIONS: dict[str, Do] = {
    "reactions/create-for-issue-comment": create,
    "reactions/list-for-issue-comment": find,
    "reactions/create-for-pull-request-review-comment": create,
    "reactions/list-for-pull-request-review-comment": find,
}
