"""Compare a finding's locations with those in the last review.

A location is recognized by its file and text. If a file has equal lines, they are followed by line number
through the changes since. A file that the change renamed counts as the same file. Pure functions.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from bot.findings.placing import spot_of
from bot.findings.quotes import fold, occurrences
from bot.values import ChangedFile, Evidence, Finding
from bot.values.finding import MASK, FindingTexts

CUT = 12  # from this many locations on, a finding may have more than it shows
Location = tuple[str, int]  # path and line
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Since:
    """The files at the last review's head and now, by their current path."""

    before: Mapping[str, str] = field(default_factory=dict)
    now: Mapping[str, str] = field(default_factory=dict)
    _moves: dict[str, Mapping[int, int]] = field(default_factory=dict, init=False)

    def moves(self, path: str) -> Mapping[int, int]:
        """Return the lines that the file has kept: old number -> new number."""
        if path not in self._moves:
            self._moves[path] = kept_lines(self.before.get(path, ""), self.now.get(path, ""))
        return self._moves[path]

    def count_written(self, paths: Collection[str], most: int) -> int:
        """Return the number of new lines in these files. Counting stops above `most`."""
        count = 0
        for path in paths:
            if count <= most and path in self.now and self.now[path] != self.before.get(path):
                count += len(self.now[path].split("\n")) - len(self.moves(path))
        return count

    def has_changed(self, line: str) -> bool:
        """Return whether the pushes since have added or removed this text, whose white space is ignored."""
        words = tokens(line.strip().strip("`"))
        texts = ((self.before.get(path, ""), self.now.get(path, "")) for path in {*self.before, *self.now})
        return bool(words.strip()) and any(
            tokens(before).count(words) != tokens(now).count(words) for before, now in texts if before != now
        )

    def is_new(self, path: str, quote: str, start: int) -> bool:
        """Return whether these lines are new, and not moved from elsewhere in the file."""
        before, now = self.before.get(path), self.now.get(path)
        if before is None:
            return True
        if not occurrences(before, quote):
            return True
        rows = range(start, start + quote.strip("\n").count("\n") + 1)
        if now is None or {*rows}.issubset(self.moves(path).values()):
            return False
        return occurrences(now, quote) > occurrences(before, quote)


def tokens(text: str) -> str:
    """Return the words and signs of a text with one space around each."""
    return f" {' '.join(_TOKEN.findall(text))} "


def kept_lines(before: str, now: str) -> Mapping[int, int]:
    """Return the lines that two versions of a text share, with numbers from 1."""
    old, new = before.split("\n"), now.split("\n")
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    rows = {index: index for index in range(1, head + 1)}
    for block in SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail]).get_matching_blocks():
        rows |= {head + block.a + at: head + block.b + at for at in range(1, block.size + 1)}
    return rows | {len(old) - at: len(new) - at for at in range(tail)}


def added(past: Finding, again: Finding, since: Since, files: Sequence[ChangedFile]) -> tuple[Location, ...]:
    """Return the locations of a finding that the last review did not have.

    A line that moved, or that the changes replaced, is the same location.
    """
    names = {file.old_path: file.path for file in files if file.status == "renamed"}
    known = [replace(item, path=names.get(item.path, item.path)) for item in past.places]
    left = list(again.places)
    for is_same in _SAME:
        for spot in tuple(left):
            place = next((item for item in known if is_same(item, spot, since)), None)
            if place is not None:
                known.remove(place)
                left.remove(spot)
    if len(past.places) >= CUT:
        left = [one for one in left if since.is_new(one.path, one.quote, one.line)]
    return tuple(one.location for one in left)


def known_first(finding: Finding) -> Finding:
    """Return the finding with its breaks assigned to already known lines first, among equal lines."""
    groups: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for place in finding.places:
        groups[place.path, place.words].append(place)
    breaks = dict[Location, tuple[str, ...]]()
    for group in groups.values():
        by_line = sorted(group, key=lambda place: place.line)
        by_age = sorted(by_line, key=lambda place: place.location in finding.tracking.added)
        breaks |= {place.location: there.breaks for place, there in zip(by_age, by_line, strict=True)}
    evidence = (replace(item, breaks=breaks[item.location]) if item.is_place else item for item in finding.evidence)
    return replace(finding, evidence=tuple(evidence))


def _is_unmoved(past: Evidence, now: Evidence, since: Since) -> bool:
    line_now = since.moves(past.path).get(past.line) if past.path in since.before else None
    return past.path == now.path and line_now == now.line and is_same_quote(past.quote, now.quote)


def _has_same_quote(past: Evidence, now: Evidence, _: Since) -> bool:
    return past.path == now.path and is_same_quote(past.quote, now.quote)


def is_replaced(past: Finding, now: Finding, since: Since) -> bool:
    """Return whether the lines of an earlier finding changed, and this one quotes what stands between the same kept lines.

    If the file has the quote as often as before, the lines only moved.
    """
    before_text, now_text = since.before.get(now.path), since.now.get(now.path, "")
    if before_text is None or past.side == "base":
        return False
    if 0 < occurrences(before_text, past.quote) <= occurrences(now_text, past.quote):
        return False
    kept = since.moves(now.path)
    before = max((kept[line] for line in kept if line < past.start), default=0)
    after = min((kept[line] for line in kept if line > past.end), default=now.end + 1)
    return before < now.end and now.start < after


def is_rewritten(past: Evidence, now: Evidence, since: Since) -> bool:
    """Return whether both lines are between the same kept lines."""
    if past.path != now.path or past.path not in since.before:
        return False
    kept = since.moves(past.path)
    is_lost = past.line not in kept and now.line not in kept.values()
    return is_lost and sum(line < past.line for line in kept) == sum(line < now.line for line in kept.values())


def _has_moved(past: Evidence, now: Evidence, _: Since) -> bool:
    return is_same_quote(past.quote, now.quote)


_SAME: tuple[Callable[[Evidence, Evidence, Since], bool], ...] = (
    _is_unmoved, _has_same_quote, is_rewritten, _has_moved,
)  # fmt: skip


def is_same_quote(past: str, now: str) -> bool:
    """Return whether two quotes are equal except for whitespace. The earlier one may be masked."""
    old, new = fold(past), fold(now)
    if MASK not in old:
        return old == new
    first, *_, last = old.split(MASK)
    return new.startswith(first) and new.endswith(last)


def with_main_location(finding: Finding, place: Evidence, others: Collection[Evidence] | None = None) -> Finding:
    """Return the finding with this location first.

    `others`: the locations that it still lists, by default all.
    """
    left = [item for item in (finding.places if others is None else others) if item.location != place.location]
    rest = [item for item in finding.evidence if not item.is_place]
    here = {item.location for item in (place, *left)}
    tracking = replace(finding.tracking, added=tuple(one for one in finding.tracking.added if one in here))
    moved = replace(finding, evidence=(*rest, *left), tracking=tracking)
    if place.location == (finding.path, finding.start):
        return moved
    words = place.telling or FindingTexts(finding.title, finding.why, finding.consequence)
    return replace(
        moved,
        path=place.path,
        quote=place.quote,
        start=place.line,
        end=place.line + place.quote.strip("\n").count("\n"),
        side=place.side,
        suggestion=None,
        title=words.title,
        why=words.why,
        consequence=words.consequence,
    )


def is_movable(finding: Finding, place: Evidence) -> bool:
    """Return whether a finding keeps its identity if it is reported at this location.

    That is so if its fingerprint doesn't include its path, or the path is the same.
    """
    return bool(finding.cause) or place.path == finding.path


def at_best(finding: Finding, files: Sequence[ChangedFile]) -> Finding:
    """Return the finding at its best location: preferably new and in the diff, then on a changed line."""

    def order(place: Evidence) -> tuple[bool, ...]:
        is_shown = spot_of(place, files) is not None
        is_changed = any(file.path == place.path and place.line in file.added_lines for file in files)
        is_new = place.location in finding.tracking.added
        return not (is_shown and is_new), not is_changed, not is_shown, not is_new

    places = [place for place in finding.places if is_movable(finding, place) and place.side == "head"]
    best = min(places, key=order, default=None)
    return (
        finding if best is None or best.location == (finding.path, finding.start) else with_main_location(finding, best)
    )
