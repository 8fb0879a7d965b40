"""Translate another reviewer's settings file.

Each key is imported, or reported with the reason why not.

A format describes the keys that it knows. All other keys are reported too, and a value that .deeprepo.yml
would refuse is not imported. So nothing is lost silently, and the result is always valid.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from bot import globs
from bot.config import repository, yaml_text
from bot.config.defaults import ANALYZERS, DEFAULTS, Triggers

Path = tuple[str | int, ...]
IS_DEFAULT = "this is the default, so the file does not list it"
NO_SETTING = "this command does not know the setting"
ALL = "*"  # the pattern of all files
QUOTA = "The old limit hides further findings. With `quota`, deeprepo collapses them in the summary."
TICKETS = "use `tickets`, which runs the command in DEEPREPO_TICKET_COMMAND"
EVENTS = ["opened", "reopened", "ready", "push"]
WHOLE = {"triggers.events": EVENTS, "analyzers": list(ANALYZERS)}  # lists that one file sets; without it they hold
USUAL = DEFAULTS | {f"triggers.{each.name}": each.default for each in fields(Triggers)} | WHOLE
ESCAPED = re.compile(r"\\([^\w\s])")  # a sign that a regular expression takes as it is
NO_GLOB = re.compile(r"[\\^$+()\[\]|]")  # of a regular expression, and of no pattern with `*`


@dataclass(frozen=True, slots=True)
class Row:
    """One key of the old file: the setting that it became (`into`), or why it became none; with both, what is to be known."""

    key: str
    into: str = ""
    why: str = ""


class SettingsFormat:
    """Describes how to read one reviewer's settings; a subclass for each reviewer."""

    word: str  # on the command line
    name: str
    files: tuple[str, ...] = ()  # that hold its settings
    guides: tuple[str, ...] = ()  # patterns, as in .gitignore, of its files that reviews read as they stand

    def load(self, text: str) -> Any:  # noqa: ANN401 - whatever the file holds
        """Parse one of its files. Raises ValueError."""
        return yaml_text.data(text)

    def read(self, old: "OldSettings", /) -> None:
        """Say of each key that it knows what becomes of it."""


@dataclass(slots=True)
class NewSettings:
    """The settings to be, by the names of .deeprepo.yml: `triggers.drafts`."""

    room: int  # characters of one instruction that models are shown
    branch: str = ""  # the default one, if it is known
    files: Mapping[str, bool] = field(default_factory=dict)  # whether reviews read them as they stand
    values: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, value: Any) -> str:  # noqa: ANN401 - of any setting
        """Set it, or add to it where it is a list; what keeps it from that is a sentence."""
        old = self.values.get(name)
        if isinstance(old, list) and isinstance(value, list) and name not in WHOLE:
            first, more = (value, old) if value[:1] == [ALL] else (old, value)  # what takes everything goes first
            value = [*first, *(one for one in more if one not in first)]
        elif old is not None and old != value:
            return f"another file already set `{name}`"
        before, self.values = self.values, {**self.values, name: value}
        if problems := repository.check(self.text().encode())[1]:
            self.values = before
            return problems[0].sentence
        return ""

    def text(self) -> str:
        """Return all of it, as the file has it; empty without a setting."""
        nested: dict[str, Any] = {}
        for name, value in self.values.items():
            section, _, key = name.rpartition(".")
            (nested.setdefault(section, {}) if section else nested)[key] = value
        return yaml_text.file(nested) if nested else ""


class OldSettings:
    """One old file while it is read."""

    def __init__(self, data: Any, new: NewSettings) -> None:  # noqa: ANN401 - whatever the file holds
        self.data, self.new = data, new
        self._rows: dict[Path, Row] = {}
        self.differences: list[str] = []  # sentences about what the old reviewer does in another way than deeprepo

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as above
        """Return the value at a dotted key such as `a.b`, None if it is missing."""
        return self._at(_path(key))

    def take(self, key: str, into: str, make: Callable[[Any], Any] = lambda value: value) -> None:
        """Take a key over, if it is there. `make` raises a ValueError that says what is wrong with the value."""
        path = _path(key)
        if (value := self._at(path)) is None or path in self._rows:
            return
        try:
            made = make(value)
            is_usual = made == USUAL[into] or (made == [] and into not in WHOLE)
            why = "" if is_usual else self.new.add(into, made)
        except (ValueError, TypeError, AttributeError) as error:
            is_usual = False
            why = str(error) if type(error) is ValueError else "the value has an unexpected type"
        self._rows[path] = Row(_key(path), into, IS_DEFAULT) if is_usual else Row(_key(path), "" if why else into, why)

    def tell(self, key: str, why: str) -> None:
        """Say of a key, if it is there, why it is not taken over."""
        path = _path(key)
        if self._at(path) is not None:
            self._rows.setdefault(path, Row(_key(path), "", why))

    def differ(self, key: str, sentence: str) -> None:
        """Say that a key, if it was taken over, means something else here."""
        row = self._rows.get(_path(key))
        if row is not None and row.into:
            self.differences.append(sentence)

    def guide(self, key: str, name: Any) -> None:  # noqa: ANN401 - as above
        """Say of a key that names files, by a pattern, whether reviews read them."""
        named = {path for path in self.new.files if globs.is_usable(str(name)) and globs.matches([str(name)], path)}
        unread = sorted(path for path in named if not self.new.files[path])
        if len(unread) < len(named):
            why = f"except {unread[0]}{f' and {len(unread) - 1} more' if unread[1:] else ''}" if unread else ""
            self._rows[_path(key)] = Row(_key(_path(key)), "reviews read this file directly", why)
        self.tell(key, "reviews do not read this file. Mention it in AGENTS.md, or use `instructions`")

    def instruct(self, key: str, pattern: Any, text: Any) -> None:  # noqa: ANN401 - as above
        """Take a text over as an instruction for files of these patterns."""
        written = "\n".join(line.rstrip() for line in text.strip().splitlines()) if isinstance(text, str) else None

        def entries(_: object) -> list[dict[str, str]]:
            if written is None:
                raise TypeError
            named = [pattern] if isinstance(pattern, str) else list(pattern or [ALL])
            return [{"path": brace, "text": written} for each in named for brace in globs.braces(each) if written]

        self.take(key, "instructions", entries)
        row, size = self._rows.get(_path(key)), len(written or "")
        if row is not None and row.into and size > self.new.room:
            why = f"models see only the first {self.new.room:,} of {size:,} characters. Split it by path"
            self._rows[_path(key)] = Row(row.key, row.into, why)

    def each(self, key: str) -> Iterator[tuple[str, Any]]:
        """Yield the entries of a list with their keys."""
        found = self[key]
        yield from ((f"{key}.{index}", one) for index, one in enumerate(found if isinstance(found, list) else ()))

    def rows(self) -> list[Row]:
        """Return every key of the file, in its order: the largest part of which nothing was said by one name."""
        return list(self._rest((), self.data))

    def _at(self, path: Path) -> Any:  # noqa: ANN401 - as above
        value = self.data
        for step in path:
            if isinstance(value, Mapping):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    def _rest(self, path: Path, value: Any) -> Iterator[Row]:  # noqa: ANN401 - as above
        if path in self._rows:
            yield self._rows[path]
        if any(len(known) > len(path) and known[: len(path)] == path for known in self._rows) or not path:
            steps = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
            for step, inner in steps:
                yield from self._rest((*path, step), inner)
        elif path not in self._rows and not any(path[:size] in self._rows for size in range(len(path))):
            yield Row(_key(path), "", NO_SETTING)


def _path(key: str) -> Path:
    return tuple(int(step) if step.isdigit() else step for step in key.split("."))


def _key(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def patterns(value: Any) -> list[str]:  # noqa: ANN401 - of an old file
    """Return a list of patterns, or a text with one a line, as .gitignore has them: it knows no braces."""
    lines = value.splitlines() if isinstance(value, str) else list(value)
    return [brace for line in lines if str(line).strip() for brace in globs.braces(str(line).strip())]


def branch(value: Any) -> list[str]:  # noqa: ANN401 - of an old file
    """Return the name of a branch with `*`, of a regular expression that says no more. Raises ValueError."""
    name = str(value).removeprefix("^").removesuffix("$").replace(".*", "*")
    if NO_GLOB.search(name):
        raise ValueError(f"{value} is a regular expression, but `triggers.branches` only supports `*`")
    return [name]


def title(value: Any) -> list[str]:  # noqa: ANN401 - of an old file
    """Return a pattern with `*` for titles that contain a text, or begin with it after `^`. Raises ValueError for any other expression."""
    text = str(value)
    begins, plain = text.startswith("^"), ESCAPED.sub(r"\1", text.removeprefix("^"))
    if NO_GLOB.search(ESCAPED.sub("", text.removeprefix("^"))) or "*" in plain:
        raise ValueError(f"{value} is a regular expression, but `triggers.skip_titles` only supports `*`")
    exact = "".join(f"[{sign}]" if sign in "[?" else sign for sign in plain)
    return [f"{exact}*" if begins else f"*{exact}*"]


def language(value: Any) -> str:  # noqa: ANN401 - of an old file
    """Return the code of a language; every English is the one that is the default."""
    return "en" if str(value).lower().startswith("en") else str(value)
