"""Comments of every kind, reviews and reactions."""

from deeprepo_sandbox.github import diffs
from deeprepo_sandbox.github.bodies import stamp
from deeprepo_sandbox.github.bodies.people import app, user
from deeprepo_sandbox.github.bodies.pulls import association, changed_files
from deeprepo_sandbox.github.things import Comment, Json, Pull, Reaction, Review, ReviewComment, Side
from deeprepo_sandbox.github.world import World, node_id

EMOJI = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def _body(world: World, pull: Pull, comment: Comment) -> Json:
    return {
        "id": comment.id,
        "node_id": node_id(comment),
        "user": user(world, comment.user),
        "body": comment.body,
        "author_association": association(comment.user, pull.repository, pull),
    }


def _rollup(url: str, reactions: list[Reaction]) -> Json:
    counts = {name: sum(reaction.content == name for reaction in reactions) for name in EMOJI}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def issue_comment(world: World, pull: Pull, comment: Comment) -> Json:
    """A comment in the conversation."""
    api = f"{world.api}/repos/{pull.repository.full_name}/issues"
    url = f"{api}/comments/{comment.id}"
    return _body(world, pull, comment) | {
        "url": url,
        "html_url": f"{world.origin}/{pull.repository.full_name}/pull/{pull.number}#issuecomment-{comment.id}",
        "issue_url": f"{api}/{pull.number}",
        "created_at": stamp(comment.created_at),
        "updated_at": stamp(comment.updated_at),
        "performed_via_github_app": app(world, comment.app) if comment.app else None,
        "reactions": _rollup(url, comment.reactions),
        "pin": None,
    }


def review(world: World, pull: Pull, which: Review) -> Json:
    """A review without its comments."""
    web = f"{world.origin}/{pull.repository.full_name}/pull/{pull.number}#pullrequestreview-{which.id}"
    api = f"{world.api}/repos/{pull.repository.full_name}/pulls/{pull.number}"
    row = _body(world, pull, which) | {
        "state": which.state,
        "html_url": web,
        "pull_request_url": api,
        "_links": {"html": {"href": web}, "pull_request": {"href": api}},
        "commit_id": which.commit,
    }
    return row if which.state == "PENDING" else row | {"submitted_at": stamp(which.created_at)}


async def review_comment(world: World, pull: Pull, comment: ReviewComment) -> Json:
    """A comment on the diff; its line is null once a push has changed that line."""
    api = f"{world.api}/repos/{pull.repository.full_name}/pulls"
    url = f"{api}/comments/{comment.id}"
    web = f"{world.origin}/{pull.repository.full_name}/pull/{pull.number}#discussion_r{comment.id}"
    line, start = await place(pull, comment)
    ended = comment.subject == "line" and line is None
    row = _body(world, pull, comment) | {
        "url": url,
        "pull_request_review_id": comment.review,
        "diff_hunk": comment.hunk,
        "path": comment.path,
        "commit_id": comment.commit if ended else pull.head_sha,
        "original_commit_id": comment.commit,
        "created_at": stamp(comment.created_at),
        "updated_at": stamp(comment.updated_at),
        "html_url": web,
        "pull_request_url": f"{api}/{pull.number}",
        "_links": {
            "self": {"href": url},
            "html": {"href": web},
            "pull_request": {"href": f"{api}/{pull.number}"},
        },
        "reactions": _rollup(url, comment.reactions),
        "subject_type": comment.subject,
        "line": line,
        "original_line": comment.line,
        "side": comment.side,
        "start_line": start,
        "original_start_line": comment.start_line,
        "start_side": comment.start_side,
        "position": None if ended else line or 1,
        "original_position": comment.line or 1,
    }
    return row if comment.reply_to is None else row | {"in_reply_to_id": comment.reply_to}


async def place(pull: Pull, comment: ReviewComment) -> tuple[int | None, int | None]:
    """The line, and the first one of a range, where a comment is in the diff of today; None once it is outdated."""
    if comment.subject == "file" or comment.line is None or comment.commit == pull.head_sha:
        return comment.line, comment.start_line
    files = await changed_files(pull)
    line = await _now(pull, files, comment, comment.line, comment.side)
    if line is None or comment.start_line is None:
        return line, None
    start = await _now(pull, files, comment, comment.start_line, comment.start_side or comment.side)
    return (line, start) if start is not None else (None, None)


async def _now(pull: Pull, files: tuple[diffs.File, ...], comment: ReviewComment, line: int, side: Side) -> int | None:
    """A line of the old side stays where it is as long as the base does."""
    after: int | None = line
    if side == "RIGHT":
        after = await diffs.moved_line(pull.repository.git, comment.path, line, comment.commit, pull.head_sha)
    file = next((file for file in files if file.path == comment.path), None)
    return after if after is not None and file is not None and file.hunk(after, side) else None


def reaction(world: World, which: Reaction) -> Json:
    """An emoji under a comment."""
    return {
        "id": which.id,
        "node_id": f"REA_lADO{which.id}",
        "user": user(world, which.user),
        "content": which.content,
        "created_at": stamp(which.created_at),
    }
