"""The defects of defects.txt: what each one changes, where it can be planted in a code base, and what the code looks like then.

The file reads like a patch: `#~ class path function`, the lines of the function that go (`-`) and come (`+`), and after `=` a line of another
place that proves the defect. A forgotten caller has a proof alone: the function gets another name everywhere but in that file. `#~ older` names
the local variable that had another name before a change.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from deeprepo_evals.plant.values import FORGOTTEN, OLDER, WHY, Label, Line

DEFECTS = Path(__file__).with_name("defects.txt")
HEAD = r"^\s*(?:export )?(?:async )?(?:def|func|function) (?:\([^)]*\) )?{}\("
Named = Callable[[str], str]  # a text of a piece, with the names of one entity


@dataclass(eq=False, slots=True)
class Row:
    """A line of a file; it stays the same object while the lines around it change."""

    text: str


Files = Mapping[str, list[Row]]


@dataclass(frozen=True, slots=True)
class Defect:
    """One entry of the file, in the words of the pieces or of an entity."""

    kind: str
    path: str
    function: str
    variable: str = ""  # of `older`
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    proof: tuple[str, str] | None = None  # path, text

    def of(self, named: Named) -> "Defect":
        """Return this defect with one entity's names filled in."""
        old, new = (tuple(map(named, rows)) for rows in (self.old, self.new))
        proof = (named(self.proof[0]), named(self.proof[1])) if self.proof else None
        return Defect(self.kind, named(self.path), named(self.function), named(self.variable), old, new, proof)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a defect can be planted in the files of a code base."""

    defect: Defect
    head: Row
    rows: tuple[Row, ...]  # that go
    shown: Row  # that is seen where they were
    proof: Row | None

    @property
    def taken(self) -> set[int]:
        """What no other defect may touch: the function, and the line that proves it."""
        return {id(row) for row in (self.head, self.proof) if row is not None}


@cache
def listed() -> tuple[Defect, ...]:
    """Every entry, the older names too."""
    return tuple(map(_entry, re.split(r"^#~ ", DEFECTS.read_text("utf-8"), flags=re.MULTILINE)[1:]))


def _entry(text: str) -> Defect:
    head, *lines = text.rstrip("\n").split("\n")
    kind, path, function, *variable = head.split(" ")
    signed = {sign: tuple(line[1:] for line in lines if line[0] == sign) for sign in "-+="}
    proof = signed["="][0].split(" ", 1) if signed["="] else None
    told = (proof[0], proof[1]) if proof else None
    return Defect(kind, path, function, variable[0] if variable else "", signed["-"], signed["+"], told)


def places(files: Files, entities: Sequence[Named], kinds: Sequence[str]) -> dict[str, list[Place]]:
    """Where defects of these classes can stand, by class."""
    of_entities = {one.of(named): None for one in listed() if one.kind in kinds for named in entities}
    found: dict[str, list[Place]] = {kind: [] for kind in kinds}
    for defect in of_entities:
        if place := _place(files, defect):
            found[defect.kind].append(place)
    return found


def _place(files: Files, defect: Defect) -> Place | None:
    rows = files.get(defect.path, [])
    start = next((n for n, row in enumerate(rows) if re.match(HEAD.format(defect.function), row.text)), None)
    if start is None:
        return None
    proof = None
    if defect.proof:
        proof = next((row for row in files.get(defect.proof[0], ()) if row.text.strip() == defect.proof[1]), None)
        if proof is None:
            return None
    count = len(defect.old)
    texts = [row.text for row in rows]
    at = next((n for n in range(start, len(rows)) if tuple(texts[n : n + count]) == defect.old), None)
    if at is None:
        return None
    shown = rows[at if defect.new else at + count]
    return Place(defect, rows[start], tuple(rows[at : at + count]), shown, proof)


def choose(found: Mapping[str, Sequence[Place]], count: int, chance: random.Random) -> tuple[Place, ...]:
    """At most so many that do not get in each other's way; the classes take turns, so that rare ones are not drowned by frequent ones."""
    turns = [iter(chance.sample(found[kind], len(found[kind]))) for kind in sorted(found)]
    chance.shuffle(turns)
    chosen: list[Place] = []
    taken: set[int] = set()
    for place in _in_turn(turns):
        if len(chosen) == count:
            break
        if not place.taken & taken:
            chosen.append(place)
            taken |= place.taken
    return tuple(chosen)


def _in_turn(turns: list[Iterator[Place]]) -> Iterator[Place]:
    while turns:
        for one in tuple(turns):
            found = next(one, None)
            if found is None:
                turns.remove(one)
            else:
                yield found


def plant(files: Files, chosen: Sequence[Place]) -> tuple[Label, ...]:
    """Change the files, and describe each defect by the lines as they then are."""
    for place in chosen:
        _change(files, place)
    numbers = {id(row): Line(path, n, row.text.strip()) for path in files for n, row in enumerate(files[path], 1)}
    return tuple(_label(place, numbers) for place in chosen)


def _change(files: Files, place: Place) -> None:
    defect = place.defect
    if defect.kind == FORGOTTEN and defect.proof:
        new = f"{defect.function}_of" if defect.path.endswith(".py") else f"{defect.function}Of"
        for row in (row for path, rows in files.items() if path != defect.proof[0] for row in rows):
            row.text = re.sub(rf"\b{defect.function}\b", new, row.text)
        return
    rows = files[defect.path]
    at = next(n for n, row in enumerate(rows) if row is place.rows[0])
    kept = place.rows[: len(defect.new)]
    for row, text in zip(kept, defect.new, strict=True):
        row.text = text
    rows[at : at + len(place.rows)] = kept


def _label(place: Place, numbers: Mapping[int, Line]) -> Label:
    defect, at = place.defect, numbers[id(place.shown)]
    told = {
        "function": defect.function,
        "before": "".join(defect.old[:1]).strip(),
        "text": at.text,
        "other": defect.proof[0] if defect.proof else "",
    }
    why, trigger = (text.format(**told) for text in WHY[defect.kind])
    proof = (numbers[id(place.proof)],) if place.proof else ()
    return Label(
        at.path, at.number, defect.kind, at.text, defect.function, numbers[id(place.head)], why, trigger, proof
    )


def rewrite(files: Files, entities: Sequence[Named], touched: set[int], decoys: int, chance: random.Random) -> None:
    """Give the touched functions, and so many others, the name that one of their variables had before the change."""
    found = places(files, entities, (OLDER,))[OLDER]
    others = [place for place in found if id(place.head) not in touched]
    for place in [*(one for one in found if id(one.head) in touched), *chance.sample(others, min(decoys, len(others)))]:
        name = place.defect.variable
        before = f"the_{name}" if place.defect.path.endswith(".py") else f"the{name[0].upper()}{name[1:]}"
        for row in _function(files[place.defect.path], place.head):
            row.text = re.sub(rf"(?<![\w.\"]){name}(?![\w\"])", before, row.text)


def _function(rows: Sequence[Row], head: Row) -> Iterator[Row]:
    """The lines of a function below its head, without its docstring."""
    start = next(n for n, row in enumerate(rows) if row is head)
    edge = len(head.text) - len(head.text.lstrip())
    for row in rows[start + 1 :]:
        if row.text.strip() and len(row.text) - len(row.text.lstrip()) <= edge:
            return
        if not row.text.lstrip().startswith('"""'):
            yield row
