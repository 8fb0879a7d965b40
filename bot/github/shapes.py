"""GitHub's JSON as our values. Slim: a field that nobody reads cannot break anything."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

from githubkit.utils import UNSET
from pydantic import TypeAdapter, ValidationError

from bot.github.responses import unknown
from bot.values import CommentKind, PostedComment, PullFacts, RepositoryFacts, Voice

Value = TypeVar("Value")
_adapter: Callable[[type], TypeAdapter[Any]] = cache(TypeAdapter)
PULL = {  # where the fields of a value are in the JSON, unless they have their own names there
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
POSTED = {"author": "user.login", "url": "html_url", "head": "commit_id", "dislikes": "reactions.-1"}


def at(data: Any, path: str) -> Any:  # noqa: ANN401 - JSON
    """Look up a field by its path: None if it or what it is in is null, UNSET if GitHub has not sent it."""
    for name in path.split("."):
        if not isinstance(data, dict):
            return None if data is None else UNSET
        data = data.get(name, UNSET)
    return data


def value(kind: type[Value], data: Any, paths: Mapping[str, str] | None = None, /, **more: object) -> Value:  # noqa: ANN401 - JSON
    """Read a value. A text that is null is empty. Raises HostRefused if GitHub has sent something else."""
    form, places, known = cast("Any", kind), paths or {}, dict[str, object]()
    for form_field in fields(form):
        found = (
            more[form_field.name] if form_field.name in more else at(data, places.get(form_field.name, form_field.name))
        )
        if found is not UNSET and (found is not None or form_field.type is str):
            known[form_field.name] = "" if found is None else found
    try:
        return cast("Value", _adapter(form).validate_python(known))
    except ValidationError as error:
        wrong = str(error.errors()[0]["loc"][0])
        raise unknown(f"{kind.__name__} {places.get(wrong, wrong)}") from None


def pull(data: Any) -> PullFacts:  # noqa: ANN401 - JSON
    """Read a pull request. Its fork may be gone."""
    labels = [at(label, "name") for label in at(data, "labels") or ()]
    fork = at(data, "head.repo.id") != at(data, "base.repo.id")
    repository = value(RepositoryFacts, data, BASE_REPOSITORY)
    return value(PullFacts, data, PULL, labels=labels, fork=fork, repository=repository)


def read_comment(data: Any, kind: CommentKind, voice: Voice) -> PostedComment:  # noqa: ANN401 - JSON
    """Read a comment of either kind, or a review. Its author may be a deleted account, which is nobody."""
    login, author, app = at(data, "user.login"), at(data, "user.type"), at(data, "performed_via_github_app.id")
    created = at(data, "submitted_at" if kind == "whole" else "created_at")
    return value(
        PostedComment,
        data,
        POSTED,
        kind=kind,
        bot=author == "Bot",
        ours=voice.wrote(login, author, app) and voice.is_in_scope(at(data, "body") or ""),
        created_at=created or "",
        is_outdated=kind == "review" and at(data, "subject_type") != "file" and not isinstance(at(data, "line"), int),
        thread=(at(data, "in_reply_to_id") or at(data, "id")) if kind == "review" else 0,
    )
