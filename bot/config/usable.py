"""Which parts of a settings file can be used. A part with a mistake is named and left out; the rest of the file applies."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from bot.config import forms, yaml_text
from bot.config.defaults import FORMS, CheckEntry, Instruction
from bot.config.owner_file import Problem
from bot.config.removed import REMOVED

Place = tuple[str | int, ...]  # the keys and indices that lead to a value
ALIKE = 0.75  # how similar, as difflib counts, two keys are if one may be a misspelling of the other
MOST_MISTAKES = 200  # a file with more is not a settings file
THRESHOLDS = frozenset(
    each.name for form in (*FORMS, Instruction, CheckEntry) for each in fields(form) if each.metadata["is_threshold"]
) | frozenset(name for name, removed in REMOVED.items() if removed.is_threshold)


class TooManyMistakesError(ValueError):
    """A file in which almost nothing is a setting."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake at a place of the file. `is_left_out`: whether the value there cannot be used."""

    place: Place
    sentence: str
    is_left_out: bool = True
    may_set_threshold: bool = False  # if the keys at its place do not tell
    line: int | None = None  # if the sentence names the place itself


@dataclass(slots=True)
class UsableFile:
    """The data of a file without the parts that cannot be used, and the problems found so far."""

    node: yaml.Node | None
    data: dict[str, Any]
    problems: dict[Problem, None] = field(default_factory=dict)
    _kept: dict[Place, list[int]] = field(default_factory=dict)  # by list, where its remaining entries are in the file

    def __post_init__(self) -> None:
        """Leave out what the form of the file has no place for. Raises TooManyMistakesError."""
        self.note(_unknown(self.node, forms.repository()))

    def settings(self) -> Any:  # noqa: ANN401 - a model made from the settings
        """Return the settings without every part that cannot be used. Raises TooManyMistakesError."""
        while True:
            try:
                return forms.repository().model_validate(self.data)
            except ValidationError as error:  # each time, at least one part is left out
                self.note(Mistake(item["loc"], yaml_text.sentence(item)) for item in error.errors())

    def note(self, mistakes: Iterable[Mistake]) -> bool:
        """Note the mistakes, and leave out the values that cannot be used. Return whether there were such values."""
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
        """Return the smallest part without which the file is valid: an entry of a list, or a key."""
        value: Any = self.data
        for at, step in enumerate(place):
            if isinstance(step, int):
                return place[: at + 1] if isinstance(value, list) else place[:at]
            if not isinstance(value, dict) or step not in value:
                return place[:at] or place
            value = value[step]
        return place

    def _in_file(self, place: Place) -> Place:
        """Return a place with its entry's index in the file, before invalid entries were skipped."""
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
        """Return whether a part of the file may be about a threshold, by the keys that lead to it and those in it."""
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


def _unknown(node: yaml.Node | None, form: Any, place: Place = ()) -> Iterator[Mistake]:  # noqa: ANN401 - a type
    """Yield each key that no setting has, in sections and in the entries of lists too."""
    form = get_args(form)[0] if get_origin(form) is Annotated else form
    if isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            for arg in get_args(form)[:1]:
                yield from _unknown(item, arg, (*place, at))
    elif isinstance(node, yaml.MappingNode) and isinstance(form, type) and issubclass(form, BaseModel):
        for key, value in node.value:
            known = form.model_fields.get(key.value) if isinstance(key.value, str) else None
            if known is not None:
                yield from _unknown(value, known.annotation, (*place, key.value))
            else:
                yield _unknown_key((*place, str(key.value)), key.start_mark.line + 1, list(form.model_fields))


def _unknown_key(place: Place, line: int, known: Sequence[str]) -> Mistake:
    """Describe an unknown key.

    An entry with an unknown key is skipped, because the key may have narrowed the entry.
    """
    keys = [step for step in place if isinstance(step, str)]
    name, written, is_in_entry = keys[-1], ".".join(keys), len(keys) < len(place)
    if (removed := REMOVED.get(written)) is not None:
        return Mistake(place, f"{written}: {removed.instead}", is_in_entry, line=line)
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else "; `deeprepo config --reference` lists the keys"
    # A misspelling of another setting is certainly no threshold.
    is_doubt = len(place) == 1 and not get_close_matches(name.lower(), known, 1, ALIKE)
    return Mistake(place, f"unknown key {written}{hint}", is_in_entry, is_doubt, line)
