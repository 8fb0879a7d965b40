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
from bot.render import code
from bot.values import Finding, PullRequest

_MENTIONED = re.compile(
    r"(?:#|\b(?:finding|no\.?|nr\.?|number|befund|hallazgo|constat)\s*#?)(\d{1,4})\b", re.IGNORECASE
)
_NAMED = re.compile(r"(?:#?(\d{1,4})|([0-9a-f]{32}|[0-9a-f]{16}))(?=$|[\s.:,;])[.:,;]?")


@dataclass(frozen=True, slots=True)
class LastReview:
    """The last finished review: every finding that it knows, and what each number was given to."""

    pull: PullRequest
    findings: tuple[Finding, ...]
    numbers: Mapping[int, str]
    open: tuple[Finding, ...] = ()  # of the findings, those that were open then
    complete: bool = True  # no cap and no failure ended it

    def by_identity(self, name: str) -> Finding | None:
        """Return the finding of this identity: a word about a guess is not about what code has proven at the same place."""
        return next((f for f in self.findings if f.identity == name), None)

    def numbered(self, number: int) -> Finding | None:
        """The finding with this number; of what was reported in full before, the latest telling."""
        return next((f for f in self.findings if f.number == number), None)

    def meant(self, number: int, finding: Finding) -> bool:
        """Whether a number meant this very finding: a guess is not the proof that came in its place. Of one that was gone, its place tells."""
        there = self.numbered(number)
        return there.identity == finding.identity if there else self.numbers.get(number) == finding.identity


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """What a command is about. A fingerprint without a finding: the last review does not hold it any more."""

    said: LastReview | None
    fingerprint: str = ""
    finding: Finding | None = None
    rest: str = ""  # of the argument
    typed: str = ""  # a number or a fingerprint that no finding has
    thread: str = ""  # what our comment at the top of the thread says
    other: Finding | None = None  # what the number means now: when the command was written it meant something else

    def missing(self, context: CommandContext, example: str) -> CommandReply:
        """The answer where no finding is meant."""
        if self.said is None:
            return context.say("reply_no_review")
        if self.other is not None:
            title = code(self.other.title)
            return context.say(
                "reply_other_finding", typed=self.typed, title=title, example=code(f"/deeprepo {example}")
            )
        if self.typed:
            known = ", ".join(str(found.number) for found in self.said.open)
            return context.say("reply_unknown_finding" if known else "reply_none_open", typed=self.typed, known=known)
        return context.say("reply_gone" if self.fingerprint else "reply_which", example=f"`/deeprepo {example}`")


async def of_thread(context: CommandContext) -> CommandTarget:
    """The finding of the thread in which the command stands; none where it stands elsewhere, or the thread is about several."""
    said = read(await context.last())
    top = await context.top()
    facts = marker.read(top) or {}
    ours = facts.get("kind") == "finding"
    mark = facts.get("fingerprint", "") if ours and not facts.get("also") else ""
    found = said.by_identity(mark) if said and mark else None
    if found is None and said is not None and any(one.fingerprint == mark for one in said.findings):
        mark = ""  # a guess's thread, at a place where code has proven something since: its person has to name it
    return CommandTarget(said, mark, found, thread=top.partition("\n")[2].strip() if ours else "")


async def find(argument: str, context: CommandContext) -> CommandTarget:
    """The finding that is meant, and what is left of the argument."""
    here = await of_thread(context)
    if here.fingerprint:
        return replace(here, rest=argument.strip())
    said, named = here.said, _NAMED.match(argument)
    if named is None or said is None:
        return replace(here, rest=argument.strip())
    rest = argument[named.end() :].strip()
    if named[2]:
        found = said.by_identity(named[2])
        return CommandTarget(said, named[2], found, rest) if found else CommandTarget(said, typed=named[2])
    number = int(named[1])
    numbered = said.numbered(number)
    if numbered is None and number not in said.numbers:
        return CommandTarget(said, rest=argument.strip(), typed=named[1])
    then = read(await context.then()) if context.then is not None else said
    if numbered is not None and (then is None or not then.meant(number, numbered)):
        return CommandTarget(said, rest=rest, typed=named[1], other=numbered)
    return CommandTarget(said, numbered.fingerprint if numbered else said.numbers[number], numbered, rest)


def mentioned(text: str) -> tuple[int, ...]:
    """The numbers of findings that a text in plain words names: "finding 2", "#2"."""
    return tuple(int(found[1]) for found in _MENTIONED.finditer(text))


def read(data: bytes | None) -> LastReview | None:
    """The last review from its JSON output; None where there is none, or it has another form."""
    try:
        found = json.loads(data) if data else None
        return _said(found) if found else None
    except (ValueError, ValidationError, KeyError, TypeError, RecursionError):
        return None


def _said(found: dict[str, Any]) -> LastReview:
    """Open findings come first: a number or a fingerprint means these before what is silenced, fixed or unproven.

    The state in a step's summary leaves out those, and most of the pull request.
    """
    listed = earlier.listed(found)
    silenced = [row["finding"] for row in found.get("suppressed", ())]
    lists = (found.get(name, ()) for name in ("fixed", "kept_back", "unproven"))
    rest = earlier.findings([*silenced, *(row for rows in lists for row in rows)])
    pull = found["pull"]
    return LastReview(
        PullRequest(
            pull.get("title", ""),
            pull.get("body", ""),
            pull["base"],
            pull["head"],
            pull.get("base_name", ""),
            pull.get("head_name", ""),
            git_dir="",
            base_tip=pull.get("base_tip", ""),
            url=pull.get("url"),
        ),
        (*listed, *rest),
        dict(earlier.given(found, listed)),
        listed,
        complete=not (found.get("partial") or found.get("fault")),
    )
