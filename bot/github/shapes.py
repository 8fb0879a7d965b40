"""Convert GitHub's JSON to our values. Only the fields that we use are validated."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

from githubkit.utils import UNSET
from pydantic import TypeAdapter, ValidationError

from bot.github.responses import unknown
from bot.values import BotIdentity, CommentKind, PostedComment, PullFacts, RepositoryFacts

Value = TypeVar("Value")
_adapter: Callable[[type], TypeAdapter[Any]] = cache(TypeAdapter)
# For each value class, the JSON paths of the fields that have another name on GitHub
PULL = {
    "author": "user.login",
    "author_type": "user.type",
    "base_ref": "base.ref",
    "base_sha": "base.sha",
    "head_ref": "head.ref",
    "head_repository": "head.repo.id",
    "head_sha": "head.sha",
    "url": "html_url",
}
BASE_REPOSITORY = {
    "name": "base.repo.full_name",
    "pages": "base.repo.html_url",
    "default_branch": "base.repo.default_branch",
    "private": "base.repo.private",
}
POSTED = {"author": "user.login", "url": "html_url", "head": "commit_id"}


def at(data: Any, path: str) -> Any:  # noqa: ANN401 - JSON
    """Return the field at a dotted path.

    Return None if it or its parent is null, and UNSET if it is missing.
    """
    for name in path.split("."):
        if not isinstance(data, dict):
            return None if data is None else UNSET
        data = data.get(name, UNSET)
    return data


def value(kind: type[Value], data: Any, paths: Mapping[str, str] | None = None, /, **more: object) -> Value:  # noqa: ANN401 - JSON
    """Create a dataclass instance from JSON. Raises HostRefused if the data is unexpected.

    `paths` are the JSON paths of fields with another name, and `more` are the values of fields that are not
    in the JSON. If a string is null, it becomes "".
    """
    form, json_paths, values = cast("Any", kind), paths or {}, dict[str, object]()
    for field in fields(form):
        found = more[field.name] if field.name in more else at(data, json_paths.get(field.name, field.name))
        if found is not UNSET and (found is not None or field.type is str):
            values[field.name] = "" if found is None else found
    try:
        return cast("Value", _adapter(form).validate_python(values))
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise unknown(f"{kind.__name__} {json_paths.get(name, name)}") from None


def pull(data: Any) -> PullFacts:  # noqa: ANN401 - JSON
    """Return a pull request from JSON. It counts as coming from a fork even if the fork was deleted."""
    labels = [at(label, "name") for label in at(data, "labels") or ()]
    fork = at(data, "head.repo.id") != at(data, "base.repo.id")
    repository = value(RepositoryFacts, data, BASE_REPOSITORY)
    return value(PullFacts, data, PULL, labels=labels, fork=fork, repository=repository)


def read_comment(data: Any, kind: CommentKind, bot_identity: BotIdentity) -> PostedComment:  # noqa: ANN401 - JSON
    """Return a comment or review from JSON. The author is "" if their account was deleted."""
    login, author, app = at(data, "user.login"), at(data, "user.type"), at(data, "performed_via_github_app.id")
    created = at(data, "submitted_at" if kind == "whole" else "created_at")
    return value(
        PostedComment,
        data,
        POSTED,
        kind=kind,
        bot=author == "Bot",
        ours=bot_identity.wrote(login, author, app) and bot_identity.is_in_scope(at(data, "body") or ""),
        created_at=created or "",
        is_outdated=kind == "review" and at(data, "subject_type") != "file" and not isinstance(at(data, "line"), int),
        thread=(at(data, "in_reply_to_id") or at(data, "id")) if kind == "review" else 0,
    )
