"""What is read of a delivery, and nothing else: slim models of strangers' JSON. Whatever does not fit is not a delivery for us.

Names that end up in an address are held to GitHub's own alphabet, and ids to what a database can hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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

    def wrote(self, login: str, app: "Numbered | None") -> bool:
        """Whether something is our own."""
        return login.lower() == self.login.lower() or (app is not None and str(app.id) == self.app_id)


class Shape(BaseModel):
    """Some fields of an object; the others are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Numbered(Shape):
    """An App, an installation or a repository, by its id alone."""

    id: Id


class User(Shape):
    """An account."""

    login: Login
    type: StrictStr = ""


class Owner(Shape):
    """The account that a repository belongs to."""

    login: Name


class Repository(Shape):
    """A repository."""

    id: Id
    name: Name
    owner: Owner


class Commit(Shape):
    """One end of a pull request."""

    sha: Sha


class Pull(Shape):
    """A pull request."""

    number: Id
    state: StrictStr = "open"
    head: Commit


class Comment(Shape):
    """A comment. `in_reply_to_id` is there in a thread of a review, from the second comment on."""

    id: Id
    body: StrictStr = ""
    user: User
    in_reply_to_id: Id | None = None
    performed_via_github_app: Numbered | None = None


class DeliveryPayload(Shape):
    """What every delivery about a repository brings."""

    installation: Numbered
    repository: Repository
    sender: User

    def pull(self, number: int) -> PullRef:
        """A pull request of the repository."""
        where = self.repository
        return PullRef(self.installation.id, where.id, where.owner.login, where.name, number)


class BaseEdit(Shape):
    """The fields of a pull request that were edited."""

    base: dict[str, object] | None = None


class PullEvent(DeliveryPayload):
    """Event `pull_request`."""

    pull_request: Pull
    before: StrictStr = ""
    after: StrictStr = ""
    changes: BaseEdit = BaseEdit()


class Marker(Shape):
    """What tells that an issue is a pull request."""


class Issue(Shape):
    """An issue or a pull request."""

    number: Id
    pull_request: Marker | None = None


class IssueCommentEvent(DeliveryPayload):
    """Event `issue_comment`."""

    issue: Issue
    comment: Comment


class ReviewCommentEvent(DeliveryPayload):
    """Event `pull_request_review_comment`."""

    pull_request: Pull
    comment: Comment


class ReviewBody(Shape):
    """A review as a person hands it in; most have no text of their own."""

    id: Id
    body: StrictStr | None = None
    user: User


class ReviewEvent(DeliveryPayload):
    """Event `pull_request_review`."""

    pull_request: Pull
    review: ReviewBody


class CheckedBase(Shape):
    """Where the pull request of a check run is to be merged."""

    repo: Numbered


class CheckedPull(Shape):
    """A pull request whose head a check run is on; there may be some of other repositories."""

    number: Id
    base: CheckedBase


class CheckPayload(Shape):
    """A check run or a check suite."""

    head_sha: Sha
    external_id: StrictStr | None = None
    app: Numbered | None = None
    pull_requests: tuple[CheckedPull, ...] = ()


class ActionPayload(Shape):
    """A button of a check run."""

    identifier: StrictStr = ""


class CheckRunEvent(DeliveryPayload):
    """Event `check_run`."""

    check_run: CheckPayload
    requested_action: ActionPayload | None = None


class CheckSuiteEvent(DeliveryPayload):
    """Event `check_suite`."""

    check_suite: CheckPayload


class Group(Shape):
    """What a merge queue is about to merge."""

    head_sha: Sha


class MergeGroupEvent(DeliveryPayload):
    """Event `merge_group`."""

    merge_group: Group


class InstallationEvent(Shape):
    """Events `installation` and `installation_repositories`."""

    installation: Numbered
    repositories_removed: tuple[Numbered, ...] = ()


Form = TypeVar("Form", bound=Shape)


def shaped(form: type[Form], payload: Payload) -> Form:
    """The payload in this form. Raises NotForUs with what is wrong with it: the place alone, for the value may be anything."""
    try:
        return form.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "the payload"
    if place == "installation":
        raise NotForUs("it names no installation of the App")
    raise NotForUs(f"{place} is missing or has another form than GitHub's")
