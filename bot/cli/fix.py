"""`deeprepo fix`: the findings of a review mended in the work tree, and the result reviewed by code at once."""

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

REASONS = {
    "none": "no rewrite and no suggestion that can be applied is known",
    "place": "it is not in a file that may be changed, or the name of the file does not fit into a patch",
    "moved": "its lines are not in the file as they were reviewed",
    "clash": "another fix changes the same lines",
    "syntax": "the file would not parse",
    "long": "it changes too much at once",
    "worse": "its fix would bring a new problem, so the file was restored",
    "part": "what has to stand there is for a person to decide",
}


def command(
    review: Annotated[Path, typer.Argument(metavar="REVIEW.JSON", help="The JSON output of `deeprepo review`.")],
    numbers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[N]...", help="The numbers or fingerprints of the findings. Default: all that can be fixed."
        ),
    ] = None,
    repo: Annotated[str, typer.Option(help="The checkout whose files are changed.", metavar="DIR")] = ".",
    patch: Annotated[bool, typer.Option("--patch", help="Print the change as a patch and write nothing.")] = False,
    quiet: Quiet = False,
) -> int:
    """Write the fixes of a review's findings into the work tree: rewrites of broken callers, and suggestions that can be committed.

    A file with unsaved changes is not touched. The result is reviewed by code at once.

    Exit codes: 0 fixed, nothing is new, and no finding at or above the review's --fail-on is left; 1 otherwise; 2 usage error.
    """
    from bot.cli import reviewing
    from bot.stored import reviews
    from bot.wiring import fixing

    data = reviewing.content(review)
    if data is None:
        raise UsageError(f"{review} does not exist: `deeprepo review --format json --output {review}` writes it")
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
    """Mend these findings and say what came of it. The exit code: that of the review for what is left, and 1 for a fix that failed."""
    from bot.cli import reviewing
    from bot.wiring import fixing

    if not rows:
        tell("Nothing can be fixed: no finding has a rewrite or a suggestion that can be applied.")
        return reviewing.exit_code(review_done)
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch, reviewing.progress(quiet=quiet):
        fix, check = fixing.fix_work_tree(review_done, rows, repo, scratch, origin, keep=patch)
    if patch:
        sys.stdout.write(terminal_text(fix.patch) if sys.stdout.isatty() else fix.patch)  # what git applies is exact
    report(fix, check, is_patch=patch)
    mended = {finding.identity for finding in fix.findings}
    rows_left = tuple(
        placed_finding for placed_finding in review_done.findings if placed_finding.finding.identity not in mended
    )
    left = replace(review_done, findings=rows_left)
    return max(reviewing.exit_code(left), CLEAN if fix and check.is_clean and not fix.refusals else FOUND)


def report(fix: "Fix", check: "FixCheck", *, is_patch: bool = False) -> None:
    """Say what was changed, what was not, and what the review of the result reports."""
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
            "A review of the result by code reports "
            + ("nothing new." if unjudged or is_partial else "none of them any more, and nothing new.")
            + (
                f" {count(unjudged, 'finding')} of models can be judged by a model alone: review again."
                if unjudged
                else ""
            )
        )
