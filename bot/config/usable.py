"""Find the valid parts of a settings file.

A part with a mistake is reported and ignored; the rest applies.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, is_dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import yaml
from pydantic import TypeAdapter, ValidationError

from bot.config import yaml_text
from bot.config.defaults import THRESHOLD_KEYS, SettingsFile
from bot.config.problem import Problem
from bot.config.removed import REMOVED

Place = tuple[str | int, ...]  # the keys and indices that lead to a value
ALIKE = 0.75  # difflib's similarity from which one key may be a misspelling of another
MOST_MISTAKES = 200  # a file with more mistakes is probably not a settings file
THRESHOLDS = THRESHOLD_KEYS | {name for name, removed in REMOVED.items() if removed.is_threshold}
VALIDATOR = TypeAdapter(SettingsFile)


class TooManyMistakesError(ValueError):
    """The file has more than MOST_MISTAKES mistakes."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in the file.

    `is_left_out`: whether the value at its place is invalid and therefore ignored.
    """

    place: Place
    sentence: str
    is_left_out: bool = True
    may_set_threshold: bool = False  # whether it may concern a threshold even if the keys at its place don't
    line: int | None = None  # set if the sentence already contains the key


@dataclass(slots=True)
class UsableFile:
    """The data of a file without its invalid parts, and the problems found so far."""

    node: yaml.Node | None
    data: dict[str, Any]
    problems: dict[Problem, None] = field(default_factory=dict)
    # For each list with removed entries, the indices in the file of the other entries.
    _kept: dict[Place, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Remove the unknown keys, and keys without a value. Raises TooManyMistakesError."""
        self.data = _without_nulls(self.data)
        self.note(_unknown(self.node, SettingsFile))

    def settings(self) -> SettingsFile:
        """Return the settings after removing all invalid parts. Raises TooManyMistakesError."""
        while True:
            try:
                return VALIDATOR.validate_python(self.data)
            except ValidationError as error:  # the loop ends, because each error removes at least one part
                self.note(Mistake(item["loc"], yaml_text.sentence(item)) for item in error.errors())

    def note(self, mistakes: Iterable[Mistake]) -> bool:
        """Record the mistakes, and remove the invalid values. Return whether there were any."""
        parts = set[Place]()
        for mistake in mistakes:
            part, place = self._smallest_part(mistake.place), self._in_file(mistake.place)
            what = "entry" if isinstance(part[-1], int) else "setting"
            ending = f"; until then, this {what} is ignored" if mistake.is_left_out else ""
            prefix = "" if mistake.line else f"{'.'.join(map(str, place))}: "
            words, line = f"{prefix}{mistake.sentence}{ending}", mistake.line or yaml_text.line_of(self.node, place)
            is_doubt = mistake.may_set_threshold or self._may_set_threshold(mistake.place, part)
            about = ".".join(step for step in place if isinstance(step, str))
            self.problems[Problem(line, words, about, fatal=False, may_set_threshold=is_doubt)] = None
            if len(self.problems) > MOST_MISTAKES:
                raise TooManyMistakesError(f"it has more than {MOST_MISTAKES} mistakes")
            parts |= {part} if mistake.is_left_out else set()
        for part in sorted(parts, key=lambda each: (len(each), isinstance(each[-1], int) and each[-1]), reverse=True):
            self._leave_out(part)
        return bool(parts)

    def _smallest_part(self, place: Place) -> Place:
        """Return the place of the list entry or key to remove for a mistake at this place."""
        value: Any = self.data
        for at, step in enumerate(place):
            if isinstance(step, int):
                return place[: at + 1] if isinstance(value, list) else place[:at]
            if not isinstance(value, dict) or step not in value:
                return place[:at] or place
            value = value[step]
        return place

    def _in_file(self, place: Place) -> Place:
        """Return the place with its entry's index in the file, where no entries have been removed yet."""
        for at, step in enumerate(place):
            if isinstance(step, int) and (kept := self._kept.get(place[:at])) is not None:
                return (*place[:at], kept[step], *place[at + 1 :])
        return place

    def _leave_out(self, part: Place) -> None:
        within: Any = self.data
        for step in part[:-1]:
            within = within[step]
        if isinstance(within, list):
            self._kept.setdefault(part[:-1], list(range(len(within)))).pop(int(part[-1]))
        within.pop(part[-1])

    def _may_set_threshold(self, place: Place, part: Place) -> bool:
        """Return whether a part of the file may contain a threshold, by the keys above and inside it."""
        names = {str(step) for step in place if isinstance(step, str)}
        node = self.node
        for step in self._in_file(part):
            node = _inside(node, step)
        nodes = [node]
        while nodes:
            each = nodes.pop()
            if isinstance(each, yaml.MappingNode):
                names |= {str(key.value) for key, _ in each.value}
                nodes += [value for _, value in each.value]
            elif isinstance(each, yaml.SequenceNode):
                nodes += each.value
        return any(map(is_like_threshold, names))


def is_like_threshold(name: str) -> bool:
    """Return whether a key is a threshold or may be a misspelling of one."""
    return bool(get_close_matches(name.lower(), THRESHOLDS, 1, ALIKE))


def _inside(node: yaml.Node | None, step: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in reversed(node.value) if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        within: yaml.Node = node.value[step]
        return within
    return None


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - any YAML data
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value


def _unknown(node: yaml.Node | None, form: Any, place: Place = ()) -> Iterator[Mistake]:  # noqa: ANN401 - a type
    """Yield each unknown key, also in sections and in list entries. `form` is the type of the node's value."""
    if get_origin(form) in (Annotated, UnionType):
        form = get_args(form)[0]
    if isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            for arg in get_args(form)[:1]:
                yield from _unknown(item, arg, (*place, at))
    elif isinstance(node, yaml.MappingNode) and is_dataclass(form):
        known = get_type_hints(form, include_extras=True)
        for key, value in node.value:
            if isinstance(key.value, str) and key.value in known:
                yield from _unknown(value, known[key.value], (*place, key.value))
            else:
                yield _unknown_key((*place, str(key.value)), key.start_mark.line + 1, list(known))


def _unknown_key(place: Place, line: int, known: Sequence[str]) -> Mistake:
    """Return the mistake for an unknown key.

    A list entry with an unknown key is ignored, because the key may limit what the entry applies to.
    """
    keys = [step for step in place if isinstance(step, str)]
    name, written, is_in_entry = keys[-1], ".".join(keys), len(keys) < len(place)
    if (removed := REMOVED.get(written)) is not None:
        return Mistake(place, f"{written}: {removed.instead}", is_in_entry, line=line)
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else "; `deeprepo config --reference` lists the keys"
    # A key that is similar to a known setting is a misspelling of that one.
    is_doubt = len(place) == 1 and not get_close_matches(name.lower(), known, 1, ALIKE)
    return Mistake(place, f"unknown key {written}{hint}", is_in_entry, is_doubt, line)
