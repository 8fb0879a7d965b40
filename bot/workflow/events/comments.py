"""What a person writes on a pull request: a command, or a remark that may be meant for us."""

from bot import commands
from bot.values.ask import Ask, CommandAsk, CommentRef, PullRef, RemarkAsk
from bot.workflow.events.shapes import (
    OURS,
    Comment,
    DeliveryPayload,
    IssueCommentEvent,
    NotForUs,
    Ours,
    Payload,
    ReviewCommentEvent,
    ReviewEvent,
    with_form,
)


def on_pull(payload: Payload, ours: Ours) -> Ask:
    """A comment below the pull request."""
    event = with_form(IssueCommentEvent, payload)
    if event.issue.pull_request is None:
        raise NotForUs("it is a comment on an issue, not on a pull request")
    return _request(event, event.comment, event.pull(event.issue.number), CommentRef(event.comment.id, "issue"), ours)


def in_thread(payload: Payload, ours: Ours) -> Ask:
    """A comment on lines of the diff, or an answer to one."""
    event = with_form(ReviewCommentEvent, payload)
    comment = event.comment
    place = CommentRef(comment.id, "review", comment.in_reply_to_id or comment.id)
    return _request(event, comment, event.pull(event.pull_request.number), place, ours)


def in_review(payload: Payload, ours: Ours) -> Ask:
    """The text of a review. GitHub delivers one without text for each single comment on lines: that asks for nothing."""
    event = with_form(ReviewEvent, payload)
    review = event.review
    body, author = review.body or "", review.author_association
    comment = Comment(
        id=review.id, body=body, user=review.user, author_association=author, created_at=review.submitted_at
    )
    return _request(event, comment, event.pull(event.pull_request.number), CommentRef(review.id, "whole"), ours)


def _request(event: DeliveryPayload, comment: Comment, pull: PullRef, place: CommentRef, ours: Ours) -> Ask:
    """The command in a person's comment, else the remark. A command for a review too: it takes no other's place before it is known who asks."""
    if ours.wrote(comment.user.login, comment.performed_via_github_app) or ours.wrote(event.sender.login, None):
        raise NotForUs("it is our own comment")
    if event.sender.type != "User" or comment.user.type != "User":
        raise NotForUs("it was not written by a person: bots that answer each other do not stop")
    stranger = comment.author_association not in OURS
    if not ours.login and "@" in comment.body:  # whom it names is decided when our name is known
        return RemarkAsk(pull, event.sender.login, place, None, stranger)
    command = commands.read(comment.body, ours.login)
    if command is not None:
        return CommandAsk(
            pull, command.word, command.argument, event.sender.login, place, stranger, comment.time_of_writing
        )
    names_us = commands.read_mentions(comment.body, ours.login).us
    if names_us or place.thread not in (0, comment.id):  # whose thread it is, the delivery does not say
        return RemarkAsk(pull, event.sender.login, place, names_us, stranger)
    raise NotForUs("the comment holds no command and does not mention us")
