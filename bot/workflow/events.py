"""Translate a GitHub delivery into a job, or into the reason why it asks for nothing.

This is the only module that distinguishes event names, and it has no side effects. It never raises: a
delivery that cannot be parsed is ignored with a reason. Names that end up in an address are limited to
GitHub's own alphabet, and ids to the range of a database integer.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from bot.commands import read_mentions
from bot.values.job import (
    Cancel,
    CatchUp,
    ChecksWanted,
    CommandJob,
    CommentRef,
    Forget,
    IgnoredDelivery,
    Job,
    MergeGroup,
    PullRef,
    Reason,
    Relabeled,
    RemarkJob,
    ReviewJob,
    Trigger,
)
from bot.workflow import commands

# Identifiers of the check run's buttons, and whether the review is full.
BUTTONS = {"again": False, "full": True}
_QUEUED = re.compile(r"/pr-([1-9][0-9]{0,17})-[0-9a-f]+$")  # branch names in a merge queue
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
Id = Annotated[StrictInt, Field(ge=1, lt=1 << 63)]
# Excludes "." and "..", which would change the path of an address.
Name = Annotated[StrictStr, Field(pattern=r"^\.{0,2}[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$")]
Login = Annotated[StrictStr, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}(\[bot\])?$")]
Payload = Mapping[str, object]
Sha = Annotated[StrictStr, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]


class NotForUs(Exception):  # noqa: N818 - an outcome
    """A delivery asks for nothing. The text is the reason."""


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """Our identity at GitHub: the App's id and the login under which it comments ("deeprepo[bot]")."""

    app_id: str
    login: str

    def wrote(self, login: str, app: int | None) -> bool:
        """Return whether the App itself wrote something."""
        return login.lower() == self.login.lower() or (app is not None and str(app) == self.app_id)


# GitHub also reports other associations for people with write access, for example if their membership is private.
INSIDERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})


def _at(*places: str, default: Any = ...) -> Any:  # noqa: ANN401 - the field's annotation gives the type
    """Return a field at the first of these paths of a delivery that exists."""
    return Field(default, validation_alias=AliasChoices(*(AliasPath(*place.split(".")) for place in places)))


class PayloadModel(BaseModel):
    """Some fields of a delivery. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    installation: Id = _at("installation.id")


class DeliveryPayload(PayloadModel):
    """The fields of every delivery about a repository."""

    repository: Id = _at("repository.id")
    name: Name = _at("repository.name")
    owner: Name = _at("repository.owner.login")
    account: Annotated[StrictInt, Field(ge=0, lt=1 << 63)] = _at("repository.owner.id", default=0)
    sender: Login = _at("sender.login")
    sender_type: StrictStr = _at("sender.type", default="")

    def pull(self, number: int) -> PullRef:
        """Return a pull request of the repository."""
        return PullRef(self.installation, self.repository, self.owner, self.name, number, self.account)


class PullEvent(DeliveryPayload):
    """Event `pull_request`."""

    number: Id = _at("pull_request.number")
    state: StrictStr = _at("pull_request.state", default="open")
    head: Sha = _at("pull_request.head.sha")
    # None if the fork was deleted.
    head_repository: Id | None = _at("pull_request.head.repo.id", default=None)
    author_type: StrictStr = _at("pull_request.user.type", default="")
    author_association: StrictStr = _at("pull_request.author_association", default="")
    base_before: object = _at("changes.base", default=None)

    @property
    def is_stranger(self) -> bool:
        """Whether the author has no known connection to the repository.

        A bot that pushes to the repository counts as known, because the owner let it in.
        """
        is_bot = self.head_repository == self.repository and self.author_type == "Bot"
        return self.author_association not in INSIDERS and not is_bot


class CommentEvent(DeliveryPayload):
    """Events `issue_comment`, `pull_request_review_comment` and `pull_request_review`."""

    number: Id = _at("issue.number", "pull_request.number")
    pull_request: object = _at("issue.pull_request", "pull_request", default=None)  # None for an issue
    id: Id = _at("comment.id", "review.id")
    body: StrictStr | None = _at("comment.body", "review.body", default="")
    author: Login = _at("comment.user.login", "review.user.login")
    author_type: StrictStr = _at("comment.user.type", "review.user.type", default="")
    top: Id | None = _at("comment.in_reply_to_id", default=None)  # the thread's first comment, in replies
    app: Id | None = _at("comment.performed_via_github_app.id", default=None)


class CheckedPull(BaseModel):
    """A pull request whose head has a check run. It can belong to another repository."""

    number: Id
    repository: Id = _at("base.repo.id")


class CheckEvent(DeliveryPayload):
    """Events `check_run` and `check_suite`."""

    head: Sha = _at("check_run.head_sha", "check_suite.head_sha")
    external_id: StrictStr | None = _at("check_run.external_id", default=None)
    app: Id | None = _at("check_run.app.id", "check_suite.app.id", default=None)
    pulls: tuple[CheckedPull, ...] = _at("check_run.pull_requests", "check_suite.pull_requests", default=())
    button: StrictStr = _at("requested_action.identifier", default="")


class MergeGroupEvent(DeliveryPayload):
    """Event `merge_group`."""

    head: Sha = _at("merge_group.head_sha")
    head_ref: StrictStr = _at("merge_group.head_ref", default="")
    base: Sha | None = _at("merge_group.base_sha", default=None)


class RemovedRepository(BaseModel):
    """A repository that the App can no longer access."""

    id: Id


class InstallationEvent(PayloadModel):
    """Events `installation` and `installation_repositories`."""

    repositories_removed: tuple[RemovedRepository, ...] = ()


Form = TypeVar("Form", bound=PayloadModel)


def parse(form: type[Form], payload: Payload) -> Form:
    """Parse a payload into this form.

    Raises NotForUs with the path of the first bad field, without its value, which can be anything.
    """
    try:
        return form.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "the payload"
    if place.startswith("installation"):
        raise NotForUs("it contains no App installation")
    raise NotForUs(f"{place} is missing or has an unexpected format")


def on_reviewable(trigger: Trigger, payload: Payload, _: OwnAccount) -> Job:
    """Request a review of an open pull request. The policy decides later whether drafts are reviewed."""
    event = parse(PullEvent, payload)
    if event.state != "open":
        raise NotForUs("the pull request is closed")
    pull = event.pull(event.number)
    return ReviewJob(pull, trigger, actor=event.sender, head=event.head, stranger=event.is_stranger)


def on_new_head(payload: Payload, ours: OwnAccount) -> Job:
    """Request a review after a push."""
    before, after = payload.get("before"), payload.get("after")
    if before is not None and before == after:
        raise NotForUs("the head did not change")
    return on_reviewable("push", payload, ours)


def on_edit(payload: Payload, ours: OwnAccount) -> Job:
    """Request a review if the base branch changed, which produces a different diff."""
    event = parse(PullEvent, payload)
    if event.base_before is not None:
        return on_reviewable("push", payload, ours)
    raise NotForUs("only the title or text changed" if event.state == "open" else "the pull request is closed")


def on_label(trigger: Trigger, payload: Payload, _: OwnAccount) -> Job:
    """Ask again whether the head is reviewed, because labels decide about that."""
    event = parse(PullEvent, payload)
    person = event.sender if event.sender_type == "User" else ""
    return Relabeled(event.pull(event.number), event.head, event.is_stranger, trigger, person)


def on_end(reason: Reason, payload: Payload, _: OwnAccount) -> Job:
    """Cancel the review of a pull request that was merged, closed or made a draft."""
    event = parse(PullEvent, payload)
    return Cancel(event.pull(event.number), reason, actor=event.sender, stranger=event.is_stranger)


def on_comment(payload: Payload, ours: OwnAccount) -> Job:
    """Read a comment on the pull request itself."""
    event = parse(CommentEvent, payload)
    if event.pull_request is None:
        raise NotForUs("it is a comment on an issue, not on a pull request")
    return _request(event, CommentRef(event.id, "issue"), ours)


def on_line_comment(payload: Payload, ours: OwnAccount) -> Job:
    """Read a comment on lines of the diff, or a reply to one."""
    event = parse(CommentEvent, payload)
    return _request(event, CommentRef(event.id, "review", event.top or event.id), ours)


def on_review_text(payload: Payload, ours: OwnAccount) -> Job:
    """Read a review's text. GitHub also delivers reviews without one, for line comments."""
    event = parse(CommentEvent, payload)
    return _request(event, CommentRef(event.id, "whole"), ours)


def _request(event: CommentEvent, place: CommentRef, ours: OwnAccount) -> Job:
    """Return the command in a person's comment, else a remark.

    Commands for a review are no exception: they replace no other review until the person's permission is
    known.
    """
    if ours.wrote(event.author, event.app) or ours.wrote(event.sender, None):
        raise NotForUs("it is our own comment")
    if event.sender_type != "User" or event.author_type != "User":
        raise NotForUs("it was written by a bot")
    pull, body = event.pull(event.number), event.body or ""
    if given := commands.read(body, ours.login):
        first, *others = given
        also = tuple((command.word, command.argument) for command in others)
        return CommandJob(pull, first.word, first.argument, event.sender, place, also)
    names_us = read_mentions(body, ours.login).us
    if names_us or place.thread not in (0, event.id):  # the delivery does not say whose thread it is
        return RemarkJob(pull, event.sender, place, names_us)
    raise NotForUs("the comment contains no command and does not mention deeprepo")


def on_rerun(payload: Payload, ours: OwnAccount) -> Job:
    """Request the review that `Re-run` on the check run asks for."""
    return _again(parse(CheckEvent, payload), ours, full=False)


def on_rerun_of_all(payload: Payload, ours: OwnAccount) -> Job:
    """Request reviews for `Re-run all checks`, of every pull request with the commit. Forks' are included."""
    event = parse(CheckEvent, payload)
    _check_own(event, ours)
    return ChecksWanted(
        event.installation, event.repository, event.owner, event.name, event.head, event.sender, event.account
    )


def on_button(payload: Payload, ours: OwnAccount) -> Job:
    """Request the review that a button on the check run asks for."""
    event = parse(CheckEvent, payload)
    if event.button not in BUTTONS:
        raise NotForUs("the check run does not have this button")
    return _again(event, ours, full=BUTTONS[event.button])


def on_merge_group(payload: Payload, _: OwnAccount) -> Job:
    """Answer a merge queue. Its changes were reviewed as pull requests, so no review is needed."""
    event = parse(MergeGroupEvent, payload)
    match = _QUEUED.search(event.head_ref)
    number = int(match[1]) if match else 0
    return MergeGroup(
        event.installation, event.repository, event.owner, event.name, event.head, number, event.base or ""
    )


def _again(event: CheckEvent, ours: OwnAccount, *, full: bool) -> Job:
    _check_own(event, ours)
    number = _pull_of(event)
    if number is None:
        raise NotForUs("the check has no pull request. Comment `/deeprepo review` instead")
    return ReviewJob(event.pull(number), "rerun", full, event.sender, head=event.head)


def _check_own(event: CheckEvent, ours: OwnAccount) -> None:
    if str(event.app) != ours.app_id:
        raise NotForUs("the check belongs to another App")


def _pull_of(event: CheckEvent) -> int | None:
    """GitHub names no pull requests from forks."""
    if event.external_id and _NUMBER.fullmatch(event.external_id):
        return int(event.external_id)
    return next((pull.number for pull in event.pulls if pull.repository == event.repository), None)


def on_uninstall(payload: Payload, _: OwnAccount) -> Job:
    """Forget an installation that was removed."""
    return Forget(parse(InstallationEvent, payload).installation)


def on_repositories_removed(payload: Payload, _: OwnAccount) -> Job:
    """Forget the repositories that the App can no longer access.

    An empty list must not become "all of them".
    """
    event = parse(InstallationEvent, payload)
    repository_ids = tuple(repository.id for repository in event.repositories_removed)
    if not repository_ids:
        raise NotForUs("no repository was removed")
    return Forget(event.installation, repository_ids)


def on_unsuspend(payload: Payload, _: OwnAccount) -> CatchUp:
    """Catch up after a suspension, during which nothing was delivered."""
    parse(InstallationEvent, payload)
    return CatchUp()


def on_deletion(payload: Payload, _: OwnAccount) -> Job:
    """Forget a deleted repository."""
    event = parse(DeliveryPayload, payload)
    return Forget(event.installation, (event.repository,))


Reader = Callable[[Payload, OwnAccount], Job | CatchUp]  # raises NotForUs

# Event, action and function. Everything else is ignored.
ACTIONS: Mapping[str, Mapping[str, Reader]] = MappingProxyType(
    {
        "pull_request": {
            "opened": partial(on_reviewable, "opened"),
            "reopened": partial(on_reviewable, "reopened"),
            "ready_for_review": partial(on_reviewable, "ready"),
            "synchronize": on_new_head,
            "edited": on_edit,
            "labeled": partial(on_label, "labeled"),
            "unlabeled": partial(on_label, "unlabeled"),
            "converted_to_draft": partial(on_end, "draft"),
            "closed": partial(on_end, "closed"),
        },
        "issue_comment": {"created": on_comment},
        "pull_request_review_comment": {"created": on_line_comment},
        "pull_request_review": {"submitted": on_review_text},
        "check_run": {"rerequested": on_rerun, "requested_action": on_button},
        "check_suite": {"rerequested": on_rerun_of_all},
        "merge_group": {"checks_requested": on_merge_group},
        "installation": {"deleted": on_uninstall, "unsuspend": on_unsuspend},
        "installation_repositories": {"removed": on_repositories_removed},
        "repository": {"deleted": on_deletion},
    }
)


def read(name: str, payload: object, ours: OwnAccount) -> Job | CatchUp | IgnoredDelivery:
    """Return what a delivery of the event `name` asks for."""
    if not isinstance(payload, Mapping):
        return IgnoredDelivery("the payload is not an object")
    readers = ACTIONS.get(name)
    if readers is None:
        return IgnoredDelivery("this event starts nothing")
    action = payload.get("action", "")
    reader = readers.get(action) if isinstance(action, str) else None
    if reader is None:
        return IgnoredDelivery("this action starts nothing")
    try:
        return reader(payload, ours)
    except NotForUs as why:
        return IgnoredDelivery(str(why))
