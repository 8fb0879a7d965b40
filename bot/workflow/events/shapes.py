"""What is read of a delivery, and nothing else: slim models of strangers' JSON. Whatever does not fit is not a delivery for us.

Names that end up in an address are held to GitHub's own alphabet, and ids to what a database can hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from bot.values.ask import PullRef

Id = Annotated[StrictInt, Field(ge=1, lt=1 << 63)]
# Not "." and "..": they would lead an address elsewhere.
Name = Annotated[StrictStr, Field(pattern=r"^\.{0,2}[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$")]
Login = Annotated[StrictStr, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}(\[bot\])?$")]
Payload = Mapping[str, object]
Sha = Annotated[StrictStr, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]


class NotForUs(Exception):  # noqa: N818 - an outcome
    """A delivery asks for nothing; the text says why."""


@dataclass(frozen=True, slots=True)
class Ours:
    """Who we are at GitHub: the App's id, and the login under which it comments ("deeprepo[bot]")."""

    app_id: str
    login: str

    def wrote(self, login: str, app: "ObjectId | None") -> bool:
        """Whether something is our own."""
        return login.lower() == self.login.lower() or (app is not None and str(app.id) == self.app_id)


OURS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})  # associations of people who may have write permission


class PayloadModel(BaseModel):
    """Some fields of an object; the others are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ObjectId(PayloadModel):
    """An App, an installation or a repository, by its id alone."""

    id: Id


class _User(PayloadModel):
    login: Login
    type: StrictStr = ""


class _Owner(PayloadModel):
    login: Name
    id: Annotated[StrictInt, Field(ge=0, lt=1 << 63)] = 0


class _Repository(PayloadModel):
    id: Id
    name: Name
    owner: _Owner


class _Commit(PayloadModel):
    sha: Sha
    repo: ObjectId | None = None  # None: the fork was deleted


class _Pull(PayloadModel):
    number: Id
    state: StrictStr = "open"
    head: _Commit
    user: _User | None = None
    author_association: StrictStr = ""

    def stranger(self, repository: int) -> bool:
        """Whether nothing says that its author belongs to the repository. A bot that pushes to it was let in by its owner."""
        here = self.head.repo is not None and self.head.repo.id == repository
        bot = here and self.user is not None and self.user.type == "Bot"
        return self.author_association not in OURS and not bot


class Comment(PayloadModel):
    """A comment. `in_reply_to_id` is there in a thread of a review, from the second comment on."""

    id: Id
    body: StrictStr = ""
    user: _User
    author_association: StrictStr = ""
    in_reply_to_id: Id | None = None
    performed_via_github_app: ObjectId | None = None
    created_at: datetime | None = None

    @property
    def time_of_writing(self) -> float:
        """When it was written, in seconds since 1970; 0 where GitHub does not say."""
        return self.created_at.timestamp() if self.created_at else 0.0


class DeliveryPayload(PayloadModel):
    """What every delivery about a repository brings."""

    installation: ObjectId
    repository: _Repository
    sender: _User

    def pull(self, number: int) -> PullRef:
        """A pull request of the repository."""
        where = self.repository
        return PullRef(self.installation.id, where.id, where.owner.login, where.name, number, where.owner.id)


class _BaseEdit(PayloadModel):
    base: dict[str, object] | None = None


class PullEvent(DeliveryPayload):
    """Event `pull_request`."""

    pull_request: _Pull
    before: StrictStr = ""
    after: StrictStr = ""
    changes: _BaseEdit = _BaseEdit()


class _Marker(PayloadModel):
    """What tells that an issue is a pull request."""


class _Issue(PayloadModel):
    number: Id
    pull_request: _Marker | None = None


class IssueCommentEvent(DeliveryPayload):
    """Event `issue_comment`."""

    issue: _Issue
    comment: Comment


class ReviewCommentEvent(DeliveryPayload):
    """Event `pull_request_review_comment`."""

    pull_request: _Pull
    comment: Comment


class _ReviewBody(PayloadModel):
    """A review as a person hands it in; most have no text of their own."""

    id: Id
    body: StrictStr | None = None
    user: _User
    author_association: StrictStr = ""
    submitted_at: datetime | None = None


class ReviewEvent(DeliveryPayload):
    """Event `pull_request_review`."""

    pull_request: _Pull
    review: _ReviewBody


class _CheckedBase(PayloadModel):
    repo: ObjectId


class _CheckedPull(PayloadModel):
    """A pull request whose head a check run is on; there may be some of other repositories."""

    number: Id
    base: _CheckedBase


class CheckPayload(PayloadModel):
    """A check run or a check suite."""

    head_sha: Sha
    conclusion: StrictStr | None = None
    external_id: StrictStr | None = None
    app: ObjectId | None = None
    pull_requests: tuple[_CheckedPull, ...] = ()


class _ActionPayload(PayloadModel):
    identifier: StrictStr = ""


class CheckRunEvent(DeliveryPayload):
    """Event `check_run`."""

    check_run: CheckPayload
    requested_action: _ActionPayload | None = None


class CheckSuiteEvent(DeliveryPayload):
    """Event `check_suite`."""

    check_suite: CheckPayload


class _Group(PayloadModel):
    head_sha: Sha
    head_ref: StrictStr = ""
    base_sha: Sha | None = None


class MergeGroupEvent(DeliveryPayload):
    """Event `merge_group`."""

    merge_group: _Group


class InstallationEvent(PayloadModel):
    """Events `installation` and `installation_repositories`."""

    installation: ObjectId
    repositories_removed: tuple[ObjectId, ...] = ()


class _PushedRepository(PayloadModel):
    id: Id
    default_branch: StrictStr


class PushEvent(PayloadModel):
    """Event `push`."""

    installation: ObjectId
    repository: _PushedRepository
    ref: StrictStr
    is_deletion: bool = Field(default=False, alias="deleted")


Form = TypeVar("Form", bound=PayloadModel)


def with_form(form: type[Form], payload: Payload) -> Form:
    """The payload in this form. Raises NotForUs with what is wrong with it: the place alone, for the value may be anything."""
    try:
        return form.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "the payload"
    if place == "installation":
        raise NotForUs("it names no installation of the App")
    raise NotForUs(f"{place} is missing or has another form than GitHub's")
