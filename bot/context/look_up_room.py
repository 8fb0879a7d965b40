"""What of the results of look-ups one answer shows: its room is given out, and what is left out is named. Pure.

Code that was asked for by its place (a definition, lines) comes before what a search or the uses of a name bring: it is shown
whole if the room holds it, in one piece, and under the look-up that asked for it. No line is shown twice: where a later result
holds a line that is shown under another heading, it says under which.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from bot.context import identifiers
from bot.diff.units import ShownLines
from bot.text import blocks
from bot.text.lines import is_comment
from bot.values import DiffRow, Excerpt, LookUp, tokens

NEAR = 8  # lines before and after a deciding one that stay when the room does not hold all
MARKERS = 8  # tokens of the marks around an excerpt
RESERVED = 300  # tokens that stay for each search, whatever the code needs that was asked for by its place
MOST = {"lines": 6_000, "definition": 3_000, "search": 1_500, "uses": 1_500}  # tokens of one look-up, whatever is left
LEAST = 3  # lines of a piece that is worth showing
NAMED = 4  # places that are not shown, by name


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What one look-up brought."""

    heading: str  # what was asked
    excerpts: tuple[Excerpt, ...] = ()
    notes: tuple[str, ...] = ()  # sentences: nothing was found and why, what is not shown


@dataclass(frozen=True, slots=True)
class Candidate:
    """Lines that a look-up brought. The `deciding` ones, and the `heads` of what encloses them, come before the others."""

    excerpt: Excerpt
    deciding: frozenset[int] = frozenset()
    heads: frozenset[int] = frozenset()


@dataclass(slots=True)
class AnswerRoom:
    """What may still be shown, and under which heading each line stands."""

    tokens: int
    shown_lines: ShownLines = field(default_factory=ShownLines)
    headings: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def show(self, excerpt: Excerpt, heading: str) -> None:
        """Note the lines of an excerpt as shown under a heading."""
        self.shown_lines.add(excerpt)
        self.headings.update({(excerpt.path, excerpt.side, row.number): heading for row in excerpt.rows})

    def left(self, excerpt: Excerpt, numbers: Collection[int] | None = None) -> list[DiffRow]:
        """The rows of an excerpt that are not shown yet: all, or those of some numbers."""
        rows = excerpt.rows if numbers is None else [row for row in excerpt.rows if row.number in numbers]
        return [row for row in rows if not self.shown_lines.has(excerpt.path, row.number, excerpt.side)]


@dataclass(slots=True)
class Result:
    """One look-up while room is given out."""

    look_up: LookUp
    candidates: list[Candidate]
    notes: list[str]
    rest: tuple[tuple[str, int], ...] = ()  # hits beyond those that may be shown
    excerpts: list[Excerpt] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Whether it names the place of the code that it wants."""
        return self.look_up.kind in {"definition", "lines"}

    @property
    def need(self) -> int:
        """The tokens that would show all of it, or the most that it may have."""
        needed = sum(_size(one.excerpt.rows) + _header(one.excerpt) for one in self.candidates)
        return min(needed, MOST.get(self.look_up.kind, MOST["search"]))

    def show(self, room: AnswerRoom, most: int) -> None:
        """Show what is not shown yet, as far as it fits: what decides in every candidate before the other lines of any."""
        before = most
        deciding = [room.left(one.excerpt, one.deciding | one.heads) for one in self.candidates]
        least = [
            _size(rows) + _header(one.excerpt) * bool(rows) for one, rows in zip(self.candidates, deciding, strict=True)
        ]
        beyond = max(0, most - sum(least))
        for candidate, size in zip(self.candidates, least, strict=True):
            excerpt = candidate.excerpt
            new, header = room.left(excerpt), _header(excerpt)
            rows = fit(excerpt.path, new, candidate.deciding | candidate.heads, min(most, size + beyond) - header)
            is_hit = any(row.number in candidate.deciding for row in rows)
            if not any(row.text.strip() for row in rows) or not (is_hit or len(rows) >= min(LEAST, len(new))):
                continue
            part = replace(excerpt, start=rows[0].number, end=rows[-1].number, rows=tuple(rows))
            room.show(part, heading(self.look_up))
            self.excerpts.append(part)
            used = _size(rows) + header
            most, beyond = most - used, beyond - max(0, used - size)
        room.tokens -= before - most

    def looked_up(self, room: AnswerRoom) -> LookedUp:
        """The result as its reader is shown it, once every result has its room."""
        notes = (*self.notes, *self._elsewhere(room), *self._left(room))
        return LookedUp(heading(self.look_up), tuple(self.excerpts), notes)

    def _wanted(self, candidate: Candidate) -> Collection[int] | None:
        """The lines for which it was asked: of code that was asked for by its place all of it, else those that match."""
        return None if self.exact else candidate.deciding

    def _elsewhere(self, room: AnswerRoom) -> Iterator[str]:
        """Where lines of this look-up stand that are shown under another heading, or in the prompt."""
        numbers_by_place: dict[tuple[str, str], list[int]] = defaultdict(list)
        for candidate in self.candidates:
            excerpt, wanted = candidate.excerpt, self._wanted(candidate)
            left = {row.number for row in room.left(excerpt)}
            for row in excerpt.rows:
                under = room.headings.get((excerpt.path, excerpt.side, row.number), "")
                if row.number not in left and under != heading(self.look_up) and (not wanted or row.number in wanted):
                    numbers_by_place[under, excerpt.path].append(row.number)
        for (under, path), numbers in numbers_by_place.items():
            where = f'shown under "{under}"' if under else "shown before"
            yield f"{where}: {path} {spans(numbers)}"

    def _left(self, room: AnswerRoom) -> Iterator[str]:
        """What did not fit, by its lines."""
        numbers_by_path: dict[str, list[int]] = defaultdict(list)
        for candidate in self.candidates:
            left = room.left(candidate.excerpt, self._wanted(candidate))
            if any(tells(candidate.excerpt.path, row.text) for row in left):
                numbers_by_path[candidate.excerpt.path] += [row.number for row in left]
        if self.exact:
            for path, numbers in numbers_by_path.items():
                yield f"not shown for lack of room: {path} {spans(numbers)}; a look-up of these lines alone shows them"
            return
        for path, number in self.rest:
            numbers_by_path[path].append(number)
        places = "; ".join(f"{path} {spans(sorted(numbers))}" for path, numbers in [*numbers_by_path.items()][:NAMED])
        if count := sum(map(len, numbers_by_path.values())):
            files = len(numbers_by_path)
            more = f" and {files - NAMED} more files" if files > NAMED else ""
            yield f"{count} more not shown: {places}{more}; a narrower glob or pattern shows them"


def give_out(results: Sequence[Result], room: AnswerRoom) -> tuple[LookedUp, ...]:
    """Give the room to the results and return them in their order: what one does not need, the others may have."""
    exact = [one for one in results if one.exact and one.candidates]
    others = [one for one in results if not one.exact and one.candidates]
    reserved = min(RESERVED * len(others), room.tokens // 2)
    for group, reserve in ((exact, reserved), (others, 0)):
        for result, part in zip(group, _parts([one.need for one in group], room.tokens - reserve), strict=True):
            result.show(room, part)
    return tuple(result.looked_up(room) for result in results)


def _parts(needs: Sequence[int], total: int) -> list[int]:
    """What each gets of a total: what it needs, or an equal part of what those that need less leave."""
    given = [0] * len(needs)
    for count, at in enumerate(sorted(range(len(needs)), key=lambda at: needs[at])):
        given[at] = min(needs[at], total // (len(needs) - count))
        total -= given[at]
    return given


def fit(path: str, rows: Sequence[DiffRow], deciding: Collection[int], most: int) -> list[DiffRow]:
    """The rows that fit, in their order: those that decide and what opens their blocks first, then the nearest, code before comments."""
    if _size(rows) <= most or not rows:
        return list(rows)
    texts = [row.text for row in rows]
    hits = [at for at, row in enumerate(rows) if row.number in deciding]
    first = {0, *hits, *(number - 1 for at in hits for number in blocks.openings(texts, at + 1, 1))}
    places_kept: list[int] = []
    for at in sorted(range(len(rows)), key=lambda at: _weight(path, texts[at], at, first, hits)):
        most -= _size([rows[at]])
        if most < 0:
            break
        places_kept.append(at)
    return [rows[at] for at in sorted(places_kept)]


def _weight(
    path: str, text: str, at: int, first: Collection[int], hits: Sequence[int]
) -> tuple[bool, bool, bool, int, int]:
    """How late a row is taken."""
    away = _away(at, hits)
    return at not in first, away > NEAR, not tells(path, text), away, at


def _away(at: int, hits: Sequence[int]) -> int:
    """How far a row is from the nearest of some rows, which are in their order; 0 if there are none."""
    after = bisect_left(hits, at)
    return min((abs(at - hit) for hit in hits[max(0, after - 1) : after + 1]), default=0)


def tells(path: str, text: str) -> bool:
    """Whether a line is code that decides something: no blank line, comment or import."""
    return bool(text.strip()) and not is_comment(text, path) and not identifiers.IMPORT.match(text)


def spans(numbers: Iterable[int]) -> str:
    """Line numbers as a reader is shown them: `12, 40 to 52`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)


def heading(look_up: LookUp) -> str:
    """What was asked, as a heading."""
    where = f" in {look_up.path}" if look_up.path and look_up.kind != "lines" else ""
    before = ", before the change" if look_up.side == "base" else ""
    match look_up.kind:
        case "lines":
            span = f"lines {look_up.start} to {look_up.end}" if look_up.start or look_up.end else "the first lines"
            return f"{span} of {look_up.path or '(no path)'}{before}"
        case "search":
            return f"search for {look_up.name}{where}{before}"
        case "uses":
            return f"uses of {look_up.name}{where}{before}"
    return f"definition of {look_up.name}{where}{before}"


def _size(rows: Iterable[DiffRow]) -> int:
    """Tokens of rows, most of which are written without their number."""
    return sum(tokens(f"  {row.text}") + 1 for row in rows)


def _header(excerpt: Excerpt) -> int:
    return tokens(excerpt.path + excerpt.title) + MARKERS
