"""Reviews. One is stored whole or not at all, and the refusal does not say which of its comments was to blame."""

from deeprepo_sandbox.github import anchors, hooks
from deeprepo_sandbox.github.bodies.comments import review
from deeprepo_sandbox.github.call import Answer, Call, Do, GitHubRefusal, find_or_404
from deeprepo_sandbox.github.things import Json, Pull, Review, ReviewComment

STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


async def create(call: Call) -> Answer:
    """POST R/pulls/N/reviews."""
    pull, said = call.pull, call.body
    event, text = said.get("event", ""), said.get("body") or ""
    commit = await anchors.commit(pull, said.get("commit_id"))
    if is_locked(call):
        raise GitHubRefusal(422, "Unprocessable Entity", ["lock prevents review"])
    if pending(call):
        raise GitHubRefusal(422, "Unprocessable Entity", ["User can only have one pending review per pull request"])
    if commit is None:
        raise GitHubRefusal(422, "Unprocessable Entity", ["Commit is not part of the pull request"])
    if event and event not in STATES:
        raise GitHubRefusal(422, "Unprocessable Entity", [f"Event {event} is not included in the list"])
    if event in {"COMMENT", "REQUEST_CHANGES"} and not text.strip():
        raise GitHubRefusal(422, "Unprocessable Entity", ["Body can't be blank"])
    if text and (wrong := anchors.body(text)):
        raise GitHubRefusal(422, "Unprocessable Entity", [wrong])
    if event in {"APPROVE", "REQUEST_CHANGES"} and call.user is pull.author:
        raise GitHubRefusal(
            422, "Unprocessable Entity", [f"Can not {event.lower().replace('_', ' ')} on your own pull request"]
        )
    made = begun(call, commit, text, STATES.get(event, "PENDING"))
    notes = await _notes(call, pull, made, said.get("comments") or [])
    pull.reviews.append(made)
    pull.review_comments += notes
    if made.state != "PENDING":
        call.world.begin(hooks.on_review(call.world, pull, made))
    for note in notes:
        call.world.begin(hooks.on_comment(call.world, pull, note))
    return Answer(200, review(call.world, pull, made))


def pending(call: Call) -> bool:
    """Whether the caller has begun a review of the pull request that is not handed in."""
    return any(one.state == "PENDING" and one.user is call.user for one in call.pull.reviews)


def is_locked(call: Call) -> bool:
    """Whether the conversation is locked for the caller: people who may write still speak, and no App."""
    token = call.caller.token
    is_app = token is not None and token.installation is not None
    may_write = call.world.permission(call.user.login, call.repository) in {"write", "admin"}
    return call.pull.is_locked and (is_app or not may_write)


def check_lock(call: Call) -> None:
    """Refuse a comment in a locked conversation."""
    if is_locked(call):
        raise GitHubRefusal(403, "Unable to create comment because issue is locked.")


def begun(call: Call, commit: str, text: str = "", state: str = "COMMENTED") -> Review:
    """A review of the caller, not yet stored."""
    now, token = call.world.now(), call.caller.token
    return Review(
        id=call.world.id(),
        user=call.user,
        body=text,
        created_at=now,
        updated_at=now,
        app=token.app if token else None,
        state=state,
        commit=commit,
    )


async def _notes(call: Call, pull: Pull, review: Review, rows: list[Json]) -> list[ReviewComment]:
    """The comments of a review, or the refusal of them all."""
    notes, wrong = [], []
    for one in rows:
        bad = anchors.body(one.get("body"))
        bare = {name: value for name, value in one.items() if name != "subject_type"}  # unknown here, so dropped
        spot, misplaced = await anchors.place_fields(pull, review.commit, bare)
        wrong += [text for text in (bad, misplaced) if text]
        if not bad and not misplaced:
            notes.append(note(call, review, one, spot))
    if wrong:
        raise GitHubRefusal(422, "Unprocessable Entity", list(dict.fromkeys(wrong)))
    return notes


def note(call: Call, review: Review, fields: Json, spot: Json) -> ReviewComment:
    """A comment on the diff, as it is stored."""
    return ReviewComment(
        id=call.world.id(),
        user=review.user,
        body=fields["body"],
        created_at=review.created_at,
        updated_at=review.created_at,
        app=review.app,
        review=review.id,
        path=fields["path"],
        commit=review.commit,
        **spot,
    )


async def find(call: Call) -> Answer:
    """GET R/pulls/N/reviews: those that were handed in, and one's own drafts."""
    pull = call.pull
    shown = [one for one in pull.reviews if one.state != "PENDING" or one.user is call.caller.user]
    return call.pages([review(call.world, pull, one) for one in shown])


async def update(call: Call) -> Answer:
    """PUT R/pulls/N/reviews/ID: a new text."""
    one = _review(call)
    call.only(one.user)
    wrong = anchors.body(call.body.get("body"))
    if wrong:
        raise GitHubRefusal(422, "Unprocessable Entity", [wrong])
    one.body, one.updated_at = call.body["body"], call.world.now()
    return Answer(200, review(call.world, call.pull, one))


async def dismiss(call: Call) -> Answer:
    """PUT R/pulls/N/reviews/ID/dismissals."""
    one = _review(call)
    if not str(call.body.get("message") or "").strip():
        raise GitHubRefusal(422, "Unprocessable Entity", ["Message can't be blank"])
    if one.state not in {"APPROVED", "CHANGES_REQUESTED"}:
        raise GitHubRefusal(422, "Unprocessable Entity", [f"Can not dismiss a {one.state.lower()} pull request review"])
    one.state, one.dismissal = "DISMISSED", call.body["message"]
    return Answer(200, review(call.world, call.pull, one))


def _review(call: Call) -> Review:
    return find_or_404(next((one for one in call.pull.reviews if one.id == call.params["review_id"]), None))


OPERATIONS: dict[str, Do] = {
    "pulls/create-review": create,
    "pulls/list-reviews": find,
    "pulls/update-review": update,
    "pulls/dismiss-review": dismiss,
}
