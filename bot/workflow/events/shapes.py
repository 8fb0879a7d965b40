"""What is read of a delivery, and nothing else: slim models of strangers' JSON. Whatever does not fit is not a delivery for us.

Names that end up in an address are held to GitHub's own alphabet, and ids to what a database can hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

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

    def wrote(self, login: str, app: int | None) -> bool:
        """Whether something is our own."""
        return login.lower() == self.login.lower() or (app is not None and str(app) == self.app_id)


OURS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})  # associations of people who may have write permission


def _at(*places: str, default: Any = ...) -> Any:  # noqa: ANN401 - the type stands beside it
    """The path of a field in a delivery. If several paths are given, the first one that exists is used."""
    return Field(default, validation_alias=AliasChoices(*(AliasPath(*place.split(".")) for place in places)))


class PayloadModel(BaseModel):
    """Some fields of a delivery; the others are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    installation: Id = _at("installation.id")


class DeliveryPayload(PayloadModel):
    """What every delivery about a repository brings."""

    repository: Id = _at("repository.id")
    name: Name = _at("repository.name")
    owner: Name = _at("repository.owner.login")
    account: Annotated[StrictInt, Field(ge=0, lt=1 << 63)] = _at("repository.owner.id", default=0)
    sender: Login = _at("sender.login")
    sender_type: StrictStr = _at("sender.type", default="")

    def pull(self, number: int) -> PullRef:
        """A pull request of the repository."""
        return PullRef(self.installation, self.repository, self.owner, self.name, number, self.account)


class PullEvent(DeliveryPayload):
    """Event `pull_request`."""

    number: Id = _at("pull_request.number")
    state: StrictStr = _at("pull_request.state", default="open")
    head: Sha = _at("pull_request.head.sha")
    head_repository: Id | None = _at("pull_request.head.repo.id", default=None)  # None: the fork was deleted
    author_type: StrictStr = _at("pull_request.user.type", default="")
    author_association: StrictStr = _at("pull_request.author_association", default="")
    base_before: object = _at("changes.base", default=None)

    @property
    def is_stranger(self) -> bool:
        """Whether nothing says that its author belongs to the repository. A bot that pushes to it was let in by its owner."""
        is_bot = self.head_repository == self.repository and self.author_type == "Bot"
        return self.author_association not in OURS and not is_bot


class CommentEvent(DeliveryPayload):
    """Events `issue_comment`, `pull_request_review_comment` and `pull_request_review`."""

    number: Id = _at("issue.number", "pull_request.number")
    pull_request: object = _at("issue.pull_request", "pull_request", default=None)  # None: it is an issue
    id: Id = _at("comment.id", "review.id")
    body: StrictStr | None = _at("comment.body", "review.body", default="")
    author: Login = _at("comment.user.login", "review.user.login")
    author_type: StrictStr = _at("comment.user.type", "review.user.type", default="")
    author_association: StrictStr = _at("comment.author_association", "review.author_association", default="")
    top: Id | None = _at("comment.in_reply_to_id", default=None)  # of its thread, from the second comment on
    app: Id | None = _at("comment.performed_via_github_app.id", default=None)


class CheckedPull(BaseModel):
    """A pull request whose head a check run is on; there may be some of other repositories."""

    number: Id
    repository: Id = _at("base.repo.id")


class CheckEvent(DeliveryPayload):
    """Events `check_run` and `check_suite`."""

    head: Sha = _at("check_run.head_sha", "check_suite.head_sha")
    conclusion: StrictStr | None = _at("check_run.conclusion", "check_suite.conclusion", default=None)
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
    """A repository that the App may no longer see."""

    id: Id


class InstallationEvent(PayloadModel):
    """Events `installation` and `installation_repositories`."""

    repositories_removed: tuple[RemovedRepository, ...] = ()


class PushEvent(PayloadModel):
    """Event `push`."""

    repository: Id = _at("repository.id")
    default_branch: StrictStr = _at("repository.default_branch")
    ref: StrictStr
    is_deletion: bool = _at("deleted", default=False)


Form = TypeVar("Form", bound=PayloadModel)


def with_form(form: type[Form], payload: Payload) -> Form:
    """The payload in this form. Raises NotForUs with what is wrong with it: the place alone, for the value may be anything."""
    try:
        return form.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "the payload"
    if place.startswith("installation"):
        raise NotForUs("it names no installation of the App")
    raise NotForUs(f"{place} is missing or has another form than GitHub's")
