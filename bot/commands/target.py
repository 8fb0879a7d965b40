"""Which finding a command means: that of its thread, else the one with this number or this identity."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from bot.commands.context import CommandContext, CommandReply
from bot.findings import earlier
from bot.outputs import marker
from bot.values import Finding, PullRequest

_MENTIONED = re.compile(
    r"(?:#|\b(?:finding|no\.?|nr\.?|number|befund|hallazgo|constat)\s*#?)(\d{1,4})\b", re.IGNORECASE
)
_NUMBER_OR_MARK = re.compile(r"(?:#?(\d{1,4})|([0-9a-f]{32}|[0-9a-f]{16}))(?=$|[\s.:,;])[.:,;]?")


@dataclass(frozen=True, slots=True)
class LastReview:
    """The last finished review: every finding that it knows, and what each number was given to."""

    pull: PullRequest
    findings: tuple[Finding, ...]
    numbers: Mapping[int, str]
    open_findings: tuple[Finding, ...] = ()  # of the findings, those that were open then
    complete: bool = True  # no cap and no failure ended it

    def by_identity(self, name: str) -> Finding | None:
        """Return the finding of this identity: a word about a guess is not about what code has proven at the same place."""
        return next((f for f in self.findings if f.identity == name), None)

    def by_number(self, number: int) -> Finding | None:
        """Return the finding with this number; of what was reported in full before, the latest telling."""
        return next((f for f in self.findings if f.number == number), None)


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """What a command is about. A fingerprint without a finding: the last review does not hold it any more."""

    last_review: LastReview | None
    fingerprint: str = ""
    finding: Finding | None = None
    rest: str = ""  # of the argument
    unknown_argument: str = ""  # a number or a fingerprint that no finding has
    thread: str = ""  # what our comment at the top of the thread says

    def missing(self, context: CommandContext, example: str) -> CommandReply:
        """Return the answer where no finding is meant."""
        if self.last_review is None:
            return context.say("reply_no_review")
        if self.unknown_argument:
            numbers = ", ".join(str(finding.number) for finding in self.last_review.open_findings)
            return context.say(
                "reply_unknown_finding" if numbers else "reply_none_open", typed=self.unknown_argument, known=numbers
            )
        return context.say("reply_gone" if self.fingerprint else "reply_which", example=f"`/deeprepo {example}`")


def of_thread(context: CommandContext) -> CommandTarget:
    """Return the finding of the thread in which the command stands; none where it stands elsewhere, or the thread is about several."""
    last_review = read(context.last)
    top = context.top
    facts = marker.read(top) or {}
    ours = facts.get("kind") == "finding"
    mark = facts.get("fingerprint", "") if ours and not facts.get("also") else ""
    finding = last_review.by_identity(mark) if last_review and mark else None
    if finding is None and last_review is not None and any(one.fingerprint == mark for one in last_review.findings):
        mark = ""  # a guess's thread, at a place where code has proven something since: its person has to name it
    return CommandTarget(last_review, mark, finding, thread=top.partition("\n")[2].strip() if ours else "")


def find(argument: str, context: CommandContext) -> CommandTarget:
    """Return the finding that is meant, and what is left of the argument."""
    of_this_thread = of_thread(context)
    if of_this_thread.fingerprint:
        return replace(of_this_thread, rest=argument.strip())
    last_review, match = of_this_thread.last_review, _NUMBER_OR_MARK.match(argument)
    if match is None or last_review is None:
        return replace(of_this_thread, rest=argument.strip())
    rest = argument[match.end() :].strip()
    if match[2]:
        finding = last_review.by_identity(match[2])
        return (
            CommandTarget(last_review, match[2], finding, rest)
            if finding
            else CommandTarget(last_review, unknown_argument=match[2])
        )
    number = int(match[1])
    finding_by_number = last_review.by_number(number)
    if finding_by_number is None and number not in last_review.numbers:
        return CommandTarget(last_review, rest=argument.strip(), unknown_argument=match[1])
    return CommandTarget(
        last_review,
        finding_by_number.fingerprint if finding_by_number else last_review.numbers[number],
        finding_by_number,
        rest,
    )


def finding_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of findings that a text in plain words names: "finding 2", "#2"."""
    return tuple(int(match[1]) for match in _MENTIONED.finditer(text))


def read(data: bytes | None) -> LastReview | None:
    """Return the last review from its JSON output; None where there is none, or it has another form."""
    try:
        document = json.loads(data) if data else None
        return _last_review(document) if document else None
    except (ValueError, ValidationError, KeyError, TypeError, RecursionError):
        return None


def _last_review(document: dict[str, Any]) -> LastReview:
    """Open findings come first: a number or a fingerprint means these before what is silenced, fixed, refuted or unproven.

    The state in a step's summary leaves out those, and most of the pull request.
    """
    findings = earlier.findings_of(document, "new", "still")
    rest = earlier.findings_of(document, "silenced", "fixed", "below", "refuted", "unproven")
    pull = document["pull"]
    return LastReview(
        PullRequest(
            pull.get("title", ""),
            pull.get("body", ""),
            pull["base"],
            pull["head"],
            pull.get("base_name", ""),
            pull.get("head_name", ""),
            git_dir="",
            base_tip=pull.get("base_tip") or None,
            url=pull.get("url"),
        ),
        (*findings, *rest),
        dict(earlier.numbers_given(document)),
        findings,
        complete=not (document.get("partial") or document.get("fault")),
    )
