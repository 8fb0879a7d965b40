"""Choose defects and put them in: every edited file still parses, no two defects touch the same function, every line is counted again."""

import random
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from tree_sitter import Node

from bot.diff.skip import GENERATED_HEAD, LONG_LINE
from bot.languages.faults import faults
from bot.languages.syntax import first_line, last_line
from bot.text.paths import is_generated, is_test, vendored_folder
from deeprepo_evals.plant.grammar import enclosing, family, functions, root
from deeprepo_evals.plant.mutations import MUTATIONS, Edit, Mutation, Scene, Site, Spot
from deeprepo_evals.plant.values import Label, Line

MAX_FILE, HEAD_BYTES = 200_000, 1_000  # bytes: a larger source was written by a program; where its header would say so
MAX_CALLERS = 3


def plantable(path: str, source: bytes) -> bool:
    """Whether a defect may are in this file: code that a person wrote, and no test."""
    if family(path) is None or is_test(path) or vendored_folder(path) or is_generated(path):
        return False
    long = max(map(len, source.split(b"\n")), default=0) > LONG_LINE
    return len(source) <= MAX_FILE and not long and not GENERATED_HEAD.search(source[:HEAD_BYTES])


def scene(files: Mapping[str, str]) -> Scene:
    """The sources of a tree, to be asked."""
    return of_bytes({path: text.encode("utf-8", "surrogateescape") for path, text in files.items()})


def of_bytes(sources: Mapping[str, bytes]) -> Scene:
    """The same, of files as git has them."""
    return Scene(sources, cache(lambda path: plantable(path, sources[path]) and not faults(path, sources[path])))


@dataclass(eq=False)
class Field:
    """Everything that could be planted in some files of a tree."""

    scene: Scene
    paths: Sequence[str]
    kinds: Sequence[str]
    lines: Mapping[str, Container[int]] | None = None  # only functions that hold one of these lines; None: all

    @cached_property
    def sites(self) -> list[Site]:
        """The functions."""
        found = []
        for path in self.paths:
            kind = family(path)
            if kind is not None and self.scene.plantable(path):
                rows = functions(root(path, self.scene.files[path]), kind)
                found += [Site(self.scene, path, node, kind) for node in rows if self._is_wanted(path, node)]
        return found

    def _is_wanted(self, path: str, node: Node) -> bool:
        span = range(first_line(node), last_line(node) + 1)
        return self.lines is None or any(line in self.lines.get(path, ()) for line in span)

    def proposals(self, chance: random.Random) -> Iterator[Mutation]:
        """Defects of the asked classes, in any order: the classes take turns, so that rare ones are not drowned by frequent ones."""
        rows = [self._of(kind, chance) for kind in sorted(self.kinds)]
        chance.shuffle(rows)
        while rows:
            for row in tuple(rows):
                found = next(row, None)
                if found is None:
                    rows.remove(row)
                else:
                    yield found

    def _of(self, kind: str, chance: random.Random) -> Iterator[Mutation]:
        """The proposals of one class, function by function; no function is looked at before its turn."""
        for site in chance.sample(self.sites, len(self.sites)):
            found = list(MUTATIONS[kind](site))
            chance.shuffle(found)
            yield from found


def choose(
    field: Field, count: int, chance: random.Random, fits: Callable[[Mutation], bool] = lambda _: True
) -> tuple[Mutation, ...]:
    """At most `count` defects that fit and do not get in each other's way, spread over classes and functions."""
    chosen: list[Mutation] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for proposal in field.proposals(chance) if count else ():
        spans = _spans(field.scene, proposal)
        if any(start < b and a < end for path, start, end in spans for a, b in taken.get(path, ())):
            continue
        if not fits(proposal) or not parses(field.scene, proposal.edits):
            continue
        chosen.append(proposal)
        for path, start, end in spans:
            taken.setdefault(path, []).append((start, end))
        if len(chosen) == count:
            break
    return tuple(chosen)


def _spans(scene: Scene, proposal: Mutation) -> list[tuple[str, int, int]]:
    """What a defect takes for itself: the functions around its edits and its proof, so that no other one blurs them."""
    spots = [*(Spot(edit.path, edit.start) for edit in proposal.edits), proposal.at, *proposal.proof]
    found = [(edit.path, edit.start, max(edit.end, edit.start + 1)) for edit in proposal.edits]
    for spot in spots:
        kind = family(spot.path)
        node = root(spot.path, scene.files[spot.path]).descendant_for_byte_range(spot.byte, spot.byte) if kind else None
        around = enclosing(node, kind) if node is not None and kind is not None else None
        found.append(
            (spot.path, around.start_byte, around.end_byte) if around else (spot.path, spot.byte, spot.byte + 1)
        )
    return found


def parses(scene: Scene, edits: Sequence[Edit]) -> bool:
    """Whether every edited file is still well formed."""
    paths = {edit.path for edit in edits}
    return not any(faults(path, edit_file(scene.files[path], path, edits)) for path in paths)


def edit_file(source: bytes, path: str, edits: Iterable[Edit]) -> bytes:
    """A file with all edits that are for it."""
    for edit in sorted((e for e in edits if e.path == path), key=lambda e: -e.start):
        source = source[: edit.start] + edit.new + source[edit.end :]
    return source


def plant_all(scene: Scene, mutations: Sequence[Mutation]) -> tuple[dict[str, bytes], tuple[Label, ...]]:
    """The files with all chosen defects, and a label for each with the lines as they now are."""
    edits = [edit for mutation in mutations for edit in mutation.edits]
    paths = {edit.path for edit in edits}
    files = {path: edit_file(blob, path, edits) if path in paths else blob for path, blob in scene.files.items()}
    lines = _Lines(scene.files, files, edits)
    return files, tuple(_label(scene, mutation, lines) for mutation in mutations)


@dataclass(eq=False)
class _Lines:
    """From bytes of the old files to lines of the new ones."""

    old: Mapping[str, bytes]
    new: Mapping[str, bytes]
    edits: Sequence[Edit]

    def at(self, spot: Spot) -> Line:
        shift = sum(len(e.new) - (e.end - e.start) for e in self.edits if e.path == spot.path and e.end <= spot.byte)
        source = self.new[spot.path]
        number = source.count(b"\n", 0, spot.byte + shift) + 1
        return Line(spot.path, number, _row(source, number))

    def before(self, spot: Spot) -> str:
        source = self.old[spot.path]
        return _row(source, source.count(b"\n", 0, spot.byte) + 1)


def _row(source: bytes, number: int) -> str:
    return source.split(b"\n")[number - 1].decode("utf-8", "replace").strip()


def _label(scene: Scene, mutation: Mutation, lines: _Lines) -> Label:
    at, first = lines.at(mutation.at), mutation.edits[0]
    head = lines.at(mutation.head)
    gone = not any(edit.new for edit in mutation.edits) or (
        first.path == mutation.at.path and first.end <= mutation.at.byte and not first.new
    )
    return Label(
        path=at.path,
        line=at.number,
        end=at.number,
        kind=mutation.kind,
        text=at.text,
        before=lines.before(Spot(first.path, _first_letter(scene, first)) if gone else mutation.at),
        function=mutation.function,
        head=head,
        why=mutation.why,
        trigger=mutation.trigger,
        proof=tuple(lines.at(spot) for spot in mutation.proof),
        callers=tuple(lines.at(spot) for spot in _callers(scene, mutation)),
    )


def _first_letter(scene: Scene, edit: Edit) -> int:
    source = scene.files[edit.path][edit.start : edit.end]
    return edit.start + len(source) - len(source.lstrip())


def _callers(scene: Scene, mutation: Mutation) -> list[Spot]:
    """Who meets the defect: calls of the function in other files, where its name means one thing."""
    calls = scene.calls(mutation.function)
    return [Spot(path, call.start_byte) for path, call in calls if path != mutation.at.path][:MAX_CALLERS]
