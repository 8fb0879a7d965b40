"""One broken caller told from both ends: by a check at the caller's line, by a reader at the definition. Pure.

They are one cause where the reader is at one of the two places, shows the other, names the same definition and speaks of
the same break. Anything less certain stays two: what is reported twice costs a minute, what is swallowed is lost.
"""

import re
from collections.abc import Iterable

from bot.findings.alike import alike
from bot.values import Evidence, Finding

CALLER = frozenset({"broken-caller", "contract", "crash"})  # as what a reader may tell it
_GONE = re.compile(
    r"\b(?:renam|remov|delet|moved|gone|forg[eo]t|undefined|old name|not (?:defined|updated)|no longer (?:exist|defin|import|there|available)"
    r"|still (?:call|use|import|refer|name)|(?:does|do) not exist)",
    re.IGNORECASE,
)
_UNFIT = re.compile(
    r"\b(?:arguments?|parameters?|signature|keywords?|arity|takes|requir(?:e|es|ed)|pass(?:es|ing)|leaves out|without)\b",
    re.IGNORECASE,
)
# What a definition does is another story than that it is gone or called otherwise.
_DOES = re.compile(
    r"\b(?:return|result|none\b|null\b|nil\b|empty|default|type|order|unit|value|await|async|raise|throw)",
    re.IGNORECASE,
)
Place = tuple[str, str, int]  # path, side, line


def one_cause(one: Finding, other: Finding) -> bool:
    """Whether two findings at different places, or told in different words, are one broken caller."""
    return _same_break(one, other) or _same_break(other, one) or _mirrored(one, other)


def _same_break(proven: Finding, told: Finding) -> bool:
    """Whether a reader tells what a check has proven."""
    if proven.verdict != "proven" or proven.category != "broken-caller" or told.rule or told.category not in CALLER:
        return False
    definitions = [item for item in proven.evidence if item.note in {"before", "after"}]
    names = _words([proven.title]) & _words(item.quote for item in definitions)
    speaks = _GONE if proven.rule.startswith("removed") else _UNFIT
    if names.isdisjoint(_words([told.title])) or not speaks.search(told.title) or _DOES.search(told.title):
        return False
    callers = {*_own(proven), *(_place(item) for item in proven.evidence if item.path == proven.path)}
    if not callers.isdisjoint(_own(told)):
        return True
    shows = any(_place(item) in callers or _alike(item, proven) for item in told.evidence)
    return shows and not _own(told).isdisjoint(map(_place, definitions))


def _mirrored(one: Finding, other: Finding) -> bool:
    """Whether two readers tell the same from both ends: each stands where the other's evidence does."""
    seen, shown = {_place(item) for item in one.evidence}, {_place(item) for item in other.evidence}
    both = not seen.isdisjoint(_own(other)) and not shown.isdisjoint(_own(one))
    return both and not one.rule and not other.rule and alike(one.title, other.title)


def _own(finding: Finding) -> set[Place]:
    return {(finding.path, finding.side, line) for line in range(finding.start, finding.end + 1)}


def _place(item: Evidence) -> Place:
    return item.path, item.side, item.line


def _alike(item: Evidence, proven: Finding) -> bool:
    """The caller's line by its words: a reader quotes it without saying which of two equal ones it means."""
    return item.path == proven.path and item.quote.split() == proven.quote.split()


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in re.findall(r"[A-Za-z_$][\w$]*", text)}
