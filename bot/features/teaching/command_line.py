"""`deeprepo ignore`: silence a finding, with a reason, in a readable file."""

import re
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import CLEAN, finish, tell
from bot.cli.options import work_tree_top
from bot.errors import NothingToReview, UsageError
from bot.machine import files
from bot.values.rule import IgnoreScope

SCOPES: "tuple[Scope, ...]" = ("staged", "uncommitted", "range")  # in the order in which they are checked
MAX_LIST_BYTES = 1 << 20  # bytes that are read of an existing list

if TYPE_CHECKING:
    from bot.features.teaching.ignore_file import WrittenEntry
    from bot.values import Finding
    from bot.values.change import Scope


def command(
    fingerprint: Annotated[str, typer.Argument(help="The finding's ID, which the review prints after `id`.")],
    reason: Annotated[
        str, typer.Option(help="Why the finding should not be reported again, for people who read the file later.")
    ] = "",
    scope: Annotated[
        IgnoreScope,
        typer.Option(help="What to ignore: this finding, its rule in this file, or the whole file."),
    ] = "finding",
    review: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The JSON output of the review that reported it. Needed for a model's finding."
        ),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Apply the entry to these files instead of the finding's file."),
    ] = None,
    expires: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last day on which the entry applies.")
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="Apply the entry only on this machine, immediately. It is stored in .git.")
    ] = False,
    repo: Annotated[Path, typer.Option(help="The checkout to use.", metavar="DIR")] = Path(),
) -> int:
    """Write an entry into .deeprepo/ignore.yml; the entry applies once it is on the base branch.

    Without --review, the finding is looked up by the checks that need no model: in what is staged, in uncommitted work, and in what
    HEAD adds to the default branch.
    """
    from bot.checkout.locate import locate
    from bot.features.teaching import ignore_file
    from bot.features.teaching.names import FILE, LOCAL_FILE

    until: date | None = expires.date() if expires else None
    _refuse(until, None if review is not None else fingerprint)
    top = Path(locate(str(repo)).common) if local else work_tree_top(repo)
    target = top / (LOCAL_FILE if local else FILE)
    finding = _find_in_output(fingerprint, review) if review is not None else _find_by_checks(fingerprint, repo)
    entry = ignore_file.entry_for(finding, scope, reason.strip(), until)
    if path is not None:
        entry = entry.model_copy(update={"path": path})
    before = files.content(target, MAX_LIST_BYTES, below=top)
    if any(_is_duplicate(entry, other) for _, other in ignore_file.check(before or b"").entries):
        tell(f"{target} already has this entry.")
        return CLEAN
    files.write(target, ignore_file.add_entry(before, entry), below=top, folders=True, nested=False)
    counts = (
        "The entry already applies on this machine"
        if local
        else "Commit this file. Until it is merged into the default branch, the finding is still reported"
    )
    tell(f"Added an entry to {target} for the finding “{finding.title}”. {counts}.")
    return CLEAN


def _refuse(until: date | None, fingerprint: str | None) -> None:
    """Raise UsageError for a past day or an invalid fingerprint."""
    if until is not None and until < date.today():  # noqa: DTZ011 - the user's own day
        raise UsageError(f"--expires {until} is in the past. Give the last day on which the entry applies, or omit it")
    if fingerprint is not None and not re.fullmatch(r"[0-9a-f]{16}|[0-9a-f]{32}", fingerprint):
        raise UsageError(
            f"{fingerprint!r} is not a finding ID. Copy the whole ID that `deeprepo review` prints after `id`"
        )


def _is_duplicate(entry: "WrittenEntry", other: "WrittenEntry") -> bool:
    """Return whether `other` already silences what `entry` silences."""
    if entry.scope == "finding":
        places, known_places = set(entry.digest.split()), set(other.digest.split())
        same_finding = other.scope == "finding" and entry.fingerprint == other.fingerprint
        return same_finding and (not known_places or places <= known_places)
    return entry.model_dump(exclude={"reason", "title"}) == other.model_dump(exclude={"reason", "title"})


def _find_in_output(fingerprint: str, review: Path) -> "Finding":
    """Return the finding with this fingerprint from a review's output.

    Raises UsageError if the file or the finding is missing.
    """
    from bot.cli import reviewing
    from bot.stored import reviews

    data = reviewing.content(review)
    if data is None:
        raise UsageError(f"{review} cannot be read: No such file or directory")
    try:
        last_review = reviews.earlier(data)
    except reviews.UnreadableError as error:
        raise UsageError(f"{review}: {error}") from error
    finding = next(
        (finding for finding in last_review.findings if fingerprint in (finding.identity, finding.fingerprint)), None
    )
    if finding is None:
        raise UsageError(f"{review} has no finding {fingerprint}. Pass the JSON output of the review that reported it")
    return finding


def _find_by_checks(fingerprint: str, repo: Path) -> "Finding":
    """Return the finding with this fingerprint from static checks.

    Raises UsageError if they do not report it.
    """
    for scope in SCOPES:
        finding = next(
            (one for one in _run_checks(scope, str(repo)) if fingerprint in (one.identity, one.fingerprint)), None
        )
        if finding is not None:
            return finding
    raise UsageError(
        f"no static check reports {fingerprint} in what is staged, in uncommitted work or in what HEAD adds to the default branch: "
        "name the JSON output of the review that reported it with --review FILE (`deeprepo review --format json --output FILE` writes one)"
    )


def _run_checks(scope: "Scope", repo: str) -> "list[Finding]":
    """Return the findings that static checks report or silence; empty if there is no such change."""
    from bot import wiring
    from bot.cli import reviewing
    from bot.values import ReviewRequest

    request = ReviewRequest(repo, scope)
    try:
        with reviewing.scratch_folder(request) as scratch:
            review = finish(wiring.local_review(request, {"strategy": "offline"}, scratch))
    except (NothingToReview, UsageError):
        return []
    return [*review.open_findings, *review.findings_with_status("silenced")]
