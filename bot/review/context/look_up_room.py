"""Divide an answer's token limit among the results of look-ups, and list what is left out.

Code requested by location (a definition, lines) comes before search results and uses. It is shown whole and
in one piece if it fits. No line is shown twice. A result that contains a line shown elsewhere refers to that
heading. Pure functions.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from bot import blocks
from bot.diff.units import ShownLines
from bot.review.context import definitions, identifiers
from bot.values import DiffRow, Excerpt, LookUp, Side
from deeprepo.impact.text.lines import is_comment
from deeprepo.rlm.values import tokens

LINES_AROUND_DECIDING = 8  # lines kept around a decisive line if not everything fits
MARKERS = 8  # tokens of the marks around an excerpt
RESERVED = 300  # tokens reserved for each search, even if code requested by location needs them
MOST_LINES, MOST_DEFINITION, MOST_SEARCH = 6_000, 3_000, 1_500  # tokens per look-up, however much is left
MIN_PIECE_LINES = 3  # lines of the smallest piece worth showing
NAMED_PLACES = 4  # locations listed if they are not shown
Place = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The result of one look-up."""

    heading: str  # the request, as text
    excerpts: tuple[Excerpt, ...] = ()
    notes: tuple[str, ...] = ()  # sentences: why nothing was found, or what is not shown


@dataclass(frozen=True, slots=True)
class Candidate:
    """Lines found by a look-up. The `deciding` lines, and the `heads` of what encloses them, come first."""

    excerpt: Excerpt
    deciding: frozenset[int] = frozenset()
    heads: frozenset[int] = frozenset()


@dataclass(slots=True)
class AnswerRoom:
    """The tokens that are left, and the heading under which each line is shown."""

    tokens: int
    shown_lines: ShownLines = field(default_factory=ShownLines)
    headings: dict[Place, str] = field(default_factory=dict)

    def show(self, excerpt: Excerpt, heading: str) -> None:
        """Record the lines of an excerpt as shown under a heading."""
        self.shown_lines.add(excerpt)
        self.headings.update({(excerpt.path, excerpt.side, diff_row.number): heading for diff_row in excerpt.rows})

    def has(self, excerpt: Excerpt, number: int) -> bool:
        """Return whether a line of the excerpt's file is shown."""
        return self.shown_lines.has(excerpt.path, number, excerpt.side)


@dataclass(slots=True)
class Result:
    """One look-up while tokens are being divided."""

    look_up: LookUp
    candidates: list[Candidate]
    notes: list[str]
    rest: tuple[tuple[str, int], ...] = ()  # further hits that may not be shown
    excerpts: list[Excerpt] = field(default_factory=list)
    tokens_used: int = 0

    @property
    def exact(self) -> bool:
        """Whether it requests code by location."""
        return self.look_up.kind in {"definition", "lines"}

    @property
    def tokens_left(self) -> int:
        """The tokens that this look-up may still use, before the common limit."""
        most = {"lines": MOST_LINES, "definition": MOST_DEFINITION}.get(self.look_up.kind, MOST_SEARCH)
        return most - self.tokens_used

    def show(self, room: AnswerRoom, most: int) -> None:
        """Show new lines until the limit is reached. For a search, show all hits before their surrounding lines.

        The surrounding lines are shown even if another result has shown the hit as a single line.
        """
        before = most = min(most, self.tokens_left)
        for candidate in () if self.exact else self.candidates:
            hits = {n for n in candidate.deciding if not room.has(candidate.excerpt, n)}
            rows = [
                diff_row
                for diff_row in candidate.excerpt.rows
                if diff_row.number in hits | (candidate.heads if hits else set())
            ]
            most -= self._show_rows(candidate, rows, room, most)
        for candidate in self.candidates:
            if self.exact or any(room.has(candidate.excerpt, number) for number in candidate.deciding):
                most -= self._show_rows(candidate, candidate.excerpt.rows, room, most)
        room.tokens -= before - most
        self.tokens_used += before - most

    def _show_rows(self, candidate: Candidate, rows: Sequence[DiffRow], room: AnswerRoom, most: int) -> int:
        """Show those of some rows that are new and fit, and return their tokens."""
        excerpt = candidate.excerpt
        new = [diff_row for diff_row in rows if not room.has(excerpt, diff_row.number)]
        header = 0 if any(shown_excerpt.path == excerpt.path for shown_excerpt in self.excerpts) else _header(excerpt)
        fitting_rows = fit(excerpt.path, new, candidate.deciding, most - header)
        if not any(diff_row.text.strip() for diff_row in fitting_rows) or len(fitting_rows) < min(
            MIN_PIECE_LINES, len(new)
        ):
            return 0
        part = replace(excerpt, start=fitting_rows[0].number, end=fitting_rows[-1].number, rows=tuple(fitting_rows))
        room.show(part, heading(self.look_up))
        self.excerpts.append(part)
        return sum(_size(diff_row) for diff_row in fitting_rows) + header

    def looked_up(self, room: AnswerRoom) -> LookedUp:
        """Return the result for the model, once all tokens are divided."""
        notes = (*self.notes, *self._elsewhere(room), *self._left(room))
        return LookedUp(heading(self.look_up), tuple(_by_title(self.excerpts)), notes)

    def _wanted(self, candidate: Candidate) -> list[int]:
        """Return the requested lines: all of them for code requested by location, else those that match."""
        return sorted({diff_row.number for diff_row in candidate.excerpt.rows} if self.exact else candidate.deciding)

    def _elsewhere(self, room: AnswerRoom) -> Iterator[str]:
        """Yield the headings under which lines of this look-up are already shown."""
        head = heading(self.look_up)
        numbers_by_place: dict[tuple[str, str], list[int]] = defaultdict(list)
        for candidate in self.candidates:
            excerpt = candidate.excerpt
            for number in self._wanted(candidate):
                if room.has(excerpt, number):
                    under = room.headings.get((excerpt.path, excerpt.side, number), "")
                    if under != head:
                        numbers_by_place[under, excerpt.path].append(number)
        for (under, path), numbers in numbers_by_place.items():
            where = f'shown under "{under}"' if under else "shown before"
            yield f"{where}: {path} {spans(numbers)}"

    def _left(self, room: AnswerRoom) -> Iterator[str]:
        """Yield a note on what did not fit, with line numbers."""
        numbers_by_path: dict[str, list[int]] = defaultdict(list)
        for candidate in self.candidates:
            excerpt = candidate.excerpt
            left = [n for n in self._wanted(candidate) if not room.has(excerpt, n)]
            text = {diff_row.number: diff_row.text for diff_row in excerpt.rows}
            if any(tells(excerpt.path, text.get(number, "")) for number in left):
                numbers_by_path[excerpt.path] += left
        if self.exact:
            for path, numbers in numbers_by_path.items():
                yield f"not shown for lack of room: {path} {spans(numbers)}; a look-up of these lines alone shows them"
            return
        for path, number in self.rest:
            numbers_by_path[path].append(number)
        places = "; ".join(
            f"{path} {spans(sorted(numbers))}" for path, numbers in [*numbers_by_path.items()][:NAMED_PLACES]
        )
        if count := sum(map(len, numbers_by_path.values())):
            files = len(numbers_by_path)
            more = f" and {files - NAMED_PLACES} more files" if files > NAMED_PLACES else ""
            yield f"{count} more not shown: {places}{more}; a narrower glob or pattern shows them"


def distribute_tokens(results: Sequence[Result], room: AnswerRoom) -> tuple[LookedUp, ...]:
    """Divide the tokens among the results and return them in order.

    What one result doesn't need goes to the next.
    """
    exact = [one for one in results if one.exact and one.candidates]
    others = [one for one in results if not one.exact and one.candidates]
    reserve_tokens = min(RESERVED * len(others), room.tokens // 2)
    for group, reserve in ((exact, reserve_tokens), (others, 0)):
        for index, result in enumerate(group):
            result.show(room, (room.tokens - reserve) // (len(group) - index))
        for result in group:  # tokens that later results did not need
            result.show(room, room.tokens - reserve)
    return tuple(result.looked_up(room) for result in results)


def fit(path: str, rows: Sequence[DiffRow], deciding: Collection[int], most: int) -> list[DiffRow]:
    """Return the rows that fit, in order.

    Decisive lines and their neighbors come first, then heads of definitions, other code, and comments.
    """
    sizes = [_size(diff_row) for diff_row in rows]
    if sum(sizes) <= most or not rows:
        return list(rows)
    places_kept: set[int] = set()
    for places in _by_weight(path, rows, deciding):
        for at in places:
            if at in places_kept:
                continue
            most -= sizes[at]
            if most < 0:
                return [rows[position] for position in sorted(places_kept)]
            places_kept.add(at)
    return [rows[position] for position in sorted(places_kept)]


def _by_weight(path: str, rows: Sequence[DiffRow], deciding: Collection[int]) -> Iterator[list[int]]:
    texts = [diff_row.text for diff_row in rows]
    hits = [index for index, diff_row in enumerate(rows) if diff_row.number in deciding]
    code = [at for at, text in enumerate(texts) if tells(path, text)]
    yield sorted({0, *hits, *(number - 1 for at in hits for number in blocks.openings(texts, at + 1, 1))})
    yield sorted(
        {
            position
            for at in hits
            for position in range(max(0, at - LINES_AROUND_DECIDING), min(len(rows), at + LINES_AROUND_DECIDING + 1))
        }
    )
    yield [at for at in code if definitions.names(path, texts[at])]
    yield sorted(code, key=lambda at: (_away(at, hits), at))
    yield list(range(len(rows)))


def _away(at: int, hits: Sequence[int]) -> int:
    """Return a row's distance to the nearest of some sorted rows; 0 if there are none."""
    after = bisect_left(hits, at)
    return min((abs(at - hit) for hit in hits[max(0, after - 1) : after + 1]), default=0)


def tells(path: str, text: str) -> bool:
    """Return whether a line is code, and not blank, a comment or an import."""
    return bool(text.strip()) and not is_comment(text, path) and not identifiers.IMPORT.match(text)


def spans(numbers: Iterable[int]) -> str:
    """Return line numbers formatted for a reader: `12, 40 to 52`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)


def heading(look_up: LookUp) -> str:
    """Return the request as a heading."""
    where = f" in {look_up.path}" if look_up.path and look_up.kind != "lines" else ""
    before = ", before the change" if look_up.side == "base" else ""
    match look_up.kind:
        case "lines":
            span = f"lines {look_up.start} to {look_up.end}" if look_up.start or look_up.end else "the first lines"
            return f"{span} of {look_up.path or '(no path)'}{before}"
        case "files":
            return f"files{where}{before}"
        case "search":
            return f"search for {look_up.name}{where}{before}"
        case "uses":
            return f"uses of {look_up.name}{where}{before}"
    return f"definition of {look_up.name}{where}{before}"


def _size(diff_row: DiffRow) -> int:
    """Return the tokens of a row. Most rows are written without their number."""
    return tokens(f"  {diff_row.text}") + 1


def _header(excerpt: Excerpt) -> int:
    return tokens(excerpt.path + excerpt.title) + MARKERS


def _by_title(excerpts: Iterable[Excerpt]) -> list[Excerpt]:
    """Return the excerpts with the pieces of each joined again."""
    pieces: dict[tuple[str, Side, str], dict[int, DiffRow]] = defaultdict(dict)
    for excerpt in excerpts:
        pieces[excerpt.path, excerpt.side, excerpt.title].update(
            {diff_row.number: diff_row for diff_row in excerpt.rows}
        )
    return [
        Excerpt(path, min(rows), max(rows), tuple(rows[n] for n in sorted(rows)), side, title)
        for (path, side, title), rows in pieces.items()
    ]
