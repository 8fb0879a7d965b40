"""The check run of a review: begun when work begins, told how far it is, ended whatever happens."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace

from bot.errors import HostError, HostRefused
from bot.github import Host
from bot.masking import hide
from bot.outputs import facts, markdown, marker
from bot.publish import PublishResult, check_runs
from bot.publish.standing import BADNESS, QUEUE, CheckResult, CommitState, How, Standing, fold, waits_for, worst
from bot.render import Phrases, Safe, comment, line, load, plain, visible
from bot.values import Action, Annotation, Check, Ending, PullFacts, Review
from bot.values.progress import Progress

NAME = "deeprepo"
TITLE, MESSAGE = 250, 8_000  # characters; GitHub takes 255 and 64 KB
LEVELS = {"critical": "failure", "high": "warning", "medium": "warning", "low": "notice"}
CHECK_LEVELS = {"fail": "failure", "warn": "warning", "note": "notice"}  # of the team's own, by severity
STOPS = BADNESS.index("neutral")  # the worst that lets a commit pass
MOST_PAGES, PAGE = 10, 100  # of open pull requests, those first on which something happened last
MOST_PULLS = 20  # that are asked for one by one, in a repository with too many open ones to list
AGAIN, FULL = "again", "full"  # the identifiers of the buttons


@dataclass(frozen=True, slots=True)
class CheckOwner:
    """The review that a check run in progress belongs to, as the check run states it."""

    run: str
    language: str = "en"
    base: str = ""  # the branch that the commit is compared with
    broken_ending: Ending = "neutral"  # how the check run ends if the review is given up

    def mark(self, text: str) -> str:
        """Return a text of the check run with its owner, for a later run to read."""
        return _mark(text, run=self.run, base=self.base, broken=self.broken_ending)


@dataclass(frozen=True, slots=True)
class QueueAnswer:
    """What the check of a merge queue reports: how it ends, and the key of the sentence, with the pull request or the reason that it names."""

    says: str
    ending: Ending = "failure"
    other: int = 0
    reason: str = ""


PASSES = QueueAnswer("check_queue", "success")
FAILED = QueueAnswer("check_queue_stops")  # the check of its pull request does not pass
UNREVIEWED = QueueAnswer("check_queue_unreviewed")  # no review of its head is below the bar in force
UNKNOWN = QueueAnswer("check_queue_unknown")  # nobody can tell how its pull request stands


@dataclass(frozen=True, slots=True)
class _Ending:
    """A check run that is ended: what it came to for its own pull request, and its words."""

    number: int
    run: str
    head: str
    own: CheckResult
    title: str
    text: str
    page: str = ""
    annotations: tuple[Annotation, ...] = ()


async def start(host: Host, head: str, owner: CheckOwner) -> int:
    """Return the check run of this review: its own after a restart, one that nobody ended, else a new one."""
    words, number = load(owner.language), str(host.pull.number)

    async def find() -> Check | None:
        own_checks = [one for one in await check_runs.list_runs(host, head, NAME) if one.external_id == number]
        own = (one for one in own_checks if _facts(one).get("run") == owner.run)
        left = (one for one in own_checks if not _came(one))
        return next(own, None) or next(left, None)

    output = (words.say("check_running"), owner.mark(words.say("check_begun")))
    own_check = await find()
    if own_check is None:
        return (await host.once(find, lambda: check_runs.start(host, head, NAME, number, *output))).id
    if not _came(own_check):
        await check_runs.update(host, own_check.id, *output)
    return own_check.id


async def progress(host: Host, number: int, owner: CheckOwner, now: Progress) -> None:
    """Report what is read, what code has found and how far it is. A failure to report this stops nothing."""
    words, reading = load(owner.language), now.reading
    findings = hide.mask_findings(reading.worst_findings, reading.worst_findings) if reading is not None else ()
    text = comment("publish/progress.md.j2", words, reading=reading, found=findings, step=now.step)
    with suppress(HostError):
        await check_runs.update(host, number, words.say("check_running"), owner.mark(text))


async def end_with_review(
    host: Host, number: int, run: str, review: Review, outcome: PublishResult, page: str = "", *, is_last: bool = False
) -> Ending:
    """End it with what the review came to. `page`: the review as Markdown, where that is made already. `is_last`: see `_end`."""
    words, ending = load(review.language), conclusion(review)
    verdict = facts.verdict(review, words)
    first = comment(
        "publish/check.md.j2",
        words,
        verdict=verdict,
        lacks=[words.say(f"lacks_{name}") for name in review.lacking],
        posted=outcome.posted_count,
        listed=outcome.listed_count,
        link=Safe(outcome.summary_url),
        notes=list(outcome.notes),
    )
    one = _Ending(
        number,
        run,
        review.pull.head,
        CheckResult(host.pull.number, review.pull.base_name, ending, "reviewed"),
        line(verdict)[:TITLE],
        first,
        page or await asyncio.to_thread(markdown.render, review),
        annotations(review, words),
    )
    await _end(host, one, words, {host.pull.number: review.pull.base_name}, is_last=is_last)
    return ending


async def again(host: Host, run: str, review: Review, outcome: PublishResult, page: str) -> None:
    """Show what the review comes to now in the check run in which this run has ended it, if there is one."""
    mine = [one for one in await _list(host, review.pull.head) if _facts(one).get("run") == run and _came(one)]
    if mine and _how(_facts(mine[-1])) == "reviewed":
        await end_with_review(host, mine[-1].id, run, review, outcome, page)


async def end_without_review(
    host: Host,
    number: int,
    run: str,
    says: str,
    ending: Ending | None = None,
    language: str = "en",
    *,
    head: str = "",
    is_declined: bool = False,
    rules: str = "",
    is_last: bool = True,
) -> None:
    """End it without a review: it was left out (`is_declined`, by the owner's own `rules`), broken off, or something failed. The sentence says which.

    `ending`: None for the one that was fixed when it began. `head`: the commit that it is on; left out, the pull request's head is asked for:
    a check run on another commit is ended by itself. `is_last`: see `_end`.
    """
    words, head = load(language), head or (await host.facts()).head_sha
    checks = await check_runs.list_runs(host, head, NAME)
    marker_facts = next((_facts(one) for one in checks if one.id == number), None)
    says = f"{words.say('check_not')}: {says}"
    how: How = "declined" if is_declined else "broken"
    own = ending or _word((marker_facts or {}).get("broken", "")) or "cancelled"
    check_result = CheckResult(host.pull.number, (marker_facts or {}).get("base", ""), own, how, rules)
    one = _Ending(number, run, head, check_result, line(says)[:TITLE], plain(says))
    if marker_facts is None:
        await _write(host, one, CommitState(), words)
    else:
        await _end(host, one, words, {}, is_last=is_last)


async def let_pass(host: Host, head: str, answer: QueueAnswer, language: str = "en") -> None:
    """Answer a merge queue for a commit of its own: a queue that requires our check would stall without one."""
    words, run = load(language), f"queue-{head}"
    if any(one.is_over and _facts(one).get("run") == run for one in await check_runs.list_runs(host, head, NAME)):
        return
    number = await start(host, head, CheckOwner(run, language))
    says = words.say(answer.says, pull=Safe(f"#{answer.other}"), reason=plain(answer.reason))
    await check_runs.end(host, number, answer.ending, line(says)[:TITLE], _mark(says, run=run))
    await _settle(host, head, words, {})


async def standing(host: Host, facts: PullFacts) -> CommitState:
    """What counts for the head of a pull request now."""
    return await _state(host, facts.head_sha, _rows(await _list(host, facts.head_sha)), *_own_place(host, facts))


async def last_ending(host: Host, head: str, number: int, base: str) -> Ending | None:
    """What the last review of a commit came to for a pull request and a branch, with what people have said since; None if GitHub has no such check run."""
    rows: list[CheckResult] = []
    with suppress(HostRefused):
        rows = _with_bases(_rows(await _list(host, head)), {number: base})
    return fold(rows, {}).outcome((number, base)).last_ending


async def settle(host: Host, facts: PullFacts, language: str = "en") -> CommitState:
    """Have the check runs on the head of a pull request show the worst of what is open for it.

    Called after each event that may change it, and before the review that one asks for: what has no outcome of its own is not
    reviewed, whatever else has passed with the same commit.
    """
    return await _settle(host, facts.head_sha, load(language), *_own_place(host, facts))


def _own_place(host: Host, facts: PullFacts) -> tuple[Mapping[int, str], int]:
    """What its facts tell of a pull request itself: the lists of GitHub may be late."""
    number = host.pull.number
    return ({number: facts.base_ref}, 0) if facts.state == "open" else ({}, number)


async def _settle(host: Host, head: str, words: Phrases, sure: Mapping[int, str], gone_pull: int = 0) -> CommitState:
    """Change those that show something else: the newest, that of each open pull request, and what waits in vain.

    Two that end at the same moment both look afterwards, so the later one sees both.
    """
    checks = await _list(host, head)
    if not any(_came(one) for one in checks):
        return CommitState()
    state = await _state(host, head, _rows(checks), sure, gone_pull)
    last = {_pull(one): one for one in checks}  # of each pull request
    for one in filter(_came, checks):
        counts = one is checks[-1] or (last[_pull(one)] is one and _pull(one) in state.open)
        outcome = _outcome_to_show(state.ending or _own(one), one)
        if (counts and _shows(one) != outcome) or (not one.is_over and outcome != "pending"):
            await _show(host, one, state, words)
    return state


def _came(one: Check) -> bool:
    """Whether it has come to its end, also where it shows again that something else is waited for."""
    return one.is_over or "own" in _facts(one)


def _shows(one: Check) -> Standing | None:
    return _word(one.conclusion) if one.is_over else "pending"


def _outcome_to_show(ending: Standing, one: Check) -> Standing:
    """What a check run has to show. That of a merge queue lets pass or stops: it differs only if the commit is to be stopped."""
    own = _own(one)
    return own if _pull(one) == QUEUE and max(BADNESS.index(own), STOPS) >= BADNESS.index(ending) else ending


async def _show(host: Host, one: Check, state: CommitState, words: Phrases, least: Standing | None = None) -> None:
    """Change what a check run that has ended shows; what it came to by itself stays in its marker."""
    marker_facts = _facts(one)
    text, title = one.summary.replace("\r\n", "\n"), one.title
    text = text.partition("\n")[2] if marker_facts else text
    if marker_facts.get("lead"):
        lead, _, text = text.partition("\n\n")
        title = title.removeprefix(f"{lead} ")
    ended = _Ending(one.id, marker_facts.get("run", ""), one.head, _result(one), title, text, one.text)
    await _write(host, ended, state, words, least)


async def _end(host: Host, one: "_Ending", words: Phrases, sure: Mapping[int, str], *, is_last: bool) -> None:
    """End a check run with the worst of what is open for its commit, and look once more whether that is what stands.

    In the last try (`is_last`) it ends also if GitHub refuses to tell what is open: nothing else would end it.
    """
    checks = await _list(host, one.head)
    before = _rows(each for each in checks if each.id < one.number)
    after = _rows(each for each in checks if each.id > one.number)
    rows = [*before, one.own, *after]
    try:
        state = await _state(host, one.head, rows, sure)
    except HostRefused:
        if not is_last:
            raise
        await _end_by_rows(host, one, words, rows, checks)
        return
    await _write(host, one, state, words)
    with suppress(HostRefused) if is_last else nullcontext():
        await _settle(host, one.head, words, {})


async def _end_by_rows(
    host: Host, one: "_Ending", words: Phrases, rows: Sequence[CheckResult], checks: Sequence[Check]
) -> None:
    """End it by what the check runs on its commit say, as if each of their pull requests were open: never better than its own end.

    Where another one waits for something, so does this one. The next event that may change it asks GitHub again.
    """
    bases = {row.pull: row.base for row in rows if row.pull != QUEUE} | {one.own.pull: one.own.base}
    state = fold(_with_bases(rows, bases), bases)
    others = [each for each in checks if _came(each) and each.id != one.number]
    waits: Standing | None = "pending" if any(not each.is_over for each in others) else None
    least = worst((one.own.ending, waits))
    await _write(host, one, state, words, least)
    ending = worst((state.ending, least))
    if others and others[-1].id > one.number and worst((_shows(others[-1]), ending)) != _shows(others[-1]):
        await _show(host, others[-1], state, words, least)


async def _write(host: Host, one: "_Ending", state: CommitState, words: Phrases, least: Standing | None = None) -> None:
    """Write it with what the state comes to, or `least` if that is worse."""
    own, lead = one.own, _lead(one.own, state, words)
    marker_facts = {"run": one.run, "base": own.base, "own": own.ending, "how": own.how}
    marker_facts |= ({"rules": own.rules} if own.rules else {}) | ({"lead": "1"} if lead else {})
    text = _mark(f"{lead}\n\n{one.text}" if lead else one.text, **marker_facts)
    ending = worst((state.ending or own.ending, least))
    await check_runs.end(
        host,
        one.number,
        None if ending == "pending" else ending,
        f"{lead} {one.title}"[:TITLE] if lead else one.title,
        text,
        one.page,
        one.annotations,
        buttons(words) if host.voice.app else (),
    )


def _lead(own: CheckResult, state: CommitState, words: Phrases) -> str:
    """Why a check run shows something else than what it came to by itself; empty if it does not."""
    blame, differs = state.blame, state.ending not in (None, own.ending)
    is_declined = own.how == "declined" and state.outcome((own.pull, own.base)).last_ending is not None
    if differs and blame == own.pull and state.ending == "pending":
        why = words.say("check_waits", base=plain(state.open[own.pull]))
    elif differs and blame == QUEUE:
        why = words.say(FAILED.says)
    elif differs and blame not in (None, own.pull):
        key = (
            "check_waits_other" if state.ending == "pending" else "check_of_other" if _stops(state) else "check_counts"
        )
        why = words.say(key, pull=Safe(f"#{blame}"))
    else:
        why = words.say("check_stands") if is_declined or differs else ""
    limit_note = words.say("check_unasked", count=len(state.unknown_pulls)) if state.unknown_pulls else ""
    return " ".join(filter(None, (why, limit_note)))


def _stops(state: CommitState) -> bool:
    return state.ending is not None and BADNESS.index(state.ending) > STOPS


async def _state(
    host: Host, head: str, rows: Iterable[CheckResult], sure: Mapping[int, str], gone_pull: int = 0
) -> CommitState:
    """What these rows come to, with the open pull requests that have this head.

    `sure`: what is known to be open. `gone_pull`: a pull request that is known to be closed. Who writes with a workflow's token makes a
    check run only where somebody asks for it: there a pull request without one lacks nothing.
    """
    rows, home = list(rows), {"owner": host.pull.owner, "name": host.pull.name}
    # GitHub's list by commit (`commits/SHA/pulls`) leaves out those from forks.
    nodes = [one async for one in host.client.nodes("open", home, MOST_PAGES)]
    bases = {int(one["number"]): str(one["baseRefName"]) for one in nodes if one.get("headRefOid") == head}
    whole = len(nodes) < MOST_PAGES * PAGE
    pulls_with_row = {row.pull for row in rows}
    known_bases = {
        n: base for n, base in bases.items() if n != gone_pull and (host.voice.app or n in pulls_with_row)
    } | dict(sure)
    left = () if whole else tuple(pull for pull in waits_for(rows, known_bases) if pull != gone_pull)
    for pull in left[:MOST_PULLS]:
        now = await _facts_of(host.beside(pull))
        if now is not None and now.state == "open" and now.head_sha == head:
            known_bases[pull] = now.base_ref
    return replace(fold(_with_bases(rows, known_bases), known_bases), unknown_pulls=left[MOST_PULLS:])


async def _facts_of(host: Host) -> PullFacts | None:
    """Return the pull request as it is now, or None if GitHub has answered twice that it does not exist."""
    for _ in range(2):
        try:
            return await host.facts()
        except HostRefused as refusal:
            if not refusal.is_gone:
                raise
    return None


def _with_bases(rows: Iterable[CheckResult], known_bases: Mapping[int, str]) -> list[CheckResult]:
    """Check runs of earlier versions name no base branch: they count for the one that is there now."""
    return [replace(row, base=row.base or known_bases.get(row.pull, "")) for row in rows]


async def _list(host: Host, head: str) -> list[Check]:
    """Our check runs on a commit, oldest first."""
    return sorted(await check_runs.list_runs(host, head, NAME), key=lambda one: one.id)


def _rows(checks: Iterable[Check]) -> list[CheckResult]:
    """What they came to, each for its own pull request; of a merge queue, that it was stopped."""
    return [_result(one) for one in checks if _came(one) and (_pull(one) != QUEUE or BADNESS.index(_own(one)) > STOPS)]


def _result(one: Check) -> CheckResult:
    marker_facts = _facts(one)
    rules = marker_facts.get("rules", "")
    return CheckResult(_pull(one), marker_facts.get("base", ""), _own(one), _how(marker_facts), rules)


def _pull(one: Check) -> int:
    return int(one.external_id) if one.external_id.isdecimal() else 0


def _own(one: Check) -> Ending:
    return _word(_facts(one).get("own", "")) or _word(one.conclusion) or "failure"


def _word(text: str) -> Ending | None:
    return next((each for each in BADNESS if each == text and each != "pending"), None)


def _how(marker_facts: Mapping[str, str]) -> How:
    """Those of earlier versions do not tell: such a one counts like a review, and is not made better by any that was declined."""
    return (
        "declined"
        if marker_facts.get("how") == "declined"
        else "broken"
        if marker_facts.get("how") == "broken"
        else "reviewed"
    )


def conclusion(review: Review) -> Ending:
    """Green only where everything was read and nothing was found; red only if the owner has set a bar."""
    if review.failing:
        return "failure"
    return "success" if facts.conclusion(review) == "clean" and not review.fault else "neutral"


def annotations(review: Review, words: Phrases) -> tuple[Annotation, ...]:
    """The findings that are on lines of the head, as plain words; what is masked in comments is masked here."""
    safe = hide.secrets(review)
    groups = facts.listing(safe)
    findings = [item.finding for item in groups.all]  # earlier rounds too: they are on another commit's check run
    own_checks = tuple(
        Annotation(
            path=quote.path,
            start=quote.line,
            end=quote.line + quote.quote.strip("\n").count("\n"),
            level=CHECK_LEVELS[report.severity],  # type: ignore[arg-type]
            title=visible(line(f"{words.say('check_head_name')} · {report.name}"))[:TITLE],
            message=visible(facts.check_reason(report, words))[:MESSAGE] or report.name,
        )
        for report in safe.checks
        for quote in report.quotes
        if report.verdict == "failed" and quote.side == "head"
    )
    return (
        own_checks
        + tuple(
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
                message=visible("\n\n".join(filter(None, (finding.why, finding.consequence))))[:MESSAGE]
                or finding.title,
            )
            for finding in findings
            if finding.side == "head" and finding.start
        )
    )


def buttons(words: Phrases) -> Sequence[Action]:
    """What a person can ask for on the check run. Who writes with a workflow's token never hears of a button pressed."""
    return tuple(Action(words.say(f"button_{name}"), words.say(f"button_{name}_about"), name) for name in (AGAIN, FULL))


def _facts(check: Check) -> Mapping[str, str]:
    return marker.read(check.summary) or {}


def _mark(text: str, **marker_facts: str) -> str:
    return f"{marker.make('check', **marker_facts)}\n{text}"
