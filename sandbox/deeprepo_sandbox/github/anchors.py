"""Where a comment on a diff may stand: GitHub's rules, in the words with which it refuses."""

from collections.abc import Sequence

from deeprepo_sandbox.github import diffs, git
from deeprepo_sandbox.github.bodies.pulls import changed_files
from deeprepo_sandbox.github.things import Json, Pull, Side

LONGEST = 65_536  # characters of a body
SIDES: tuple[Side, ...] = ("RIGHT", "LEFT")


async def commit(pull: Pull, name: object) -> str | None:
    """The commit that a comment names, if it belongs to the pull request; the head where it names none."""
    if not name:
        return pull.head_sha
    known = await git.commits(pull.repository.git, pull.base_sha, pull.head_sha)
    return str(name) if name in known else None


def body(text: object) -> str | None:
    """What is wrong with a body, None where nothing is."""
    if not isinstance(text, str) or not text.strip():
        return "Body can't be blank"
    return f"Body is too long (maximum is {LONGEST} characters)" if len(text) > LONGEST else None


async def place_fields(pull: Pull, commit_id: str, fields: Json) -> tuple[Json, str | None]:
    """The fields of a comment that say where it stands in a pull request, or what is wrong with them."""
    return place_in(await changed_files(pull, commit_id), fields)


def place_in(files: Sequence[diffs.File], fields: Json) -> tuple[Json, str | None]:
    """Return the fields that locate a comment in the files of a diff, or an error message."""
    file = next((file for file in files if file.path == fields.get("path")), None)
    if file is None:
        return {}, "Path could not be resolved"
    if file.is_too_large and fields.get("subject_type") != "file":
        return {}, "Path diff too large"
    if fields.get("subject_type") == "file":
        return {"subject": "file", "hunk": file.patch.partition("\n")[0]}, None
    line, side = fields.get("line"), fields.get("side") or "RIGHT"
    if line is None and "position" in fields:
        line, side = _position(file, fields["position"])
    if side not in SIDES or not isinstance(line, int):
        return {}, "Line could not be resolved"
    hunk = file.hunk(line, side)
    if hunk is None:
        return {}, "Line could not be resolved"
    spot: Json = {"line": line, "side": side, "hunk": diffs.excerpt(hunk, line, side)}
    return _range(hunk, spot, fields)


def _range(hunk: diffs.Hunk, spot: Json, fields: Json) -> tuple[Json, str | None]:
    """The beginning of a range: strictly above its end and in the same hunk."""
    start, side = fields.get("start_line"), fields.get("start_side") or spot["side"]
    if start is None:
        return spot, None
    at = hunk.index(start, side) if side in SIDES else None
    end = hunk.index(spot["line"], spot["side"])
    if at is None and not (side == spot["side"] and start >= spot["line"]):
        return {}, "Start line must be part of the same hunk as the line."
    if at is None or end is None or at >= end:
        return {}, "Start line must precede the end line."
    return spot | {"start_line": start, "start_side": side}, None


def _position(file: diffs.File, position: object) -> tuple[int | None, Side]:
    """The line at a number of lines below the first hunk's header: GitHub's old way to say it."""
    rows: list[tuple[int | None, int | None]] = []
    for hunk in file.hunks:
        rows += [*([(None, None)] if rows else []), *hunk.numbers()]
    if not isinstance(position, int) or not 0 < position <= len(rows):
        return None, "RIGHT"
    old, new = rows[position - 1]
    return (new, "RIGHT") if new is not None else (old, "LEFT")
