"""Convert another reviewer's settings file to .deeprepo.yml.

A subclass of `SettingsFormat` imports the keys that it knows, or explains why it cannot. All other keys are
reported as unknown. A value that .deeprepo.yml does not accept is not imported. So no key is lost silently,
and the result is always valid.
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
# Lists of which only one old file can set the whole value, with their defaults.
REPLACED_LISTS = {"triggers.events": EVENTS, "analyzers": list(ANALYZERS)}
ALL_DEFAULTS = DEFAULTS | {f"triggers.{each.name}": each.default for each in fields(Triggers)} | REPLACED_LISTS
ESCAPED = re.compile(r"\\([^\w\s])")  # an escaped character in a regular expression
NO_GLOB = re.compile(r"[\\^$+()\[\]|]")  # syntax of regular expressions that patterns with `*` don't have


@dataclass(frozen=True, slots=True)
class Row:
    """What happened to one key in the old file.

    `into` is the setting that replaces it, and `why` is the reason if there is none. If both are set,
    `why` is a remark about the setting.
    """

    key: str
    into: str = ""
    why: str = ""


class SettingsFormat:
    """The settings files of another reviewer. Each reviewer has a subclass."""

    word: str  # the value of --from on the command line
    name: str
    files: tuple[str, ...] = ()  # paths of its settings files
    # Patterns, as in .gitignore, for its instruction files, which reviews read directly.
    guides: tuple[str, ...] = ()

    def load(self, text: str) -> Any:  # noqa: ANN401 - whatever the file contains
        """Parse the text of a settings file. Raises ValueError."""
        return yaml_text.data(text)

    def read(self, old: "OldSettings", /) -> None:
        """Import or explain each key that this format knows, by calling the methods of `old`."""


@dataclass(slots=True)
class NewSettings:
    """The settings imported so far."""

    branch: str = ""  # the default branch, if it is known
    files: Mapping[str, bool] = field(default_factory=dict)  # path -> whether reviews read the file directly
    values: dict[str, Any] = field(default_factory=dict)  # by dotted key, such as `triggers.drafts`

    def add(self, name: str, value: Any) -> str:  # noqa: ANN401 - of any setting
        """Set a value, or append to a list. Return "", or a sentence about why the value cannot be used."""
        old = self.values.get(name)
        if isinstance(old, list) and isinstance(value, list) and name not in REPLACED_LISTS:
            first, more = (value, old) if value[:1] == [ALL] else (old, value)  # `*` comes first
            value = [*first, *(one for one in more if one not in first)]
        elif old is not None and old != value:
            return f"another file already set `{name}`"
        before, self.values = self.values, {**self.values, name: value}
        if problems := repository.check(self.text().encode())[1]:
            self.values = before
            return problems[0].sentence
        return ""

    def text(self) -> str:
        """Return the YAML text of .deeprepo.yml; empty if no setting was imported."""
        nested: dict[str, Any] = {}
        for name, value in self.values.items():
            section, _, key = name.rpartition(".")
            (nested.setdefault(section, {}) if section else nested)[key] = value
        return yaml_text.file(nested) if nested else ""


class OldSettings:
    """The data of one old file, and what happened to each of its keys so far."""

    def __init__(self, data: Any, new: NewSettings) -> None:  # noqa: ANN401 - whatever the file contains
        self.data, self.new = data, new
        self._rows: dict[Path, Row] = {}
        # Sentences about where the old reviewer and deeprepo behave differently.
        self.differences: list[str] = []

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as above
        """Return the value at a dotted key such as `a.b`, or None if it is missing."""
        return self._at(_path(key))

    def import_key(self, key: str, into: str, make: Callable[[Any], Any] = lambda value: value) -> None:
        """Import a key, if the file has it, as the setting `into`.

        `make` converts the value. It raises ValueError with a sentence if the value cannot be converted.
        """
        path = _path(key)
        if (value := self._at(path)) is None or path in self._rows:
            return
        try:
            made = make(value)
            is_default = made == ALL_DEFAULTS[into] or (made == [] and into not in REPLACED_LISTS)
            why = "" if is_default else self.new.add(into, made)
        except (ValueError, TypeError, AttributeError) as error:
            is_default = False
            why = str(error) if type(error) is ValueError else "the value has an unexpected type"
        self._rows[path] = (
            Row(_key(path), into, IS_DEFAULT) if is_default else Row(_key(path), "" if why else into, why)
        )

    def explain(self, key: str, why: str) -> None:
        """Explain why a key, if the file has it, is not imported."""
        path = _path(key)
        if self._at(path) is not None:
            self._rows.setdefault(path, Row(_key(path), "", why))

    def note_difference(self, key: str, sentence: str) -> None:
        """Add a sentence about a different meaning of a key in deeprepo, if the key was imported."""
        row = self._rows.get(_path(key))
        if row is not None and row.into:
            self.differences.append(sentence)

    def report_guide(self, key: str, name: Any) -> None:  # noqa: ANN401 - as above
        """Report whether reviews read the files that a key refers to with a pattern."""
        named = {path for path in self.new.files if globs.is_usable(str(name)) and globs.matches([str(name)], path)}
        unread = sorted(path for path in named if not self.new.files[path])
        if len(unread) < len(named):
            why = f"except {unread[0]}{f' and {len(unread) - 1} more' if unread[1:] else ''}" if unread else ""
            self._rows[_path(key)] = Row(_key(_path(key)), "reviews read this file directly", why)
        self.explain(key, "reviews do not read this file. Mention it in AGENTS.md, or use `instructions`")

    def import_instruction(self, key: str, pattern: Any, text: Any) -> None:  # noqa: ANN401 - as above
        """Import a key as an instruction for the files that match a pattern or a list of patterns."""
        written = "\n".join(line.rstrip() for line in text.strip().splitlines()) if isinstance(text, str) else None

        def entries(_: object) -> list[dict[str, str]]:
            if written is None:
                raise TypeError
            named = [pattern] if isinstance(pattern, str) else list(pattern or [ALL])
            return [{"path": brace, "text": written} for each in named for brace in globs.braces(each) if written]

        self.import_key(key, "instructions", entries)

    def each(self, key: str) -> Iterator[tuple[str, Any]]:
        """Yield the entries of a list with their dotted keys."""
        found = self[key]
        yield from ((f"{key}.{index}", one) for index, one in enumerate(found if isinstance(found, list) else ()))

    def rows(self) -> list[Row]:
        """Return a row for every key in the file, in order.

        A part without any known key gets a single row.
        """
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
    """Return patterns, given as a list or one per line, without braces, which .gitignore does not support."""
    lines = value.splitlines() if isinstance(value, str) else list(value)
    return [brace for line in lines if str(line).strip() for brace in globs.braces(str(line).strip())]


def branch(value: Any) -> list[str]:  # noqa: ANN401 - of an old file
    """Return a regular expression for branches as a pattern with `*`.

    Raises ValueError if such a pattern cannot express it.
    """
    name = str(value).removeprefix("^").removesuffix("$").replace(".*", "*")
    if NO_GLOB.search(name):
        raise ValueError(f"{value} is a regular expression, but `triggers.branches` only supports `*`")
    return [name]


def title(value: Any) -> list[str]:  # noqa: ANN401 - of an old file
    """Return a regular expression for titles as a pattern with `*`.

    A plain text matches anywhere in a title, and after `^` only at its start. Raises ValueError for any other
    expression.
    """
    text = str(value)
    begins, plain = text.startswith("^"), ESCAPED.sub(r"\1", text.removeprefix("^"))
    if NO_GLOB.search(ESCAPED.sub("", text.removeprefix("^"))) or "*" in plain:
        raise ValueError(f"{value} is a regular expression, but `triggers.skip_titles` only supports `*`")
    exact = "".join(f"[{sign}]" if sign in "[?" else sign for sign in plain)
    return [f"{exact}*" if begins else f"*{exact}*"]


def language(value: Any) -> str:  # noqa: ANN401 - of an old file
    """Return the code of a language. All variants of English become `en`, the default."""
    return "en" if str(value).lower().startswith("en") else str(value)
