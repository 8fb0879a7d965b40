"""Decide whether and how a pull request is reviewed, from the settings and from who asked.

Pure.

A command or a button always gets a review if one is possible. The rules apply to automatic reviews. Each
refusal is a sentence that the check run shows, so that a person knows what to do.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING

from bot import globs
from bot.config import FILE
from bot.values.ask import ASKED, ReviewAsk, Trigger
from bot.values.host import CheckConclusion, PullFacts
from bot.values.review import Lack
from bot.values.ruling import is_threshold_set

if TYPE_CHECKING:
    from bot.config import Config

HOW = "Comment `/deeprepo review` to review it anyway"


@dataclass(frozen=True, slots=True)
class Go:
    """Review it. `offline`: without any model, for the reason that is given."""

    offline: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class No:
    """Don't review it.

    `reason` follows "Not reviewed:". `quiet`: only log the reason, because no person waits for an answer. `lacks`:
    whether the owner's settings exclude it, or it should have been reviewed. `is_followed`: a rule excludes this
    head, so earlier findings are updated for it.
    """

    reason: str
    quiet: bool = False
    lacks: Lack = "left out"
    is_followed: bool = False


def has_bar(settings: "Config") -> bool:
    """Return whether a failure threshold is set: `fail_on`, or an instruction that fails the check."""
    return is_threshold_set(settings.fail_on, (each.must for each in settings.must_hold))


def without_review(settings: "Config", lacks: Lack = "unreviewed") -> CheckConclusion:
    """Return the check's conclusion for a head without a review.

    With a failure threshold, only a review can pass. If the owner's own settings exclude the pull request,
    the conclusion is neutral, unless `strict` is set.
    """
    if lacks == "nothing":
        return "success"
    is_failure = has_bar(settings) and (lacks == "unreviewed" or settings.strict)
    return "failure" if is_failure else "neutral"


def bound(ask: ReviewAsk, facts: PullFacts, *, stranger: bool = False) -> ReviewAsk:
    """Limit a request to the commit and the base branch that the person saw, now that the head is known.

    The author of a pull request from a fork can push to it at any time. If their later commits inherited the
    command, one command would pay for all of them. In the repository's own branches, only people with write
    permission push, and they could give the command themselves. An author without write permission
    (`stranger`) can also change the base branch.
    """
    is_moved = facts.fork and ask.head not in ("", facts.head_sha)
    is_rebased = (facts.fork or stranger) and ask.base not in ("", facts.base_ref)
    if ask.trigger not in ASKED or not (is_moved or is_rebased):
        return ask
    return replace(ask, trigger="push", full=False)


def decide(
    facts: PullFacts,
    ask: ReviewAsk,
    settings: "Config",
    *,
    is_paused: bool = False,
    pushes: int = 0,
    stranger: bool = False,
) -> Go | No:
    """Return whether this pull request is reviewed for this reason.

    If `pushes` is set, reviews pause after that many pushes.

    `stranger`: whether its author has no write permission. A draft, a push, a size or a fork by such an
    author leaves a head unreviewed, and that is not the owner's choice.
    """
    is_requested = ask.trigger in ASKED
    if facts.state != "open":
        end_state = "merged" if facts.merged else "closed"
        return No(f"the pull request is {end_state}.", quiet=not is_requested)
    by_author: Lack = "unreviewed" if stranger else "left out"
    if not is_requested:
        paused = (
            ("reviews of this pull request are paused (`/deeprepo resume` turns them on again)",) if is_paused else ()
        )
        objection = next(chain(_maintainer_objections(facts, settings), paused), None)
        if objection is not None:
            return No(f"{objection}. {HOW}.", is_followed=True)
        pause_reason = f"automatic reviews pause after {pushes} push{'es' if pushes > 1 else ''} (`pause_after`)"
        waits = next(
            chain(_brought(facts, (ask.trigger, *ask.also), settings), (pause_reason,) if pushes else ()), None
        )
        if waits is not None:
            return No(f"{waits}. {HOW}.", lacks=by_author, is_followed=True)
    decision = _size(facts, settings, is_requested=is_requested)
    return replace(decision, lacks=by_author) if isinstance(decision, No) else decision


def asks_for_paths(settings: "Config", trigger: Trigger) -> bool:
    """Return whether the changed files decide about a review for this reason."""
    return trigger not in ASKED and bool(settings.triggers.paths)


def decide_on_paths(paths: Sequence[str], settings: "Config", trigger: Trigger) -> Go | No:
    """Decide again, now that the changed files are known."""
    wanted = settings.triggers.paths
    if not asks_for_paths(settings, trigger) or any(globs.matches(wanted, path) for path in paths):
        return Go()
    patterns = ", ".join(f"`{pattern}`" for pattern in wanted)
    return No(
        f"no changed file matches `triggers.paths` ({patterns}) in {settings.file_of('paths')}. {HOW}.",
        is_followed=True,
    )


def skips_title(title: str, settings: "Config") -> bool:
    """Return whether pull requests with this title are not reviewed."""
    return any(fnmatchcase(title.lower(), pattern.lower()) for pattern in settings.triggers.skip_titles)


def is_skip_changed(before: str, now: str, settings: "Config") -> bool:
    """Return whether the settings skip a pull request under exactly one of its two titles."""
    return skips_title(before, settings) != skips_title(now, settings)


def fork_limit_message(limit: float, source: str = FILE) -> str:
    """Return why no model reads a stranger's change today. `source`: where the limit is set."""
    return (
        f"authors without write permission used up `triggers.fork_reviews_per_day` ({limit:g}) in {source} for these 24 hours; "
        "someone with write permission can comment `/deeprepo review` for a review with a model."
    )


def _maintainer_objections(facts: PullFacts, settings: "Config") -> Iterator[str]:
    """Yield each reason not to review that only people of the repository can cause, most important first."""
    triggers, of = settings.triggers, settings.file_of
    if facts.author_type == "Bot" and not triggers.bots:
        yield f"a bot opened it, and `triggers.bots` in {of('bots')} is off"
    if facts.author.lower() in {name.lower() for name in _logins(triggers.skip_authors)}:
        yield f"`triggers.skip_authors` in {of('skip_authors')} lists its author"
    if triggers.branches and not any(fnmatchcase(facts.base_ref, pattern) for pattern in triggers.branches):
        yield f"`triggers.branches` in {of('branches')} does not list its base branch"
    lower_labels = {label.lower() for label in facts.labels}  # GitHub does not tell labels apart by their letters' case
    bad = next((label for label in triggers.skip_labels if label.lower() in lower_labels), None)
    if bad is not None:
        yield f"it has the label `{bad}`, one of `triggers.skip_labels` in {of('skip_labels')}"
    if triggers.labels and not lower_labels & {label.lower() for label in triggers.labels}:
        yield f"it has none of the labels in `triggers.labels` in {of('labels')}"


def _brought(facts: PullFacts, events: Sequence[Trigger], settings: "Config") -> Iterator[str]:
    """Yield each reason not to review that the author of the change can cause.

    A missed push may have been any event.
    """
    triggers, of = settings.triggers, settings.file_of
    if facts.draft and not triggers.drafts:
        yield "it is a draft"
    if skips_title(facts.title, settings):
        yield f"its title matches `triggers.skip_titles` in {of('skip_titles')}"
    if not any(bool(triggers.events) if event == "catch-up" else event in triggers.events for event in events):
        yield f"`triggers.events` in {of('events')} does not list this event"
    if facts.fork and not triggers.forks:
        yield f"it comes from a fork, and `triggers.forks` in {of('forks')} is off"


def _logins(names: Iterable[str]) -> Iterator[str]:
    """A bot may be named with and without its ending."""
    for name in names:
        yield from (name, f"{name}[bot]")


def _size(facts: PullFacts, settings: "Config", *, is_requested: bool) -> Go | No:
    """Beyond some size a diff is a vendored library or a generated file, and money spent on reading it is lost."""
    triggers = settings.triggers
    files, lines = facts.changed_files, facts.additions + facts.deletions
    size = f"the pull request changes {files:,} files and {lines:,} lines"
    if files > triggers.skip_files or lines > triggers.skip_lines:
        limit = f"the limit is {triggers.skip_files:,} files or {triggers.skip_lines:,} lines"
        if is_requested:
            return Go(offline=True, reason=f"Reviewed with static checks only: {size} ({limit}).")
        return No(f"{size} ({limit}). {HOW}, without a model.")
    if not is_requested and (files > triggers.offline_files or lines > triggers.offline_lines):
        limit = f"the limit is {triggers.offline_files:,} files or {triggers.offline_lines:,} lines"
        return Go(
            offline=True,
            reason=f"Reviewed with static checks only: {size} ({limit}). {HOW} with a model, if one is configured.",
        )
    return Go()
