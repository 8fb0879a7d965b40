"""Read people's decisions from deeprepo's replies in a pull request.

GitHub Actions steps have no database for them. When deeprepo carries out a command, it records the decision
in the marker of its reply. These records are events, read from the oldest to the newest. A learning's ID is
the ID of the comment that taught it, so two people can teach learnings at the same time. If a reply is
deleted, its decision is forgotten.
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

REPLY = "reply"  # the marker kind of replies
# Names of facts; `on` is the ID of an earlier learning
PAUSED, LEARNING, DECIDES_ON = "paused", "learning", "on"
ON, OFF = "1", "0"  # values of the fact `paused`
MAX_PACKED_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class RecordedDecisions:
    """People's decisions in a pull request.

    Learnings need no confirmation, but only apply to this pull request.
    """

    dismissals: tuple[Dismissal, ...] = ()
    learnings: tuple[LearnedRule, ...] = ()  # includes removed learnings, so that numbers don't change
    ids: tuple[str, ...] = ()  # the ID of each learning
    is_paused: bool = False

    @property
    def rules(self) -> tuple[OwnerRule, ...]:
        """The rules of the learnings that were not removed."""
        return tuple(learned.rule for learned in self.learnings if learned.state == "confirmed")


def read(comments: Iterable[PostedComment]) -> RecordedDecisions:
    """Return the decisions that our replies among these comments record."""
    rows = [(comment, markers.read(comment.body)) for comment in comments if comment.ours]
    replies = [(comment, marker) for comment, marker in rows if marker.kind == REPLY and not marker.is_newer]
    replies.sort(key=lambda row: (row[0].created_at, row[0].id))
    withdrawn, ignored = dict[str, Dismissal](), dict[str, Dismissal]()
    learnings, is_paused = dict[str, LearnedRule](), False
    for comment, marker in replies:
        facts = marker.facts
        for mark in facts.get("withdrawn", "").split():
            withdrawn.setdefault(mark, Dismissal(mark, "withdrawn in a conversation", "withdrawn"))
        if ignored_mark := facts.get("ignored", ""):
            reason = str(unpack(facts.get("reason", "")).get("text", "")) or "ignored by a command"
            ignored[ignored_mark] = Dismissal(ignored_mark, reason, "ignored")
        is_paused = is_paused if PAUSED not in facts else facts[PAUSED] == ON
        if LEARNING in facts:
            _apply_learning(learnings, facts, comment)
    numbered = (
        replace(learned, rule=replace(learned.rule, number=number))
        for number, learned in enumerate(learnings.values(), 1)
    )
    return RecordedDecisions((*withdrawn.values(), *ignored.values()), tuple(numbered), tuple(learnings), is_paused)


def learning(rule: OwnerRule, who: str, on: str = "") -> dict[str, str]:
    """Return the facts that record a new learning, or a change to the earlier one with the ID `on`."""
    packed = pack({"path": rule.path, "symbol": rule.symbol, "text": rule.text, "who": who})
    return {LEARNING: packed, **({DECIDES_ON: on} if on else {})}


def removal(who: str, on: str) -> dict[str, str]:
    """Return the facts that record the removal of the learning with the ID `on`."""
    return {LEARNING: pack({"who": who}), DECIDES_ON: on}


def pack(values: Mapping[str, str]) -> str:
    """Return values as the text of a fact, compressed so that it fits into a marker."""
    return base64.b64encode(
        zlib.compress(json.dumps(values, ensure_ascii=False).encode("utf-8", "replace"), 9)
    ).decode()


def unpack(text: str) -> dict[str, Any]:
    """Return the values in the text of a fact, or {} if it cannot be read."""
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), MAX_PACKED_BYTES)
        values = json.loads(data)
    except (ValueError, zlib.error, RecursionError):
        return {}
    return values if isinstance(values, dict) and all(isinstance(value, str) for value in values.values()) else {}


def _apply_learning(learnings: dict[str, LearnedRule], facts: Mapping[str, str], comment: PostedComment) -> None:
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
