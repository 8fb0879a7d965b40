"""`deeprepo review`: a local change in, a review out."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from bot.cli.exits import tell
from bot.errors import UsageError

# What the parser lets through, as data: the parts that these names mean load later.
Effort = Literal["none", "low", "medium", "high"]  # how far a review goes, and how long a model that thinks may think
Format = Literal["console", "markdown", "json", "sarif"]
Level = Literal["critical", "high", "medium", "low"]


class StrategyName(StrEnum):
    """Names of the strategies."""

    auto = "auto"
    direct = "direct"
    cascade = "cascade"
    fanout = "fanout"
    rlm = "rlm"
    rlm_only = "rlm-only"
    offline = "offline"


class Show(StrEnum):
    """What is listed on demand."""

    unproven = "unproven"


class Lacking(StrEnum):
    """What a review lacks."""

    cut = "cut"
    dropped = "dropped"
    open = "open"


class OneChange(TyperCommand):
    """A command about one change. Two revisions, as `git diff` takes them, are answered with the range that they mean."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - of the command line's own library
        """As always, except for what is left over."""
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest:
            first, (second, *others) = ctx.params["change"], rest
            plain = not others and ".." not in first + second
            raise UsageError(
                f"a change is one argument: `{ctx.command_path} {first}..{second}`"
                if plain
                else f"unexpected argument {second!r}: a change is one argument, BASE..HEAD"
            )
        return rest


EFFORT = typer.Option(
    help="How far the review goes (default: medium): none: by code alone; low: one reading; medium: a root model follows "
    "what that leaves open; high: it does in any case."
)
STRATEGY = typer.Option(hidden=True)  # for comparisons: docs/effort.md
THINKING = typer.Option(help="How much models that think may think (default: low; medium for the root).")
JOURNAL = typer.Option(
    metavar="FILE",
    help="Record every call and turn in this file (a folder: one file per change). The same command resumes from it.",
)
TRACE = typer.Option(
    metavar="FILE", help="As --journal, but start the file from the beginning. `deeprepo trace FILE` shows it."
)
PREVIOUS = typer.Option(
    metavar="FILE", help="The JSON output of the last review of this change: read only what is new since then."
)
SARIF = typer.Option(
    metavar="FILE",
    help="Results of another tool (SARIF 2.1.0): those that the change brings are reported too. Repeatable.",
)
SARIF_BASE = typer.Option(
    metavar="FILE", help="With --sarif: the same tool's results about the base. What they hold is not new. Repeatable."
)
FAIL_ALSO = typer.Option(
    help="With --fail-on: exit with 1 also if anything is open, a limit cut the review off, or findings have no judgement. "
    "Added to `fail_also` of the settings. Repeatable."
)
WITH = typer.Option(
    "--with",
    metavar="PATH",
    help="A clone of a repository that uses this one (PATH@REVISION: at that commit): what the change breaks there is reported. Repeatable.",
)
FULL = typer.Option("--full", help="With --previous: read everything again, repeat every open finding.")
RUN = typer.Option(
    "--run/--no-run",
    help="Let tests that a model writes run in a sandbox, if .deeprepo.yml of the base branch has a section `run`.",
)
FIX = typer.Option(
    "--fix",
    help="Write the fixes of what was found into the work tree, as `deeprepo fix` does, and review the result by code.",
)
SHOW = typer.Option(help="Also list findings that a second call did not confirm (unproven).")


def command(
    change: Annotated[
        str | None,
        typer.Argument(metavar="BASE..HEAD", help="What to review. Default: HEAD against the default branch."),
    ] = None,
    repo: Annotated[str, typer.Option(help="The git repository.", metavar="DIR")] = ".",
    staged: Annotated[bool, typer.Option("--staged", help="Review what is in the index.")] = False,
    uncommitted: Annotated[bool, typer.Option("--uncommitted", help="Review all local work, new files too.")] = False,
    effort: Annotated[Effort | None, EFFORT] = None,
    root: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The model that orchestrates.")] = None,
    worker: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The cheap model that reads.")] = None,
    thinking: Annotated[Effort | None, THINKING] = None,
    strategy: Annotated[StrategyName | None, STRATEGY] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Hard cap in dollars (default: 1.00).")] = None,
    form: Annotated[Format, typer.Option("--format", help="Output format.")] = "console",
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file instead of standard output.")
    ] = None,
    fail_on: Annotated[Level | None, typer.Option(help="Exit with 1 if a finding is at least this severe.")] = None,
    fail_also: Annotated[list[Lacking] | None, FAIL_ALSO] = None,
    quota: Annotated[
        int | None, typer.Option(min=0, help="Findings shown in full (default: 4; critical ones always).")
    ] = None,
    verify: Annotated[
        bool | None, typer.Option("--verify/--no-verify", help="Have a model's findings checked by a second call.")
    ] = None,
    journal: Annotated[str | None, JOURNAL] = None,
    trace: Annotated[str | None, TRACE] = None,
    previous: Annotated[Path | None, PREVIOUS] = None,
    full: Annotated[bool, FULL] = False,
    show: Annotated[list[Show] | None, SHOW] = None,
    run: Annotated[bool | None, RUN] = None,
    sarif: Annotated[list[Path] | None, SARIF] = None,
    sarif_base: Annotated[list[Path] | None, SARIF_BASE] = None,
    consumers: Annotated[list[str] | None, WITH] = None,
    fix: Annotated[bool, FIX] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress line.")] = False,
) -> int:
    """Review a change: what HEAD adds to the default branch, a range, staged or uncommitted work.

    Exit codes: 0 reviewed, or nothing to review; 1 findings at or above --fail-on; 2 usage error; 3 provider or internal error;
    130 interrupted.
    """
    from bot.cli import reviewing
    from bot.wiring import local

    reviewing.writable(output)
    flags: dict[str, Any] = {
        "strategy": strategy.value if strategy else None,
        "root": root,
        "worker": worker,
        "effort": effort,
        "thinking": thinking,
        "usd": max_usd,
        "fail_on": fail_on,
        "more_fail_also": tuple(one.value for one in fail_also or ()),
        "quota": quota,
        "verify": verify,
        "allow_run": run,
        "journal": journal,
        "trace": trace,
        "previous": reviewing.last(previous),
        "full": full,
        "local": reviewing.local(repo),
        "with": tuple(consumers or ()),
        "sarif": reviewing.contents(sarif),
        "sarif_base": reviewing.contents(sarif_base),
        "deciding": reviewing.deciding(
            {"--previous": [previous] if previous else [], "--sarif": sarif or [], "--sarif-base": sarif_base or []}
        ),
    }
    request = reviewing.read_request(change, repo, staged=staged, uncommitted=uncommitted)
    with reviewing.workplace(request) as scratch:
        review = local.run_review(request, flags, scratch, partial(reviewing.progress, form, quiet=quiet), tell)
    code = reviewing.finish(review, form, output, unproven=bool(show))
    if not fix:
        return code
    from bot.cli.fix import carry_out
    from bot.wiring.fixing import fixable

    return max(code, carry_out(review, fixable(review), repo, quiet=quiet))
