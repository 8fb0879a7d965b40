"""`deeprepo review`: a local change in, a review out."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from bot.cli import options
from bot.cli.exits import tell
from bot.levels import Severity
from bot.machine import files
from bot.outputs import Format

RangeOfReview = Annotated[
    str | None, typer.Argument(metavar="BASE..HEAD", help="What to review. Default: HEAD against the default branch.")
]
OutputFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Write to this file instead of standard output.")]
FailOn = Annotated[Severity | None, typer.Option(help="Exit with 1 if a finding is at least this severe.")]
Quota = Annotated[int | None, typer.Option(min=0, help="Findings shown in full (default: 4; critical ones always).")]
JournalFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Record every call and turn in this file (a folder: one file per change). The same command resumes from it.",
    ),
]
TraceFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="As --journal, but start the file from the beginning. `deeprepo trace FILE` shows it."
    ),
]
ShowOption = Annotated[list[options.Show] | None, typer.Option(help=options.SHOW_HELP)]
SarifFiles = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Results of another tool (SARIF 2.1.0): those that the change brings are reported too. Repeatable.",
    ),
]
SarifBaseFiles = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="With --sarif: the same tool's results about the base. What they hold is not new. Repeatable.",
    ),
]
Fix = Annotated[
    bool,
    typer.Option(
        "--fix",
        help="Write the fixes of what was found into the work tree, as `deeprepo fix` does, and review the result by code.",
    ),
]


@options.with_features()
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
    trace: TraceFile = None,
    previous: options.Previous = None,
    full: options.Full = False,
    show: ShowOption = None,
    of_features: Mapping[str, Any] = MappingProxyType({}),
    sarif: SarifFiles = None,
    sarif_base: SarifBaseFiles = None,
    fix: Fix = False,
    quiet: options.Quiet = False,
) -> int:
    """Review a change: what HEAD adds to the default branch, a range, staged or uncommitted work.

    Exit codes: 0 reviewed, or nothing to review; 1 findings at or above --fail-on (with --fix: left); 2 usage error; 3 provider or internal error;
    130 interrupted.
    """
    import asyncio

    from bot import wiring
    from bot.checkout import typed
    from bot.cli import reviewing

    if output is not None:
        files.ready(output)  # said before anything is paid: a review that has nowhere to go would be lost
    choices = {
        "root": root, "worker": worker, "thinking": thinking, "strategy": strategy, "effort": effort, "usd": max_usd,
        "verify": verify, "fail_on": fail_on, "quota": quota,
    }  # fmt: skip
    flags = reviewing.flags(
        choices, of_features=of_features, full=full, previous=previous, sarif=sarif or (), sarif_base=sarif_base or ()
    ) | {"journal": journal, "trace": trace, "local": reviewing.local(repo)}
    request = typed.read(change, repo, staged=staged, uncommitted=uncommitted)
    with reviewing.workplace(request) as scratch, reviewing.progress(form, quiet=quiet) as say:
        if fix and request.head:
            from bot.wiring.fixing import refuse_elsewhere

            refuse_elsewhere(repo, request.head, scratch)  # before anything is paid
        review = asyncio.run(wiring.local_review(request, flags, scratch, say, warn=tell))
    code = reviewing.finish(review, form, output, show=show or (), fixable=None if fix else reviewing.fixable(review))
    if not fix:
        return code
    from bot.cli.fix import carry_out
    from bot.wiring.fixing import fixable

    return carry_out(review, fixable(review), repo, quiet=quiet)
