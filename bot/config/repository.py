"""Read and check a repository's settings file, `.deeprepo.yml` on the base branch.

A part with a mistake is reported and ignored; the rest applies.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from datetime import date
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import yaml
from pydantic import TypeAdapter, ValidationError

from bot import globs
from bot.config import yaml_text
from bot.config.defaults import (
    ALL,
    ANALYZERS,
    CLAIMS,
    DEFAULTS,
    FILE,
    MOST_SENTENCE,
    SECTION_OF,
    THRESHOLD_KEYS,
    SettingsFile,
    Triggers,
    key_in_file,
)
from bot.config.removed import REMOVED, REMOVED_CHECKS
from bot.values.finding import CATEGORIES, CODE_CATEGORIES
from bot.values.shared_file import SharedFile, UnusableFile
from deeprepo.rlm.values import COMMAND


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a settings file.

    If the mistake is fatal, nothing in the file applies. For a mistake in the whole file, `line` is None and
    `about` is empty. Otherwise `about` is the dotted path of keys to the mistake, which distinguishes it from
    other mistakes on the same line. `may_set_threshold` says whether the ignored part may contain a setting
    that decides whether the check passes.
    """

    line: int | None
    sentence: str
    about: str = ""
    fatal: bool = True
    may_set_threshold: bool = False


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
    """A list entry with an unknown key is ignored, because the key may limit what the entry applies to."""
    keys = [step for step in place if isinstance(step, str)]
    name, written, is_in_entry = keys[-1], ".".join(keys), len(keys) < len(place)
    if (removed := REMOVED.get(written)) is not None:
        return Mistake(place, f"{written}: {removed.instead}", is_in_entry, line=line)
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else "; `deeprepo config --reference` lists the keys"
    # A key that is similar to a known setting is a misspelling of that one.
    is_doubt = len(place) == 1 and not get_close_matches(name.lower(), known, 1, ALIKE)
    return Mistake(place, f"unknown key {written}{hint}", is_in_entry, is_doubt, line)


UNUSABLE_IN_BRANCH = re.compile(r"^[/.]|[\s~^:\\]|\.\.|//|[/.]$")  # what git refuses, as in `git check-ref-format`
CORRECT_IT = ". Correct the file on the base branch"
NAMED_PROBLEMS = 20  # mistakes per file that get a sentence each; the others are counted
FINGERPRINT = r"(?:[0-9a-f]{16}|[0-9a-f]{32})?"
MOST_ASKED = 600  # characters in the text of a requirement
FINDING_KINDS = (*CATEGORIES, *CODE_CATEGORIES, CLAIMS, ALL)
DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class RepoFile:
    """The settings in a file.

    `values` maps the names in `DEFAULTS`, and names such as "triggers.drafts", to values. `run` is a mapping
    with only the keys that the file sets.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    enforced: tuple[str, ...] = ()  # the keys in `enforce`
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # the warnings that may affect whether the check passes


@dataclass(frozen=True, slots=True)
class SettingsLayer:
    """The parsed settings of a file for several repositories."""

    source: str  # the name of the file, shown as the origin of settings
    values: Mapping[str, Any] = field(default_factory=dict)  # by name
    enforced: frozenset[str] = frozenset()  # settings that the repository's own file cannot change
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # the warnings that may affect whether the check passes


def check(text: bytes) -> tuple[RepoFile, tuple[Problem, ...]]:
    """Return the file's settings, and every mistake in it.

    A part with a mistake is skipped, and the rest of the file applies.
    """
    try:
        node, data = yaml_text.load(text.decode())
        if data is None:
            return RepoFile(), ()
        if not isinstance(data, dict):
            return RepoFile(), (_unusable_file(1, "the file must consist of `key: value` lines"),)
        file = UsableFile(node, data)
        settings = file.settings()
        while file.note(_mistakes(settings)):
            settings = file.settings()
    except TooManyMistakesError as error:
        return RepoFile(), (_unusable_file(None, str(error)),)
    except ValueError as error:
        return RepoFile(), (_unusable_file(*yaml_text.fault(error)),)
    twice = (
        Problem(line, sentence, about=key, fatal=False, may_set_threshold=key in THRESHOLD_KEYS)
        for line, key, sentence in yaml_text.duplicates(node)
    )
    return RepoFile(_what_it_sets(settings, file.data), settings.enforce), (*file.problems, *twice)


def _unusable_file(line: int | None, sentence: str) -> Problem:
    return Problem(line, f"{sentence}; nothing in this file applies", may_set_threshold=True)


def _what_it_sets(file: SettingsFile, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the valid settings that the file sets, without those that it leaves at their defaults."""
    values: dict[str, Any] = {}
    for name in DEFAULTS:
        section = SECTION_OF.get(name, "")
        if name in (data.get(section, {}) if section else data):
            values[name] = getattr(getattr(file, section) if section else file, name)
    if file.run is not None and "run" in values:
        values["run"] = {name: value for name, value in asdict(file.run).items() if name in data["run"]}
    triggers = asdict(file.triggers)
    values |= {f"triggers.{name}": triggers[name] for name in data.get("triggers", {}) if name in triggers}
    return {name: BRACES_IN[name](value) if name in BRACES_IN else value for name, value in values.items()}


def _braces(patterns: Iterable[str]) -> tuple[str, ...]:
    return tuple(expanded for pattern in patterns for expanded in globs.braces(pattern))


# By setting with paths: the same value without braces, which .gitignore doesn't have.
BRACES_IN: Mapping[str, Callable[[Any], Any]] = {
    "ignore": lambda entries: tuple(replace(one, path=path) for one in entries for path in _braces([one.path])),
    "instructions": lambda entries: tuple(replace(one, path=_braces(one.path)) for one in entries),
    "effort_for": lambda entries: tuple(replace(one, paths=_braces(one.paths)) for one in entries),
    "triggers.paths": _braces,
}


def read(text: bytes, name: str = FILE) -> RepoFile:
    """Return the file's settings, with a warning for each mistake, in line order."""
    file, problems = check(text)
    in_order = sorted(problems, key=lambda problem: problem.line or 0)

    def sentences(problems: Sequence[Problem]) -> tuple[str, ...]:
        named = tuple(
            f"{yaml_text.place(name, each.line)}: {each.sentence}" + (CORRECT_IT if each.fatal and name == FILE else "")
            for each in problems[:NAMED_PROBLEMS]
        )
        more = len(problems) - len(named)
        return (*named, f"{name}: there are {more} more mistakes like these") if more > 0 else named

    return replace(
        file, warnings=sentences(in_order), doubts=sentences([each for each in in_order if each.may_set_threshold])
    )


def read_shared(file: SharedFile) -> SettingsLayer:
    """Parse a shared file. Mistakes in it become warnings.

    A file that may not be shown does not apply, so that no message can quote it.
    """
    source = f"{FILE} of {file.repository}"
    if file.problem:
        unread = (f"{source} is ignored: {file.problem}.",)
        return SettingsLayer(source, warnings=unread, doubts=unread)
    if not file.is_shown:
        why = f"{source} is private, but this repository is public, so it does not apply here"
        return SettingsLayer(
            source, warnings=(f"{why}. Put settings for public repositories into a public repository.",)
        )

    if isinstance(file.text, UnusableFile):
        unusable = (f"{source}: {file.text.why}, so nothing in it applies",)
        return SettingsLayer(source, warnings=unusable, doubts=unusable)
    parsed = read(file.text or b"", source)
    enforced = dict.fromkeys(parsed.enforced)
    names_by_key = {
        key: {name for name in parsed.values if f"{key_in_file(name)}.".startswith(f"{key}.")} for key in enforced
    }
    unset = {
        key: f"{source}: enforce: {key} is not set in this file, so it is not enforced"
        for key, names in names_by_key.items()
        if not names
    }
    doubted = (sentence for key, sentence in unset.items() if is_like_threshold(key))
    warnings, doubts = (*parsed.warnings, *unset.values()), (*parsed.doubts, *doubted)
    return SettingsLayer(source, parsed.values, frozenset().union(*names_by_key.values()), warnings, doubts)


def _mistakes(settings: SettingsFile) -> Iterator[Mistake]:
    """Yield the mistakes that types don't catch, such as a model without a provider, or an unknown check."""
    yield from _mistakes_in_entries(settings)
    yield from _mistakes_in_filters(settings.triggers)
    for role in ("root", "worker"):
        if wrong := _wrong_model(getattr(settings.models, role)):
            yield Mistake(("models", role), wrong)
    for at, model in enumerate(settings.models.readers):
        if wrong := _wrong_model(model):
            yield Mistake(("models", "readers", at), wrong)
    for at, one in enumerate(settings.analyzers):
        if one not in ANALYZERS and one not in REMOVED_CHECKS:
            yield Mistake(("analyzers", at), f"{one} is unknown{_did_you_mean(one, ANALYZERS)}")


def _mistakes_in_entries(settings: SettingsFile) -> Iterator[Mistake]:
    """An entry with an unknown category or a repeated name still applies. All others are skipped."""
    for key in ("ignore", "instructions"):
        for at, entry in enumerate(getattr(settings, key)):
            why = next((sentence for is_wrong, sentence in WRONG[key] if is_wrong(entry)), "")
            if why:
                yield Mistake((key, at), why)
    names = [one.name for one in settings.instructions]
    for at in (index for index, name in enumerate(names) if name and name in names[:index]):
        sentence = f"{names[at]} is the name of another one; the first one counts"
        yield Mistake(("instructions", at, "name"), sentence, is_left_out=False)
    for at, kind in enumerate(one.kind for one in settings.ignore):
        if kind and kind not in FINDING_KINDS and get_close_matches(kind, FINDING_KINDS, 1):
            sentence = f"{kind} is not a category of findings{_did_you_mean(kind, FINDING_KINDS)}"
            yield Mistake(("ignore", at, "kind"), sentence, is_left_out=False)


def _mistakes_in_filters(triggers: Triggers) -> Iterator[Mistake]:
    """A filter that can never match would silently skip every pull request."""
    if triggers.paths and all(pattern.startswith("!") for pattern in triggers.paths):
        sentence = 'no file can match a list of exclusions; include paths first, such as ["*", "!docs/**"]'
        yield Mistake(("triggers", "paths"), sentence)
    for at, branch in enumerate(triggers.branches):
        if branch.startswith("!"):
            yield Mistake(("triggers", "branches", at), f"{branch} excludes a branch; list the branches to review")
        elif UNUSABLE_IN_BRANCH.search(branch):
            yield Mistake(("triggers", "branches", at), f"no branch can be called {branch}; `*` matches any text")


def _is_invalid_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return bool(text)
    return False


# Conditions under which an entry is invalid, with the sentence about it.
WRONG: Mapping[str, Sequence[tuple[Callable[[Any], bool], str]]] = {
    "ignore": (
        (lambda entry: not entry.path and not entry.finding, "give a path or a finding"),
        (lambda entry: bool(entry.kind and entry.finding), "give a kind or a finding, not both"),
        (lambda entry: (entry.kind == CLAIMS or entry.finding) and not entry.reason.strip(), "give a reason"),
        (
            lambda entry: entry.kind == CLAIMS and len(entry.reason) > MOST_SENTENCE,
            f"the reason may have at most {MOST_SENTENCE} characters",
        ),
        (lambda entry: bool(entry.symbol) and entry.kind != CLAIMS, "a symbol needs `kind: claims`"),
        (
            lambda entry: not re.fullmatch(FINGERPRINT, entry.finding),
            "`finding` is not a finding ID. Copy the whole ID after `id` in the terminal output",
        ),
        (lambda entry: _is_invalid_date(entry.expires), "`expires` must be a date such as 2027-01-31"),
    ),
    "instructions": (
        (
            lambda entry: entry.must != "no" and len(entry.text) > MOST_ASKED,
            f"the text of a requirement may have at most {MOST_ASKED} characters",
        ),
    ),
}


def _wrong_model(model: str | None) -> str:
    if model is not None and model.strip().startswith(COMMAND):
        return f"{model}: only the person who runs deeprepo can use a command as a model, with --root, --worker, DEEPREPO_ROOT or DEEPREPO_WORKER"
    if model is None or all(model.partition("/")[::2]):
        return ""
    return f"{model} has no provider. Write provider/model, for example openai/{model.strip('/')}"


def _did_you_mean(word: str, words: Sequence[str]) -> str:
    near = get_close_matches(word, words, 1)
    return f"; did you mean {near[0]}?" if near else f" (known: {', '.join(words)})"


def json_schema() -> str:
    """Return the file's JSON Schema for editors, which accepts the same files as deeprepo."""
    document = {"$schema": DIALECT, **TypeAdapter(SettingsFile).json_schema()}
    document |= {"title": FILE, "description": f"A repository's settings, in {FILE} on the base branch."}
    return json.dumps(_close(document), indent=2) + "\n"


def _close(part: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON Schema with unknown keys forbidden, and without the titles that pydantic adds."""
    if isinstance(part, list):
        return [_close(item) for item in part]
    if not isinstance(part, dict):
        return part
    keys = part.get("properties")
    inner = {name: _close(value) for name, value in part.items() if name != "properties"}
    if keys is not None:
        inner["properties"] = {
            name: {key: value for key, value in _close(row).items() if key != "title"} for name, row in keys.items()
        }
        inner["additionalProperties"] = False
    return inner
