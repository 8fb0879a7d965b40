"""Run `deeprepo review` once its options are parsed."""

import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot import verdict
from bot.cli.exits import say, tell, terminal_text
from bot.errors import NothingToReview, UsageError
from bot.machine import extras, files

if TYPE_CHECKING:
    from bot.values import Review, TypedChange

OFFLINE = (
    "No model is configured, so only static checks ran. Set ANTHROPIC_API_KEY or OPENAI_API_KEY to add a model review."
)


def finish(
    review: "Review",
    form: str = "console",
    output: Path | None = None,
    *,
    show: Collection[str] = (),
    fixable: int | None = 0,
) -> int:
    """Print the review, and return the exit code.

    `fixable`: how many findings --fix could fix, or None if --fix was given.
    """
    from bot.review.strategies import NO_MODEL

    if review.strategy.reason == NO_MODEL and not _is_short(review, form, output):
        tell(OFFLINE)
    deliver(review, form, output, show=show, fixable=fixable)
    return verdict.of(review).exit_code


def fixable(review: "Review") -> int:
    """Return how many findings --fix could fix; 0 in a hook, where users can't add the option."""
    from bot.config.settings import is_hook

    return 0 if is_hook() else len(review.fixable)


@contextmanager
def scratch_folder(request: "TypedChange") -> Iterator[str]:
    """Yield a temporary folder for a review.

    If the change is empty, replace the message of NothingToReview with one that says what to type instead.
    """
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        try:
            yield scratch
        except NothingToReview as empty:
            from bot import checkout

            raise NothingToReview(checkout.explain_empty(request, behind=empty.behind)) from None


def deliver(
    review: "Review", form: str, output: Path | None, *, show: Collection[str] = (), fixable: int | None = 0
) -> None:
    """Print the review, or write it to a file and print a message. `show`: values of `options.Show`."""
    from bot.outputs import OUTPUTS
    from bot.render import count

    if "unproven" not in show and form != "json":
        review = review.without_unproven()
    if form == "console" and output is None:
        from rich.console import Console

        from bot.outputs import console, facts

        if _is_short(review, form, output):
            say(f"deeprepo: {facts.summary(review).result}")
            return
        missing = review.coverage.not_installed
        needed = [
            extra for extra in ("lint", "types") if any((name == "tsc") == (extra == "types") for name in missing)
        ]
        remedy = extras.install(",".join(needed)) if needed else ""
        console.show(review, Console(), console.Extent("all" in show, fixable, remedy))
        return
    text = OUTPUTS[form]().render(review)
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    try:
        files.write(output, text)
    except UsageError:
        sys.stdout.write(text)  # don't lose a review that may have been paid for
        raise
    new, old = len(review.findings_with_status("new")), len(review.findings_with_status("still"))
    count_text = f"{count(new, 'new finding')}, {old} still open" if old else count(new, "finding")
    tell(f"{count_text}; wrote the review to {output}")


def _is_short(review: "Review", form: str, output: Path | None) -> bool:
    """Return whether one line is enough, because a hook's review found nothing and has no notes."""
    from bot.config.settings import is_hook

    is_clean = verdict.of(review).conclusion == "clean" and not (review.notes or review.findings or review.cut.failure)
    return form == "console" and output is None and is_clean and is_hook()


def explain_hook_failure(review: "Review", *, push: bool) -> None:
    """If a hook stopped a commit or push, explain what the user can do."""
    from bot.config import FILE
    from bot.config.settings import is_hook

    if not is_hook():
        return
    mark = next((finding.identity for finding in verdict.reaching(review, review.settings.fail_on)), "FINDING")
    again = "git push --no-verify" if push else "git commit --no-verify"
    tell(
        f"The {'push' if push else 'commit'} was stopped. To continue without this check: `{again}`. If a finding is wrong, "
        f"add `- finding: {mark}` to `ignore` in {FILE} on the base branch."
    )


def last(previous: Path | None) -> bytes | None:
    """Return the contents of the previous review's file, or None without one.

    If the file doesn't exist yet, print a message that this is the first review.
    """
    data = None if previous is None else content(previous)
    if previous is not None and data is None:
        tell(f"{previous} does not exist yet, so this is the first review")
    return data


def content(path: Path) -> bytes | None:
    """Return the contents of a review's JSON file, or None if it doesn't exist. Raises UsageError."""
    from bot.stored import reviews

    data = _beginning(path, reviews.MAX_BYTES + 1) if path.exists() else None
    if data is not None and len(data) > reviews.MAX_BYTES:
        raise UsageError(f"{path} is too large to be the JSON output of `deeprepo review`")
    return data


def _beginning(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def flags(
    choices: Mapping[str, Any],
    *,
    full: bool,
    previous: Path | None,
    with_clones: Sequence[str] = (),
    run_tests: bool | None = None,
    sarif: Sequence[Path] = (),
    sarif_base: Sequence[Path] = (),
) -> dict[str, Any]:
    """Return the flags for `wiring.local_review` and `wiring.local`.

    Raises UsageError if a file cannot be read.
    `choices` are settings by name.
    """
    files_by_option = {"--previous": [previous] if previous else [], "--sarif": sarif, "--sarif-base": sarif_base}
    return {
        **choices,
        "with_clones": with_clones,
        "run_tests": run_tests,
        "full": full,
        "previous": last(previous),
        "sarif": _contents(sarif),
        "sarif_base": _contents(sarif_base),
        # Files that affect what is read or reported, each with its option. They must not be part of the
        # change.
        "deciding": tuple((option, str(path)) for option, paths in files_by_option.items() for path in paths),
    }


def _contents(paths: Sequence[Path]) -> tuple[tuple[str, bytes], ...]:
    """One byte above the limit shows that a file is too long. Raises UsageError."""
    if not paths:
        return ()
    from bot.findings import sarif_results

    return tuple((str(path), _beginning(path, sarif_results.MAX_SARIF_BYTES + 1)) for path in paths)


@contextmanager
def progress(form: str = "console", *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a progress line if stderr is a terminal, and yield the function that updates it."""
    if form == "console":  # loaded now, while this process would otherwise just wait for the review's child process
        import_module("bot.outputs.console")
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("starting", spinner="dots") as status:
        yield lambda text: status.update(Text(f"{terminal_text(text)} ..."))
