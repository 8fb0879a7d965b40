"""Convert another reviewer's settings file to .deeprepo.yml.

A `SettingsFormat` lists the keys that it knows. All others are reported as unknown, and a value that .deeprepo.yml
does not accept is not imported. So no key is lost silently, and the result is always valid.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from bot import globs
from bot.config import repository, yaml_text
from bot.config.defaults import DEFAULTS, TRIGGERS, Event

IS_DEFAULT = "this is the default, so the file does not list it"
NO_SETTING = "this command knows no setting that replaces it"
ALL = "*"  # the pattern of all files
WHOLE = "triggers.events"  # a list that only one old file can set
EVENTS = [*get_args(Event)]
ALL_DEFAULTS = DEFAULTS | TRIGGERS | {WHOLE: EVENTS}
ESCAPED = re.compile(r"\\([^\w\s])")  # an escaped character in a regular expression
NO_GLOB = re.compile(r"[\\^$*+?()\[\]|]")  # syntax of regular expressions that patterns with `*` don't have


@dataclass(frozen=True, slots=True)
class Row:
    """What happened to one key in the old file."""

    key: str
    into: str = ""  # the setting that replaces it
    why: str = ""  # why there is none, or a remark about it


@dataclass(slots=True)
class NewSettings:
    """The settings imported so far."""

    branch: str = ""  # the default branch, if it is known
    values: dict[str, Any] = field(default_factory=dict)  # by dotted key, such as `triggers.drafts`

    def add(self, name: str, value: Any) -> str:  # noqa: ANN401 - of any setting
        """Set a value, or append to a list. Return "", or a sentence about why the value cannot be used."""
        old = self.values.get(name)
        if isinstance(old, list) and isinstance(value, list) and name != WHOLE:
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
    """The data of one old file, and what happened to each of its keys so far. Keys are dotted, such as `a.b.0`."""

    def __init__(self, data: Any, new: NewSettings) -> None:  # noqa: ANN401 - whatever the file contains
        self.new = new
        self._values = dict(_flat("", data))
        self._rows: dict[str, Row] = {}
        self.settled: set[str] = set()  # settings that a key sets to deeprepo's default

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as above
        return self._values.get(key)

    def import_key(self, key: str, into: str, make: Callable[[Any], Any] | None = None) -> None:
        """Import a key, if the file has it, as the setting `into`. `make` may raise ValueError with a sentence."""
        if (value := self[key]) is None or key in self._rows:
            return
        try:
            made = (make or CONVERTERS.get(into, lambda same: same))(value)
            is_default = made == ALL_DEFAULTS[into] or (made == [] and into != WHOLE)
            why = IS_DEFAULT if is_default else self.new.add(into, made)
            if is_default and value != []:
                self.settled.add(into)
        except (ValueError, TypeError, AttributeError) as error:
            why = str(error) if type(error) is ValueError else "the value has an unexpected type"
        self._rows[key] = Row(key, into if why in ("", IS_DEFAULT) else "", why)

    def each(self, key: str) -> list[tuple[str, Any]]:
        """Return the entries of a list with their keys."""
        if self[key] == []:
            self._rows[key] = Row(key, "", "the list is empty")
        return [(f"{key}.{at}", one) for at, one in enumerate(self[key] if isinstance(self[key], list) else ())]

    def rows(self) -> list[Row]:
        """Return a row for every key in the file. A part without any known key gets a single row."""
        rows = dict(self._rows)
        above = {part for key in rows for part in _parts(key)}
        for key in self._values:
            if key not in above and not any(part in rows for part in _parts(key)):
                rows[key] = Row(key, "", NO_SETTING)
        return list(rows.values())


def _flat(key: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - of an old file
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inner:
        yield f"{key}{step}", one
        yield from _flat(f"{key}{step}.", one)


def _parts(key: str) -> list[str]:
    steps = key.split(".")
    return [".".join(steps[:count]) for count in range(1, len(steps) + 1)]


def patterns(value: Any) -> list[str]:  # noqa: ANN401 - of an old file
    """Return patterns, given as a list or one per line, without braces and groups, which .gitignore does not support."""
    lines = value.splitlines() if isinstance(value, str) else list(value)
    expanded = [brace for line in lines if str(line).strip() for brace in globs.braces(str(line).strip())]
    return [pattern for line in expanded for pattern in _without_group(line)]


def _without_group(pattern: str) -> list[str]:
    """Return `a/!(b|c)` as `a/*`, `!a/b` and `!a/c`. Raises ValueError for other groups, which need an expression."""
    group = globs.GROUP.search(pattern)
    if group is None:
        return [pattern]
    before, after = pattern[: group.start()], pattern[group.end() :]
    if group[1] != "!" or globs.GROUP.search(after):
        raise ValueError(f"{pattern} has a group that .gitignore patterns cannot express")
    return [f"{before}*{after}", *(f"!{before}{name}{after}" for name in group[2].split("|"))]


def instructions(rule: Any) -> list[dict[str, str]]:  # noqa: ANN401 - of an old file
    """Return `instructions` for a text, or for an object with a text and the patterns that it applies to."""
    fields = rule if isinstance(rule, dict) else {"rule": rule}
    text = next((fields[name] for name in ("rule", "content", "context", "instructions") if fields.get(name)), "")
    written = "\n".join(line.rstrip() for line in text.strip().splitlines())
    paths = patterns(fields.get("path") or fields.get("scope") or ALL)
    return [{"path": path, "text": written} for path in paths if written]


def plain(value: Any) -> str:  # noqa: ANN401 - of an old file
    """Return a regular expression as a pattern with `*`. Raises ValueError if such a pattern cannot express it.

    An expression that is only anchored at one end matches any text at the other.
    """
    text = str(value)
    begins, ends = text.startswith("^"), text.endswith("$")
    text = text.removeprefix("^").removesuffix("$").replace(".*", "*").replace(".+", "*")
    text = ("*" if ends and not begins else "") + text + ("*" if begins and not ends else "")
    if NO_GLOB.search(ESCAPED.sub("", text).replace("*", "")):
        raise ValueError(f"{value} is a regular expression, but this setting only supports `*`")
    return ESCAPED.sub(r"[\1]", text)


# By setting: how an old value is converted.
CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "ignore": patterns,
    "instructions": instructions,
    "language": lambda code: "en" if str(code).lower().startswith("en") else str(code),
    "linked_issues": lambda mode: mode not in (False, "off"),
    "minimum_severity": lambda level: {1: "low", 2: "medium", 3: "high"}.get(level) or str(level).lower(),
    "pause_after": lambda count: count or None,
    "request_changes": lambda is_on: "low" if is_on else "off",
    "triggers.paths": lambda folders: [f"/{folder}/" for folder in folders],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFormat:
    """The settings files of another reviewer."""

    word: str  # the value of --from on the command line
    name: str
    files: tuple[str, ...] = ()  # paths of its settings files
    guides: tuple[str, ...] = ()  # patterns for its instruction files, which reviews read directly
    load: Callable[[str], Any] = yaml_text.data  # parses the text of a settings file; raises ValueError
    keys: Mapping[str, str] = field(default_factory=dict)  # the setting that replaces each key
    convert: Callable[[OldSettings], None] | None = None  # imports keys that depend on others, or lists
    # By setting: how deeprepo behaves differently, unless the old file sets it. By "": in any case.
    differences: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()  # keys that decide which pull requests are reviewed, and have no counterpart

    def read(self, old: OldSettings) -> list[str]:
        """Import each known key, and return sentences about differences in behavior."""
        for key, into in self.keys.items():
            old.import_key(key, into)
        if self.convert is not None:
            self.convert(old)
        told = [text for name, text in self.differences.items() if name not in {*old.new.values, *old.settled}]
        left = ", ".join(f"`{key}`" for key in self.conditions if old[key])
        return [*told, *([f"{self.name} also decides by {left} when to review. deeprepo does not."] if left else [])]
