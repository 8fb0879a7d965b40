"""What deeprepo's own answers in a pull request record, for GitHub Actions steps, which have no database.

Facts in the markers of answers are events, read from the oldest to the newest. A learning's id is the name of
the comment that taught it, so that two people can teach at the same time. An answer that a person deletes is
forgotten.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bot.stored import markers
from bot.values import Dismissal, LearnedRule, OwnerRule, PostedComment

REPLY = "reply"  # the kind of the marker of answers
PAUSED, LEARNING, DECIDES_ON = "paused", "learning", "on"  # facts; `on` is the id of an earlier learning
ON, OFF = "1", "0"
MAX_PACKED_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class Answered:
    """The decisions of people in a pull request. Learnings need no confirmation, but only apply there."""

    dismissals: tuple[Dismissal, ...] = ()
    learnings: tuple[LearnedRule, ...] = ()  # removed ones too, so that numbers stay
    ids: tuple[str, ...] = ()  # the id of each learning
    is_paused: bool = False

    @property
    def rules(self) -> tuple[OwnerRule, ...]:
        """The learnings that apply."""
        return tuple(learned.rule for learned in self.learnings if learned.state == "confirmed")


def read(comments: Iterable[PostedComment]) -> Answered:
    """Return what our answers among these comments record."""
    rows = [(comment, markers.read(comment.body)) for comment in comments if comment.ours]
    answers = [(comment, marker) for comment, marker in rows if marker.kind == REPLY and not marker.is_newer]
    answers.sort(key=lambda row: (row[0].created_at, row[0].id))
    withdrawn, ignored = dict[str, Dismissal](), dict[str, Dismissal]()
    learnings, is_paused = dict[str, LearnedRule](), False
    for comment, marker in answers:
        facts = marker.facts
        for mark in facts.get("withdrawn", "").split():
            withdrawn.setdefault(mark, Dismissal(mark, "withdrawn in a conversation", "withdrawn"))
        if ignored_mark := facts.get("ignored", ""):
            reason = str(unpack(facts.get("reason", "")).get("text", "")) or "ignored by a command"
            ignored[ignored_mark] = Dismissal(ignored_mark, reason, "ignored")
        is_paused = is_paused if PAUSED not in facts else facts[PAUSED] == ON
        if LEARNING in facts:
            _learn(learnings, facts, comment)
    numbered = (
        replace(learned, rule=replace(learned.rule, number=number))
        for number, learned in enumerate(learnings.values(), 1)
    )
    return Answered((*withdrawn.values(), *ignored.values()), tuple(numbered), tuple(learnings), is_paused)


def learning(rule: OwnerRule, who: str, on: str = "") -> dict[str, str]:
    """Return the facts that teach a learning, or change the earlier one with the id `on`."""
    packed = pack({"path": rule.path, "symbol": rule.symbol, "text": rule.text, "who": who})
    return {LEARNING: packed, **({DECIDES_ON: on} if on else {})}


def removal(who: str, on: str) -> dict[str, str]:
    """Return the facts that remove the learning with the id `on`."""
    return {LEARNING: pack({"who": who}), DECIDES_ON: on}


def pack(values: Mapping[str, str]) -> str:
    """Return values as a fact. People's words in any script stay short enough for a marker."""
    return base64.b64encode(
        zlib.compress(json.dumps(values, ensure_ascii=False).encode("utf-8", "replace"), 9)
    ).decode()


def unpack(text: str) -> dict[str, Any]:
    """Return the values of a fact; none if it cannot be read."""
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), MAX_PACKED_BYTES)
        values = json.loads(data)
    except (ValueError, zlib.error, RecursionError):
        return {}
    return values if isinstance(values, dict) and all(isinstance(value, str) for value in values.values()) else {}


def _learn(learnings: dict[str, LearnedRule], facts: Mapping[str, str], comment: PostedComment) -> None:
    """Add, change or remove one learning."""
    values, at = unpack(facts[LEARNING]), datetime.fromisoformat(comment.created_at).timestamp()
    who, on = values.get("who", ""), facts.get(DECIDES_ON, "")
    known = learnings.get(on)
    path, text = values.get("path", ""), values.get("text", "")
    if on and known is not None and not text:
        learnings[on] = replace(known, state="removed", decider=who, decided=at)
    elif on and known is not None:
        rule = replace(known.rule, path=path, symbol=values.get("symbol", ""), text=text)
        learnings[on] = replace(known, rule=rule, state="confirmed", decider=who, decided=at)
    elif not on and path and text:
        rule = OwnerRule(path, "", text, learned=True, symbol=values.get("symbol", ""))
        learnings[facts.get("comment", "")] = LearnedRule(rule, "confirmed", who, comment.url, at)
