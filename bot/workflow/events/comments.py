"""What a person writes on a pull request: a command, or a remark that may be meant for us."""

from bot import commands
from bot.values.ask import Ask, CommandAsk, CommentRef, RemarkAsk
from bot.workflow.events.shapes import OURS, CommentEvent, NotForUs, Ours, Payload, with_form


def on_pull(payload: Payload, ours: Ours) -> Ask:
    """A comment below the pull request."""
    event = with_form(CommentEvent, payload)
    if event.pull_request is None:
        raise NotForUs("it is a comment on an issue, not on a pull request")
    return _request(event, CommentRef(event.id, "issue"), ours)


def in_thread(payload: Payload, ours: Ours) -> Ask:
    """A comment on lines of the diff, or an answer to one."""
    event = with_form(CommentEvent, payload)
    return _request(event, CommentRef(event.id, "review", event.top or event.id), ours)


def in_review(payload: Payload, ours: Ours) -> Ask:
    """The text of a review. GitHub delivers one without text for each single comment on lines: that asks for nothing."""
    event = with_form(CommentEvent, payload)
    return _request(event, CommentRef(event.id, "whole"), ours)


def _request(event: CommentEvent, place: CommentRef, ours: Ours) -> Ask:
    """The command in a person's comment, else the remark. A command for a review too: it takes no other's place before it is known who asks."""
    if ours.wrote(event.author, event.app) or ours.wrote(event.sender, None):
        raise NotForUs("it is our own comment")
    if event.sender_type != "User" or event.author_type != "User":
        raise NotForUs("it was not written by a person: bots that answer each other do not stop")
    pull, body, stranger = event.pull(event.number), event.body or "", event.author_association not in OURS
    if not ours.login and "@" in body:  # whom it names is decided when our name is known
        return RemarkAsk(pull, event.sender, place, None, stranger)
    command = commands.read(body, ours.login)
    if command is not None:
        return CommandAsk(pull, command.word, command.argument, event.sender, place, stranger)
    names_us = commands.read_mentions(body, ours.login).us
    if names_us or place.thread not in (0, event.id):  # whose thread it is, the delivery does not say
        return RemarkAsk(pull, event.sender, place, names_us, stranger)
    raise NotForUs("the comment holds no command and does not mention us")
