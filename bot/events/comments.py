"""What a person writes: a command in a comment of a pull request, or in a thread of its review."""

from collections.abc import Mapping

from bot import commands
from bot.events.shapes import Comment, DeliveryPayload, IssueCommentEvent, Ours, ReviewCommentEvent, shaped
from bot.values.ask import Ask, CommandAsk, CommentRef, NothingAsked, PullRef

Payload = Mapping[str, object]


def on_pull(payload: Payload, ours: Ours) -> Ask | NothingAsked:
    """A comment below the pull request."""
    event = shaped(IssueCommentEvent, payload)
    if isinstance(event, NothingAsked):
        return event
    if event.issue.pull_request is None:
        return NothingAsked("it is a comment on an issue, not on a pull request")
    return _asked(event, event.comment, event.pull(event.issue.number), CommentRef(event.comment.id, "issue"), ours)


def in_thread(payload: Payload, ours: Ours) -> Ask | NothingAsked:
    """A comment on lines of the diff, or an answer to one."""
    event = shaped(ReviewCommentEvent, payload)
    if isinstance(event, NothingAsked):
        return event
    comment = event.comment
    place = CommentRef(comment.id, "review", comment.in_reply_to_id or comment.id)
    return _asked(event, comment, event.pull(event.pull_request.number), place, ours)


def _asked(
    event: DeliveryPayload, comment: Comment, pull: PullRef, place: CommentRef, ours: Ours
) -> Ask | NothingAsked:
    """The command in a person's comment. One for a review too: it takes no other's place before it is known who asks."""
    if ours.wrote(comment.user.login, comment.performed_via_github_app) or ours.wrote(event.sender.login, None):
        return NothingAsked("it is our own comment")
    if event.sender.type != "User" or comment.user.type != "User":
        return NothingAsked("it was not written by a person: bots that answer each other do not stop")
    command = commands.read(comment.body, ours.login)
    if command is None:
        return NothingAsked("the comment holds no command")
    return CommandAsk(pull, command.word, command.argument, event.sender.login, place)
