"""`deeprepo review`: review a local change."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli import options
from bot.cli.exits import FOUND, tell
from bot.cli.options import ConsumerClones, RunTests, clones
from bot.levels import Severity
from bot.machine import files
from bot.outputs import Format

RangeOfReview = Annotated[
    str | None,
    typer.Argument(metavar="BASE..HEAD", help="The commits to review. Default: HEAD compared with the default branch."),
]
OutputFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Write to this file instead of standard output.")]
FailOn = Annotated[Severity | None, typer.Option(help="Exit with code 1 if a finding has at least this severity.")]
Quota = Annotated[
    int | None,
    typer.Option(
        min=0, help="How many findings to show in full (default: 4 to 10, by size). Critical findings are always shown."
    ),
]
JournalFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Record the review in this file, or in a new file in this folder. Run the same command again to resume.",
    ),
]
ShowOption = Annotated[list[options.Show] | None, typer.Option(help=options.SHOW_HELP)]
SarifFiles = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="SARIF 2.1.0 results of another tool. Results that are new in the change are reported. Repeatable.",
    ),
]
SarifBaseFiles = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="With --sarif: the same tool's results for the base, which are not reported as new. Repeatable.",
    ),
]
Fix = Annotated[
    bool,
    typer.Option(
        "--fix",
        help="Apply fixes to the work tree, as `deeprepo fix` does, and run static checks on the result.",
    ),
]


def command(
    change: RangeOfReview = None,
    repo: options.RepoFolder = ".",
    staged: options.Staged = False,
    uncommitted: options.Uncommitted = False,
    effort: options.EffortOption = None,
    root: options.RootModel = None,
    worker: options.WorkerModel = None,
    thinking: options.Thinking = None,
    strategy: options.StrategyOption = None,
    max_usd: options.MaxUsd = None,
    form: Annotated[Format, typer.Option("--format", help="Output format.")] = "console",
    output: OutputFile = None,
    fail_on: FailOn = None,
    quota: Quota = None,
    verify: options.Verify = None,
    journal: JournalFile = None,
    previous: options.Previous = None,
    full: options.Full = False,
    show: ShowOption = None,
    consumers: ConsumerClones = None,
    run: RunTests = None,
    sarif: SarifFiles = None,
    sarif_base: SarifBaseFiles = None,
    fix: Fix = False,
    quiet: options.Quiet = False,
) -> int:
    """Review a change: the commits on HEAD that the default branch lacks, a range, or staged or uncommitted work.

    Exit codes: 0 reviewed, or nothing to review; 1 findings at or above --fail-on (with --fix: still unfixed); 2 usage
    error; 3 provider or internal error; 130 interrupted.
    """
    import asyncio

    from bot import checkout
    from bot.cli import reviewing
    from bot.wiring.review import local_review

    if output is not None:
        # Before anything is paid, because the review would be lost if it can't be written
        files.ready(output)
    choices = {
        "root": root, "worker": worker, "thinking": thinking, "strategy": strategy, "effort": effort, "usd": max_usd,
        "verify": verify, "fail_on": fail_on, "quota": quota,
    }  # fmt: skip
    flags = reviewing.flags(
        choices,
        with_clones=clones(consumers) if consumers else (),
        run_tests=run,
        full=full,
        previous=previous,
        sarif=sarif or (),
        sarif_base=sarif_base or (),
    ) | {"journal": journal}
    request = checkout.typed_change(change, repo, staged=staged, uncommitted=uncommitted)
    with reviewing.scratch_folder(request) as scratch, reviewing.progress(form, quiet=quiet) as say:
        if fix and request.head:
            from bot.wiring.fixing import refuse_unless_checked_out

            refuse_unless_checked_out(repo, request.head, scratch)  # before anything is paid
        review = asyncio.run(local_review(request, flags, scratch, say, warn=tell))
    code = reviewing.finish(review, form, output, show=show or (), fixable=None if fix else reviewing.fixable(review))
    if code == FOUND and effort == "none" and change is None and not uncommitted:  # as our git hooks run it
        reviewing.explain_hook_failure(review, push=not staged)
    if not fix:
        return code
    from bot.cli.fix import carry_out

    return carry_out(review, review.fixable, repo, quiet=quiet)
