"""Whether a reply in plain words rejects a finding: "won't fix", "not a bug", "by design", in the languages that comments have. Pure.

A sentence counts if it begins with that, asks, conditions and reports nothing, and neither denies nor doubts it. Quotes and code are somebody else's words.
"""

import re

from bot.commands.homographs import without_names
from bot.commands.statements import REJECTION, asks, doubts, is_conditional, reports, sentences

MOST, MOST_WORDS, LONGEST = 2_000, 6, 300  # characters looked at, words before the rejection, characters of a reason
_DENIAL = re.compile(
    r"\b(?:not|never|\w+n't|if|unless|whether|why|but|nicht|wenn|falls|ob|aber|no|si|pero|pas|mais)\b",
    re.IGNORECASE,
)
_TAG = re.compile(  # a doubt at the end: "by design, I think"
    r" ?[,(\u2013-]? ?((?:(?:i|we|ich|wir|je|yo) )?\S{1,20}|as far as i \w{1,9}(?: \w{1,9})?|tal vez)[).! ]{0,3}",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]*`")
_PARTS = re.compile(r"(?<=;)\s+|\n+")


def reason(body: str) -> str:
    """The whole reply on one line, if a sentence of it rejects the finding; else nothing."""
    own = [sentence for block in sentences(body[:MOST]) for sentence in block]
    if not any(_rejects(sentence) for sentence in own):
        return ""
    return " ".join(" ".join(own).split())[:LONGEST]


def _rejects(sentence: str) -> bool:
    plain = _CODE.sub(" ", sentence)
    return not asks(plain) and not is_conditional(plain) and any(map(_begins, _PARTS.split(plain)))


def _begins(part: str) -> bool:
    match = REJECTION.search(part)
    if match is None:
        return False
    before, tag = part[: match.start()], _TAG.fullmatch(part, match.end())
    return (
        len(before.split()) <= MOST_WORDS
        and not _DENIAL.search(without_names(before))
        and not doubts(before)
        and not (tag and doubts(tag[1]))
        and not reports(before)
    )
