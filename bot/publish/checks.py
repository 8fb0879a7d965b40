"""The check run of a review: begun when work begins, told how far it is, ended whatever happens."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from bot.errors import HostError
from bot.github import Host
from bot.masking import hide
from bot.outputs import facts, markdown, marker
from bot.publish import PublishResult
from bot.render import Phrases, Safe, comment, line, load, plain, visible
from bot.values import Action, Annotation, Check, Ending, Review
from bot.values.progress import Progress

NAME = "deeprepo"
TITLE, MESSAGE = 250, 8_000  # characters; GitHub takes 255 and 64 KB
LEVELS = {"critical": "failure", "high": "warning", "medium": "warning", "low": "notice"}
AGAIN, FULL = "again", "full"  # the identifiers of the buttons


async def start(host: Host, head: str, run: str, language: str = "en") -> int:
    """The check run of this run: its own after a restart, one that nobody ended, else a new one."""
    words, number = load(language), str(host.pull.number)

    async def find() -> Check | None:
        listed = [one for one in await host.checks.listed(head, NAME) if one.external_id == number]
        own = (one for one in listed if _run(one) == run)
        left = (one for one in listed if not one.ended)
        return next(own, None) or next(left, None)

    said = (words.say("check_running"), _marked(run, words.say("check_begun")))
    found = await find()
    if found is None:
        return (await host.once(find, lambda: host.checks.start(head, NAME, number, *said))).id
    if not found.ended:
        await host.checks.update(found.id, *said)
    return found.id


async def progress(host: Host, number: int, run: str, now: Progress, language: str = "en") -> None:
    """Report what is read, what code has found and how far it is. A failure to report this stops nothing."""
    words, reading = load(language), now.reading
    found = hide.masked(reading.found, reading.found) if reading is not None else ()
    said = comment("publish/progress.md.j2", words, reading=reading, found=found, step=now.step)
    with suppress(HostError):
        await host.checks.update(number, words.say("check_running"), _marked(run, said))


async def done(host: Host, number: int, run: str, review: Review, outcome: PublishResult, page: str = "") -> Ending:
    """End it with what the review came to. `page`: the review as Markdown, where that is made already."""
    words, ending = load(review.language), conclusion(review)
    verdict = facts.verdict(review, words)
    first = comment(
        "publish/check.md.j2",
        words,
        verdict=verdict,
        posted=outcome.posted,
        listed=outcome.listed,
        link=Safe(outcome.summary_url),
        notes=list(outcome.notes),
    )
    await host.checks.done(
        number,
        ending,
        line(verdict)[:TITLE],
        _marked(run, first),
        page or await asyncio.to_thread(markdown.render, review),
        annotations(review, words),
        buttons(words) if host.voice.app else (),
    )
    return ending


async def ended(host: Host, number: int, run: str, says: str, ending: Ending = "neutral", language: str = "en") -> None:
    """End it without a review: it was left out, broken off, or something failed. The sentence says which."""
    words = load(language)
    said = f"{words.say('check_not')}: {says}"
    await host.checks.done(
        number,
        ending,
        line(said)[:TITLE],
        _marked(run, plain(said)),
        "",
        (),
        buttons(words) if host.voice.app else (),
    )


async def let_pass(host: Host, head: str, language: str = "en") -> None:
    """Answer a merge queue for a commit of its own: a queue that requires our check would stall without one."""
    words = load(language)
    listed = await host.checks.listed(head, NAME)
    if any(one.conclusion == "success" for one in listed):
        return
    number = await start(host, head, f"queue-{head}", language)
    says = words.say("check_queue")
    await host.checks.done(number, "success", says[:TITLE], _marked(f"queue-{head}", says))


def conclusion(review: Review) -> Ending:
    """Green only where everything was read and nothing was found; red only if the owner has set a bar and it is reached."""
    if review.reaching(review.fail_on):
        return "failure"
    return "success" if facts.conclusion(review) == "clean" and not review.fault else "neutral"


def annotations(review: Review, words: Phrases) -> tuple[Annotation, ...]:
    """The findings that are on lines of the head, as plain words; what is masked in comments is masked here."""
    safe = hide.secrets(review)
    listed = facts.listing(safe)
    found = [placed.finding for placed in listed.all]  # earlier rounds too: they are on another commit's check run
    return tuple(
        Annotation(
            path=finding.path,
            start=finding.start,
            end=max(finding.start, finding.end),
            level=LEVELS[finding.severity],  # type: ignore[arg-type]
            title=visible(
                line(
                    f"{words.say(finding.severity).capitalize()} · {f'{finding.number}. ' if finding.number else ''}{finding.title}"
                )
            )[:TITLE],
            message=visible("\n\n".join(filter(None, (finding.why, finding.consequence))))[:MESSAGE] or finding.title,
        )
        for finding in found
        if finding.side == "head" and finding.start
    )


def buttons(words: Phrases) -> Sequence[Action]:
    """What a person can ask for on the check run. Who writes with a workflow's token never hears of a button pressed."""
    return tuple(Action(words.say(f"button_{name}"), words.say(f"button_{name}_about"), name) for name in (AGAIN, FULL))


def _run(check: Check) -> str:
    return (marker.read(check.summary) or {}).get("run", "")


def _marked(run: str, text: str) -> str:
    return f"{marker.make('check', run=run)}\n{text}"
