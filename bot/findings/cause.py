"""One failure told from two places of its path: a broken caller by a check and by a reader, or a cause and its effect by two readers. Pure.

They are one cause where one of them shows the other's place, both name the same definition and speak of the same break.
Anything less certain stays two: what is reported twice costs a minute, what is swallowed is lost.
"""

import re
from collections.abc import Iterable

from bot.values import Evidence, Finding

FEW = 0.3  # of the words of two titles: with fewer in common they tell two stories, if they name different code

SEVERAL, MOST = 4, 0.6  # words that two titles of one story have in common, and their share of the shorter one


def _any_of(words: str) -> re.Pattern[str]:
    """The words that speak of one subject, however they go on."""
    return re.compile(rf"\b(?:{words})", re.IGNORECASE)


CALLER = frozenset({"broken-caller", "contract", "crash"})  # as what a reader may tell it
_GONE = _any_of(
    r"renam|remov|delet|moved|gone|forg[eo]t|undefined|old name|not (?:defined|updated)|no longer (?:exist|defin|import|there|available)"
    r"|still (?:call|use|import|refer|name)|(?:does|do) not exist"
)
_UNFIT = _any_of(
    r"(?:arguments?|parameters?|signature|keywords?|arity|takes|requir(?:e|es|ed)|pass(?:es|ing)|leaves out|without)\b"
)
# What a definition does is another story than that it is gone or called otherwise.
_DOES = _any_of(r"return|result|none\b|null\b|nil\b|empty|default|type|order|unit|value|await|async|raise|throw")
_SAME = {"null": "none", "nil": "none", "await": "async", "throw": "raise"}
_CODE = re.compile(
    r"`([\w$.]{2,80})(?:\(\))?`|\b([A-Za-z_$][\w$.]{1,80})\(\)|\b([A-Za-z$]\w{0,40}_\w{1,40}|[a-z]{1,40}[A-Z]\w{0,40})\b"
)
Place = tuple[str, str, int]  # path, side, line


def one_cause(one: Finding, other: Finding) -> bool:
    """Whether two findings at different places, or told in different words, are one failure."""
    return _same_break(one, other) or _same_break(other, one) or _one_path(one, other)


def _same_break(proven: Finding, telling: Finding) -> bool:
    """Whether a reader tells what a check has proven."""
    if not proven.proven or proven.category != "broken-caller" or telling.rule or telling.category not in CALLER:
        return False
    definitions = [item for item in proven.evidence if item.note in {"before", "after"}]
    names = _words([proven.title]) & _words(item.quote for item in definitions)
    speaks = _GONE if proven.rule.startswith("removed") else _UNFIT
    if names.isdisjoint(_words([telling.title])) or not speaks.search(telling.title) or _DOES.search(telling.title):
        return False
    callers = {*_own(proven), *(_place(item) for item in proven.evidence if item.path == proven.path or item.is_broken)}
    if not callers.isdisjoint(_own(telling)):
        return True
    shows = any(_place(item) in callers or _alike(item, proven) for item in telling.evidence)
    return shows and not _own(telling).isdisjoint(map(_place, definitions))


def _one_path(one: Finding, other: Finding) -> bool:
    """Whether two readers tell one failure from two places on its path: the line that breaks it, and the code that breaks.

    If each shows the other's place, alike titles suffice; if only one does, both must name the same definition, or one title retell the other.
    """
    if one.rule or other.rule:
        return False
    there, back = _shows(one, other), _shows(other, one)
    story = alike(one.title, other.title)
    if (there and back and story) or ((there or back) and _retells(one.title, other.title)):
        return True
    both = not code_names(one.title).isdisjoint(code_names(other.title))
    return (there or back) and both and (story or not _breaks(one.title).isdisjoint(_breaks(other.title)))


def _shows(one: Finding, other: Finding) -> bool:
    """Whether a finding's evidence is the place of another."""
    return not {_place(item) for item in one.evidence}.isdisjoint(_own(other))


def _retells(title: str, other: str) -> bool:
    """Whether two titles have most of their telling words in common, and several; titles that name different code tell two stories."""
    names, other_names = code_names(title), code_names(other)
    if names and other_names and names.isdisjoint(other_names):
        return False
    words, others = (set(re.findall(r"\w{4,}", text.lower())) for text in (title, other))
    return len(words & others) >= max(SEVERAL, MOST * min(len(words), len(others)))


def two_causes(one: Finding, other: Finding) -> bool:
    """Whether two readers tell of different defects of one line: titles that name different code and share few words, no proof in common."""
    names, others = code_names(one.title), code_names(other.title)
    told_apart = bool(names and others) and names.isdisjoint(others) and not (one.rule or other.rule)
    proofs = ({_place(item) for item in finding.evidence} for finding in (one, other))
    return told_apart and set.isdisjoint(*proofs) and not alike(one.title, other.title, FEW)


def code_names(title: str) -> set[str]:
    """What a title writes as code: in backticks, with parentheses, with an underscore or a capital inside."""
    return {word.rpartition(".")[2] for match in _CODE.finditer(title) for word in match.groups() if word}


def _breaks(title: str) -> set[str]:
    """What goes wrong by a title: what is handed over does not fit, something is gone, or the very thing that it does otherwise."""
    does = {_SAME.get(word, word) for word in map(str.lower, _DOES.findall(title))} - {"return", "result", "value"}
    return does | {name for name, look in (("gone", _GONE), ("unfit", _UNFIT)) if look.search(title)}


def _own(finding: Finding) -> set[Place]:
    return {(finding.path, finding.side, line) for line in range(finding.start, finding.end + 1)}


def _place(item: Evidence) -> Place:
    return item.path, item.side, item.line


def _alike(item: Evidence, proven: Finding) -> bool:
    """The caller's line by its words: a reader quotes it without saying which of two equal ones it means."""
    return item.path == proven.path and item.quote.split() == proven.quote.split()


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in re.findall(r"[A-Za-z_$][\w$]*", text)}


def alike(one: str, other: str, share: float = 0.5) -> bool:
    """Whether two titles tell the same story: they share this part of the telling words of the shorter one, by default half."""
    words, others = (set(re.findall(r"\w{4,}", title.lower())) for title in (one, other))
    return len(words & others) >= max(1.0, share * min(len(words), len(others)))
