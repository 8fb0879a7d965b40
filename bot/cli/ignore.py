"""`deeprepo ignore`: a finding that should not be reported again, with the reason, in a file that people can read."""

import re
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bot.cli.exits import CLEAN, tell
from bot.errors import UsageError

if TYPE_CHECKING:
    from bot.config.ignored import IgnoreEntry
    from bot.values import Finding


def command(
    fingerprint: Annotated[
        str,
        typer.Argument(help="The finding's fingerprint: the characters that the review prints after its source."),
    ],
    reason: Annotated[str, typer.Option(help="Why it should not be reported again.")],
    scope: Annotated[
        Literal["finding", "rule", "path"],
        typer.Option(help="What to ignore: this finding, its rule in its file, or everything in its file."),
    ] = "finding",
    review: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The JSON output of the review that reported it; needed for --scope rule and path."
        ),
    ] = None,
    path: Annotated[
        str | None, typer.Option(metavar="PATTERN", help="Apply the entry to these files instead of the finding's own.")
    ] = None,
    expires: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last day on which the entry applies.")
    ] = None,
    repo: Annotated[Path, typer.Option(help="The work tree of the repository.", metavar="DIR")] = Path(),
) -> int:
    """Write an entry into .deeprepo/ignore.yml; the entry applies once it is on the base branch."""
    from bot.config.ignored import IgnoreEntry
    from bot.findings import suppress

    if not reason.strip():
        raise UsageError("--reason is empty: give a reason for those who read the file later")
    until: date | None = expires.date() if expires else None
    if until is not None and until < date.today():  # noqa: DTZ011 - the user's own day
        raise UsageError(
            f"--expires {until} is in the past: name the last day on which the entry applies, or leave it out"
        )
    found = _finding(fingerprint, review)
    if found is None and scope != "finding":
        raise UsageError(f"--scope {scope} needs --review FILE: the JSON output of the review that found it")
    if found is None and not re.fullmatch(r"[0-9a-f]{16}|[0-9a-f]{32}", fingerprint):
        raise UsageError(
            f"{fingerprint!r} is not a fingerprint: copy the 16 or 32 characters that `deeprepo review` prints after a finding's source"
        )
    entry = (
        suppress.entry_for(found, scope, reason.strip(), until)
        if found is not None
        else IgnoreEntry(fingerprint=fingerprint, reason=reason.strip(), expires=until)
    )
    if path is not None:
        entry = entry.model_copy(update={"path": path})
    target = _top(repo) / suppress.FILE
    try:
        before = target.read_bytes() if target.exists() else None
        known = suppress.read(before, date.min).entries
        if any(_same(entry, other) for other in known):
            tell(f"{target} already has this entry.")
            return CLEAN
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(suppress.write(before, entry), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from error
    tell(f"Added to {target}. Commit it: the entry applies once it is on the base branch.")
    return CLEAN


def _same(entry: "IgnoreEntry", other: "IgnoreEntry") -> bool:
    """Whether the file needs only one of them: the same finding, or the same rule and path."""
    if entry.scope == "finding":
        return other.scope == "finding" and entry.fingerprint == other.fingerprint
    unlike = {"reason", "title"}
    return entry.model_dump(exclude=unlike) == other.model_dump(exclude=unlike)


def _top(folder: Path) -> Path:
    """The top of the work tree: the file is read there and nowhere else. Raises UsageError outside a repository."""
    here = folder.absolute()
    for each in (here, *here.parents):
        if (each / ".git").exists():
            return each
    raise UsageError(f"{folder} is not in a git repository: run deeprepo inside a checkout, or name one with --repo")


def _finding(fingerprint: str, review: Path | None) -> "Finding | None":
    """The finding with this fingerprint in the output of a review. Raises UsageError where the file or the finding is missing."""
    if review is None:
        return None
    from bot.findings import earlier

    try:
        said = earlier.read(review.read_bytes())
    except OSError as error:
        raise UsageError(f"{review} cannot be read: {error.strerror}") from error
    if isinstance(said, str):
        raise UsageError(f"{review}: {said}")
    found = next((finding for finding in said.findings if fingerprint in (finding.identity, finding.fingerprint)), None)
    if found is None:
        raise UsageError(f"{review} has no finding {fingerprint}: name the JSON output of the review that reported it")
    return found
