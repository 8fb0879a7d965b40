"""`deeprepo fix`: fix a review's findings in the work tree, then run static checks on the result."""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import CLEAN, FOUND, tell, terminal_text
from bot.cli.options import Quiet
from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.values import PlacedFinding, Review
    from bot.values.fixing import Fix, FixCheck

# Why a finding was not fixed, by the reason in `Fix.refusals`
REASONS = {
    "none": "there is no automatic fix",
    "unconfirmed": "it is not confirmed, so check its suggestion and apply it yourself",
    "place": "its file may not be changed, or the file name cannot be written in a patch",
    "moved": "the file no longer contains the reviewed lines",
    "clash": "another fix changes the same lines",
    "syntax": "the file would no longer parse",
    "long": "the fix changes too many lines",
    "worse": "the fix would add a new problem, so the file was restored",
    "part": "a person has to decide what belongs there",
}


def command(
    review: Annotated[
        Path,
        typer.Argument(
            metavar="REVIEW.JSON",
            help="The JSON output of a review. To create it, run `deeprepo review --format json --output REVIEW.JSON`.",
        ),
    ],
    numbers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[N]...", help="Numbers or IDs of the findings to fix. Default: every finding that has a fix."
        ),
    ] = None,
    repo: Annotated[str, typer.Option(help="The checkout to change.", metavar="DIR")] = ".",
    patch: Annotated[bool, typer.Option("--patch", help="Print a patch instead of changing files.")] = False,
    quiet: Quiet = False,
) -> int:
    """Fix a review's findings in the work tree: rewrite broken callers, and apply suggestions.

    A file with unsaved changes is not touched. The result is then reviewed without a model.

    Exit codes: 0 everything was fixed, nothing new was found, and no finding at or above the review's
    --fail-on remains; 1 otherwise; 2 usage error.
    """
    from bot.cli import reviewing
    from bot.stored import reviews
    from bot.wiring import fixing

    data = reviewing.content(review)
    if data is None:
        raise UsageError(f"{review} does not exist. Create it with `deeprepo review --format json --output {review}`")
    try:
        review_done = reviews.review(data)
    except reviews.UnreadableError as error:
        raise UsageError(f"{review}: {error}") from error
    rows = fixing.fixable(review_done, tuple(numbers or ()))
    return carry_out(review_done, rows, repo, (("REVIEW.JSON", str(review)),), quiet=quiet, patch=patch)


def carry_out(
    review_done: "Review",
    rows: "Sequence[PlacedFinding]",
    repo: str,
    origin: tuple[tuple[str, str], ...] = (),
    *,
    quiet: bool,
    patch: bool = False,
) -> int:
    """Fix these findings, and report the result.

    Return the review's exit code for the findings that remain, or 1 if a fix failed or has new problems.
    """
    from bot import verdict
    from bot.cli import reviewing
    from bot.wiring import fixing

    if not rows:
        tell("Nothing to fix: none of the findings has an automatic fix.")
        return verdict.of(review_done).exit_code
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch, reviewing.progress(quiet=quiet):
        fix, check = fixing.fix_work_tree(review_done, rows, repo, scratch, origin, keep=patch)
    if patch:
        # Only escape the patch for terminals: git needs it unchanged.
        sys.stdout.write(terminal_text(fix.patch) if sys.stdout.isatty() else fix.patch)
    report(fix, check, is_patch=patch)
    fixed = {finding.identity for finding in fix.findings}
    remaining = tuple(
        placed_finding for placed_finding in review_done.findings if placed_finding.finding.identity not in fixed
    )
    review_left = replace(review_done, findings=remaining)
    return max(verdict.of(review_left).exit_code, CLEAN if fix and check.is_clean and not fix.refusals else FOUND)


def report(fix: "Fix", check: "FixCheck", *, is_patch: bool = False) -> None:
    """Report what was fixed, what was not, and what the static checks of the result found."""
    from bot.render import count
    from bot.render.disarm import line

    if fix:
        verb = "would be fixed" if is_patch else "fixed"
        files = ", ".join(map(line, sorted(fix.contents)))
        tell(f"{count(len(fix.findings), 'finding')} {verb} in {count(len(fix.contents), 'file')}: {files}")
    for finding, reason in fix.refusals:
        tell(line(f"not fixed: {finding.path}:{finding.start} {finding.title}: {REASONS.get(reason, reason)}"))
    for problem in fix.problems:
        tell(line(f"the result would have a new problem: {problem}"))
    if not fix:
        return
    for finding in check.still:
        tell(line(f"still reported: {finding.path}:{finding.start} {finding.title}"))
    for finding in check.new:
        if finding not in check.still:
            tell(line(f"new: {finding.path}:{finding.start} {finding.title}"))
    if check.is_clean:
        unjudged = len(fix.findings) - check.by_code
        is_partial = any(reason == "part" for _, reason in fix.refusals)
        tell(
            "Static checks of the result found "
            + ("nothing new." if unjudged or is_partial else "no more problems.")
            + ("" if is_patch else " See the changes with `git diff`.")
            + (
                f" Run the review again to check {count(unjudged, 'finding')} that only a model reported."
                if unjudged
                else ""
            )
        )
