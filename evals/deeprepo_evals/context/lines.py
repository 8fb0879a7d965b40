"""Labelled lines, as in OOLONG: each line asks for a thing, and its label is the kind of thing. Pure.

All sentences share their frames, and each names things of other kinds too: no word that a search could count tells the label.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations

from deeprepo_evals.context.score import Expected

THINGS: Mapping[str, Sequence[str]] = {
    "human being": "aunt baker carpenter cousin dentist drummer farmer gardener goalkeeper judge midwife nephew nurse painter pilot plumber sailor widow".split(),  # noqa: SIM905 - quoted words read badly
    "location": "bay canyon cape county desert district glacier harbour island lagoon peninsula province quarry suburb swamp valley village volcano".split(),  # noqa: SIM905
    "entity": "accordion anvil bicycle candle hammer kettle ladder lantern melon mirror otter parrot scarf spoon tractor umbrella violin walnut".split(),  # noqa: SIM905
    "numeric value": "age amount distance duration fee height length percentage price salary score speed sum temperature tonnage wage weight width".split(),  # noqa: SIM905
    "abstract concept": "belief custom doctrine excuse grudge habit hypothesis idea meaning motive notion principle proverb reason rumour theory tradition virtue".split(),  # noqa: SIM905
}
LABELS = tuple(THINGS)
KINDS = dict(
    zip("pleac", LABELS, strict=True)
)  # the letters of the frames: a person, a location, an entity, an amount, a concept
FRAMES = (
    "Which {x} did the {p} bring up at the {l}?",
    "Nobody at the {l} could tell the {p} which {x} it had been.",
    "The {p} put down the {e} and wanted to know the {x}.",
    "Was it the {e} or the {p} that made you think of that {x}?",
    "After all that talk of the {a} and the {c}, which {x} did the {p} settle on?",
    "Leave the {c} aside, and the {l} too: what {x} was in the letter?",
    "The {p} from the {l} asked for a {x} and got an answer about the {e}.",
    "Whatever the {a}, the question is still the {x}, said the {p}.",
)
HEAD = (
    "In the lines of the text each line asks for one thing, and its label is the kind of thing that it asks for: "
    f"{', '.join(LABELS[:-1])} or {LABELS[-1]}; the text does not give the labels, they follow from what the lines mean. "
)
PAIRS = "Which are all the pairs of users (each pair once, the lower number first, in the form (low, high)) in which "
FIRST_DAY, DAYS = date(2023, 1, 1), 700
FEWEST, MOST = 6, 24  # users
TRIES = 60
RECORD = re.compile(r"Date: (\w{3} \d\d, \d{4}) \|\| User: (\d+) \|\| Instance: (.+)$")
TOTAL = re.compile(rf"^(\d+)\|({'|'.join(LABELS)})\|(\d+)\|([\d-]{{10}})\|([\d-]{{10}})$")
_WORDS = {word: label for label, words in THINGS.items() for word in words}
_SEEN = [
    re.compile(re.sub(r"\{(.)\}", r"(?P<\1>\\w+)", re.escape(frame).replace(r"\{", "{").replace(r"\}", "}")))
    for frame in FRAMES
]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many lines, and the days of the first and the last of them."""

    count: int
    first: str
    last: str

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.count + other.count, min(self.first, other.first), max(self.last, other.last))


Totals = Mapping[tuple[str, str], Tally]  # by user and label
Row = tuple[str, str, Tally]
NOTHING = Tally(0, "9999-99-99", "0000-00-00")


def make(size: int, chance: random.Random) -> tuple[str, Totals]:
    """A text of `size` characters, within a line, and what stands in it."""
    users = [str(number) for number in chance.sample(range(1_000, 10_000), max(FEWEST, min(MOST, size // 700)))]
    leaning = {user: chance.sample(LABELS, chance.randint(2, 4)) for user in users}
    often = dict(zip(LABELS, chance.sample((2, 3, 4, 5, 7), len(LABELS)), strict=True))
    lines: dict[str, Row] = {}
    left = size
    while True:
        user = chance.choice(users)
        label = chance.choices(leaning[user], [often[one] for one in leaning[user]])[0]
        day = FIRST_DAY + timedelta(chance.randrange(DAYS))
        words = {letter: chance.choice(THINGS[kind]) for letter, kind in KINDS.items()}
        line = f"Date: {day:%b %d, %Y} || User: {user} || Instance: {chance.choice(FRAMES).format(x=chance.choice(THINGS[label]), **words)}"
        left -= len(line) + 1
        if left < 0:
            return "\n".join(lines), together(lines.values())
        lines.setdefault(line, (user, label, Tally(1, day.isoformat(), day.isoformat())))


def together(rows: Iterable[Row]) -> Totals:
    """Rows about the same user and label as one."""
    totals: dict[tuple[str, str], Tally] = {}
    for user, label, tally in rows:
        totals[user, label] = totals.get((user, label), NOTHING) + tally
    return totals


def read(line: str) -> Row | None:
    """What somebody who understands it makes of a line, or of a row of totals; None for any other."""
    if found := TOTAL.match(line):
        return found[1], found[2], Tally(int(found[3]), found[4], found[5])
    found = RECORD.search(line)
    asked = [seen["x"] for frame in _SEEN if found and (seen := frame.fullmatch(found[3]))]
    if not found or not asked:
        return None
    day = datetime.strptime(found[1], "%b %d, %Y").date().isoformat()  # noqa: DTZ007 - a day has no zone
    return found[2], _WORDS[asked[0]], Tally(1, day, day)


def written(totals: Totals) -> list[str]:
    """The totals as rows that `read` takes."""
    return [f"{user}|{label}|{one.count}|{one.first}|{one.last}" for (user, label), one in totals.items()]


def ask(
    kinds: Mapping[str, Callable[..., Expected]], totals: Totals, turn: int, chance: random.Random
) -> tuple[str, Expected]:
    """A question of the kind whose turn it is, and its answer; of another kind where that one has no clear answer here."""
    for attempt in range(TRIES):
        words, find = list(kinds.items())[(turn + attempt // (TRIES // len(kinds))) % len(kinds)]
        a, b = chance.sample(LABELS, 2)
        day = (FIRST_DAY + timedelta(chance.randrange(DAYS))).isoformat()
        expected = find(totals, a, b, day)
        if expected is not None and expected != ():
            return HEAD + words.format(a=a, b=b, day=day), expected
    raise ValueError("no question has a clear answer over these lines")  # a text of many lines has one


def answer(question: str, totals: Totals) -> Expected:
    """The answer to a question that `ask` made. None for any other."""
    for words, find in (*COUNTS.items(), *PAIRED.items()):
        form = (
            re.escape(HEAD + words)
            .replace(r"\{", "{")
            .replace(r"\}", "}")
            .format(a="(?P<a>[a-z ]+)", b="(?P<b>[a-z ]+)", day=r"(?P<day>[\d-]+)")
        )
        if found := re.fullmatch(form, question):
            given = found.groupdict()
            return find(totals, given.get("a", ""), given.get("b", ""), given.get("day", ""))
    return None


def _by_label(totals: Totals) -> dict[str, int]:
    return {label: sum(one.count for (_, has), one in totals.items() if has == label) for label in LABELS}


def _count(totals: Totals, a: str, *_: str) -> Expected:
    return _by_label(totals)[a]


def _most(totals: Totals, *_: str) -> Expected:
    return _only(_by_label(totals), max)


def _fewest(totals: Totals, *_: str) -> Expected:
    return _only(_by_label(totals), min)


def _compare(totals: Totals, a: str, b: str, _: str) -> Expected:
    counts = _by_label(totals)
    if counts[a] == counts[b]:
        return "same frequency as"
    return "more common than" if counts[a] > counts[b] else "less common than"


def _user(totals: Totals, a: str, *_: str) -> Expected:
    return _only({user: one.count for (user, label), one in totals.items() if label == a}, max)


def _first(totals: Totals, a: str, *_: str) -> Expected:
    return min((one.first for (_, label), one in totals.items() if label == a), default=None)


def _only(counts: Mapping[str, int], best: Callable[[Iterable[int]], int]) -> str | None:
    found = [name for name, count in counts.items() if count == best(counts.values())]
    return found[0] if len(found) == 1 else None


COUNTS: Mapping[str, Callable[..., Expected]] = {
    "How many lines have the label '{a}'?": _count,
    "Which label do the most lines have?": _most,
    "Is the label '{a}' more common than, less common than, or of the same frequency as the label '{b}'?": _compare,
    "Which user has the most lines with the label '{a}'?": _user,
    "Which label do the fewest lines have?": _fewest,
    "On which date is the first of all lines with the label '{a}'?": _first,
}


def _pairs(totals: Totals, one: Callable[..., bool], other: Callable[..., bool]) -> tuple[tuple[str, str], ...]:
    users = sorted({user for user, _ in totals})

    def of(user: str) -> Callable[[str], Tally]:
        return lambda label: totals.get((user, label), NOTHING)

    fits = {user: (one(of(user)), other(of(user))) for user in users}
    return tuple(
        (u, v) for u, v in combinations(users, 2) if (fits[u][0] and fits[v][1]) or (fits[v][0] and fits[u][1])
    )


def _either(totals: Totals, a: str, b: str, _: str) -> Expected:
    has = lambda of: of(a).count + of(b).count > 0  # noqa: E731
    return _pairs(totals, has, has)


def _two(totals: Totals, a: str, b: str, _: str) -> Expected:
    return _pairs(totals, lambda of: of(a).count == 0, lambda of: of(b).count >= 2)  # noqa: PLR2004 - as the question says


def _after(totals: Totals, a: str, _: str, day: str) -> Expected:
    fits = lambda of: of(a).count > 0 and of(a).first > day  # noqa: E731
    return _pairs(totals, fits, fits)


def _without(totals: Totals, a: str, b: str, _: str) -> Expected:
    fits = lambda of: of(a).count > 0 and of(b).count == 0  # noqa: E731
    return _pairs(totals, fits, fits)


PAIRED: Mapping[str, Callable[..., Expected]] = {
    PAIRS + "both users have a line with the label '{a}' and none with the label '{b}'?": _without,
    PAIRS + "both users have a line with the label '{a}', and all such lines of both are dated after {day}?": _after,
    PAIRS + "one user has no line with the label '{a}' and the other one has two or more with the label '{b}'?": _two,
    PAIRS + "both users have a line with the label '{a}' or '{b}'?": _either,
}
