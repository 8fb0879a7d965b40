"""`deeprepo review`: a local change in, a review out."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from bot.cli.exits import CLEAN, FAULT, FOUND, INTERRUPTED, tell
from bot.errors import NothingToReview, UsageError

if TYPE_CHECKING:
    from bot.values import Review, ReviewRequest


OFFLINE = "No model is configured: only checks by code ran. Set ANTHROPIC_API_KEY or OPENAI_API_KEY to have models read it too."


class StrategyName(StrEnum):
    """Names of the strategies, as data for the parser: the strategies themselves load later."""

    auto = "auto"
    direct = "direct"
    cascade = "cascade"
    fanout = "fanout"
    rlm = "rlm"
    rlm_only = "rlm-only"
    offline = "offline"


class Effort(StrEnum):
    """How far a review goes."""

    none = "none"
    low = "low"
    medium = "medium"
    high = "high"


class Thinking(StrEnum):
    """How long a model that thinks may think."""

    none = "none"
    low = "low"
    medium = "medium"
    high = "high"


class Format(StrEnum):
    """Forms of the output."""

    console = "console"
    markdown = "markdown"
    json = "json"
    sarif = "sarif"


class Level(StrEnum):
    """Severities, worst first."""

    critical = "critical"
    high = "high"
    medium = "medium"
    low = "low"


class Show(StrEnum):
    """What is listed on demand."""

    unproven = "unproven"


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
FULL = typer.Option("--full", help="With --previous: read everything again, repeat every open finding.")
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
    thinking: Annotated[Thinking | None, THINKING] = None,
    strategy: Annotated[StrategyName | None, STRATEGY] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Hard cap in dollars (default: 1.00).")] = None,
    form: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.console,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file instead of standard output.")
    ] = None,
    fail_on: Annotated[Level | None, typer.Option(help="Exit with 1 if a finding is at least this severe.")] = None,
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
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress line.")] = False,
) -> int:
    """Review a change: what HEAD adds to the default branch, a range, staged or uncommitted work.

    Exit codes: 0 reviewed, or nothing to review; 1 findings at or above --fail-on; 2 usage error; 3 provider or internal error;
    130 interrupted.
    """
    from bot.strategies.choice import NO_MODEL
    from bot.wiring import local

    _writable(output)
    flags: dict[str, Any] = {
        "strategy": strategy.value if strategy else None,
        "root": root,
        "worker": worker,
        "effort": effort.value if effort else None,
        "thinking": thinking.value if thinking else None,
        "usd": max_usd,
        "fail_on": fail_on.value if fail_on else None,
        "quota": quota,
        "verify": verify,
        "journal": journal,
        "trace": trace,
        "previous": last(previous),
        "full": full,
    }
    request = asked(change, repo, staged=staged, uncommitted=uncommitted)
    with workplace(request) as scratch:
        result = local.reviewed(request, flags, scratch, partial(progress, quiet=quiet), tell)
    if result.reason == NO_MODEL:
        tell(OFFLINE)
    listed = result if show or form is Format.json else replace(result, unproven=())
    deliver(listed, form.value, output)
    return exit_code(result)


@contextmanager
def workplace(request: "ReviewRequest") -> Iterator[str]:
    """A folder for the time that a change is read. If the change is empty, NothingToReview tells what to type instead."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        try:
            yield scratch
        except NothingToReview as empty:
            raise NothingToReview(nothing(request, behind=empty.behind)) from None


def deliver(review: "Review", form: str, output: Path | None) -> None:
    """Print the review, or write it to a file and say so."""
    from bot.outputs import OUTPUTS
    from bot.render import count

    if form == "console" and output is None:
        from rich.console import Console

        from bot.outputs import console

        console.show(review, Console())
        return
    text = OUTPUTS[form]().render(review)
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        sys.stdout.write(text)  # it may have been paid for
        raise UsageError(f"{output} cannot be written: {error.strerror}") from error
    old = {finding.fingerprint for finding in review.still}  # among the findings as well, if everything was read again
    new = sum(placed.finding.fingerprint not in old for placed in review.findings)
    found = f"{count(new, 'new finding')}, {len(old)} still open" if old else count(new, "finding")
    tell(f"{found}; the review is in {output}")


def _writable(output: Path | None) -> None:
    """Said before anything is paid: a review that has nowhere to go would be lost."""
    if output is None:
        return
    try:
        taken, room = output.is_dir(), output.parent.is_dir()
    except OSError as error:  # a name that is too long
        raise UsageError(f"{output} cannot be written: {error.strerror}") from error
    if taken:
        raise UsageError(f"{output} cannot be written: it is a folder")
    if not room:
        raise UsageError(f"{output} cannot be written: there is no folder {output.parent}")


def exit_code(review: "Review") -> int:
    """What a script sees: an interruption and a fault first, then --fail-on."""
    from bot.values import SEVERITIES

    if review.fault:
        return INTERRUPTED if review.fault == "interrupted" else FAULT
    if review.fail_on is None:
        return CLEAN
    bar = SEVERITIES.index(review.fail_on)
    there = [*(placed.finding for placed in review.findings), *review.still]
    return FOUND if any(SEVERITIES.index(finding.severity) <= bar for finding in there) else CLEAN


def last(previous: Path | None) -> bytes | None:
    """The last review, as it was written. In the first round the file does not exist yet, and the console reports that."""
    if previous is None:
        return None
    try:
        return previous.read_bytes()
    except FileNotFoundError:
        tell(f"{previous} does not exist yet: this is the first round")
        return None
    except OSError as error:
        raise UsageError(f"{previous} cannot be read: {error.strerror}") from error


def asked(change: str | None, repo: str, *, staged: bool, uncommitted: bool) -> "ReviewRequest":
    """What was typed, as a value; in a pre-push hook, what is pushed. Raises UsageError if the parts contradict each other."""
    from bot.config import hook
    from bot.values import ReviewRequest

    if sum((staged, uncommitted, change is not None)) > 1:
        raise UsageError("give one of BASE..HEAD, --staged and --uncommitted")
    if staged or uncommitted:
        return ReviewRequest(repo, "staged" if staged else "uncommitted")
    if change is None and (push := hook.push()) is not None:
        return ReviewRequest(repo, "range", push.base, push.head)
    base, dots, head = (change or "").replace("...", "..").partition("..")
    if change is not None and not dots and base.startswith("-"):
        raise UsageError(f"{change!r} is not a revision")
    return ReviewRequest(repo, "range", base or None, head or None)


def nothing(request: "ReviewRequest", *, behind: bool = False) -> str:
    """What an empty change means, and what to type instead. `behind`: the base has commits that the head lacks."""
    return f"Nothing to review: {_nothing(request, request.head or 'HEAD', behind=behind)}."


def _nothing(request: "ReviewRequest", head: str, *, behind: bool) -> str:
    base = request.base
    if request.scope != "range":
        staged = "nothing is staged (`git add` something, or use --uncommitted)"
        return staged if request.scope == "staged" else "there is no uncommitted work"
    if base and behind:
        return (
            f"{head} has nothing that {base} lacks. `deeprepo review {head}..{base}` reviews what {base} adds to {head}"
        )
    if base:
        alone = f"; `deeprepo review {base}~1..{base}` reviews what {base} itself changes"
        return f"no file differs between {base} and {head}" + ("" if request.head else alone)
    last = (
        ""
        if request.head
        else " (`deeprepo review HEAD~1..HEAD` reviews the last commit, `--uncommitted` what is not committed yet)"
    )
    if last and _shallow(request.repo):
        last = " (this clone is shallow: after `git fetch --unshallow`, `deeprepo review HEAD~1..HEAD` reviews the last commit)"
    return f"{head} adds nothing to the default branch{last}"


def _shallow(repo: str) -> bool:
    from bot.checkout import isolated
    from bot.checkout.locate import locate

    return isolated.shallow(locate(repo))


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line that is rewritten while the review works; silent where standard error is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting", spinner="dots") as status:
        yield lambda text: status.update(f"{text} ...")
