"""Resolve each setting to one value, and record which source it came from.

The sources in order of precedence are: flag, repository file, shared files, environment, default. Nothing is
read from the head of a pull request.

A stranger may have written the repository's file, but the operator pays for the review. So where money is
concerned, the environment limits the file: the file can only lower limits and effort, and can't choose other
models or another strategy. Flags are typed by the person who pays, so only DEEPREPO_CAP_USD limits them.
Settings that a shared file enforces also override a workflow's inputs, because those belong to the
repository.
"""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic.dataclasses import dataclass

from bot import globs
from bot.config import yaml_text
from bot.config.defaults import (
    ALL,
    CLAIMS,
    DEFAULTS,
    FILE,
    FORM,
    MERGED_LISTS,
    MOST_MUSTS,
    TRIGGERS,
    AllSettings,
    IgnoreItem,
    Instruction,
    Triggers,
    key_in_file,
)
from bot.config.repository import read, read_shared
from bot.config.settings import Settings
from bot.errors import ConfigError
from bot.levels import Severity
from bot.values import EFFORTS, at_least
from bot.values.shared_file import UnusableFile

if TYPE_CHECKING:
    from bot.config.repository import SettingsLayer
    from bot.values.shared_file import SettingsText, SharedFile
    from deeprepo.rlm.values import Masks

MOST_SECONDS = 3_600.0  # the most that a file can set for `budget.seconds` if the environment doesn't set it
MODELS = ("root", "worker")


@dataclass(frozen=True, kw_only=True, config=FORM)
class Config(AllSettings):
    """The resolved settings of one review.

    `origins` maps the name of each setting to its source. `warnings` are sentences about mistakes in settings
    files. `doubts` are the warnings about mistakes that may affect a threshold. With such a mistake, the
    check does not pass. `triggers` decide whether there is a review at all, so a journal does not record
    them.
    """

    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    triggers: Triggers = Triggers()
    ceilings: tuple[tuple[str, str], ...] = ()  # the operator's limits for all files: variable and value

    def record(self) -> dict[str, Any]:
        """Return the settings as JSON values for a journal."""
        return {name: _plain(getattr(self, name)) for name in DEFAULTS}

    def file_of(self, trigger: str) -> str:
        """Return the file that sets a trigger."""
        return self.origins.get(f"triggers.{trigger}", FILE)

    def with_flags(self, **values: Any) -> "Config":  # noqa: ANN401 - its own fields
        """Return the settings with these values, such as the remaining budget, as if they were flags."""
        return replace(self, **values, origins={**self.origins, **dict.fromkeys(values, "flag")})

    def within(self, usd: float | None) -> "Config":
        """Return the settings with the budget limited to `usd` dollars; None is no limit."""
        return self if usd is None or usd >= self.usd else self.with_flags(usd=usd)

    @property
    def bars(self) -> tuple[Severity, ...]:
        """The severities from which on a finding fails the check or requests changes."""
        bars = (self.fail_on, self.request_changes)
        return tuple(bar for bar in bars if bar is not None and bar != "off")

    def without_secrets(self, masks: "Masks") -> "Config":
        """Return the settings with a placeholder for each secret in the owner's sentences.

        Fingerprints, and paths without a `kind`, stay readable.
        """
        hidden = ("path", "kind", "symbol", "reason", "expires")
        entries = (
            replace(
                entry, **{name: masks.hide(getattr(entry, name)) for name in (hidden if entry.kind else hidden[-2:])}
            )
            for entry in self.ignore
        )
        return replace(self, instructions=masks.hide(self.instructions), ignore=tuple(entries))

    def on(self, today: date) -> "Config":
        """Return the settings without the entries of `ignore` that have expired before `today`."""
        held = tuple(entry for entry in self.ignore if not entry.expires or entry.expires >= today.isoformat())
        return self if held == self.ignore else replace(self, ignore=held)

    @property
    def unread(self) -> tuple[str, ...]:
        """The patterns of files that are not reviewed at all."""
        return tuple(entry.path for entry in self.ignore if not entry.kind and not entry.finding)

    @property
    def rules(self) -> tuple[IgnoreItem, ...]:
        """The entries of `ignore` that silence a kind of finding."""
        return tuple(entry for entry in self.ignore if entry.kind and entry.kind not in (CLAIMS, ALL))

    @property
    def learnings(self) -> tuple[IgnoreItem, ...]:
        """The entries of `ignore` whose reason may refute models' findings."""
        return tuple(entry for entry in self.ignore if entry.kind == CLAIMS)

    @property
    def dismissed(self) -> tuple[IgnoreItem, ...]:
        """The entries of `ignore` that silence a single finding, or everything in certain files."""
        return tuple(entry for entry in self.ignore if entry.finding or entry.kind == ALL)

    @property
    def guidance(self) -> tuple[tuple[str, str], ...]:
        """The instructions that are not requirements, as pairs of a pattern and a text, for models."""
        return tuple(
            (path, each.text) for each in self.instructions if each.must == "no" for path in each.path or ("*",)
        )

    @property
    def requirements(self) -> tuple[Instruction, ...]:
        """The requirements that a review checks, each with a name.

        Of two with the same name, the first counts.
        """
        return tuple(_named_requirements(self.instructions).values())[:MOST_MUSTS]

    def for_labels(self, labels: Iterable[str]) -> "Config":
        """Return the settings for a pull request with these labels.

        `effort_for` then only has the entries that need none of the labels, or one that is there. Those
        entries no longer have a label.
        """
        # GitHub ignores the case of labels.
        lower_labels = {"", *(label.lower() for label in labels)}
        fitting = (replace(each, label="") for each in self.effort_for if each.label.lower() in lower_labels)
        return replace(self, effort_for=tuple(fitting))

    def for_paths(self, paths: Iterable[str]) -> "Config":
        """Return the settings with the highest `effort` that `effort_for` gives any of these files."""
        if not self.effort_for:
            return self
        asked = []
        for path in paths:
            fitting = [
                each.effort for each in self.effort_for if not each.label and globs.matches(each.paths or ("*",), path)
            ]
            asked.append(max(fitting, key=EFFORTS.index, default=self.effort))
        effort = max(asked, key=EFFORTS.index, default=self.effort)
        if effort != self.effort:
            origins = {**self.origins, "effort": f"`effort_for` of {self.origins['effort_for']}"}
            return replace(self, effort=effort, effort_for=(), origins=origins).without_model_at_none()
        return replace(self, effort_for=()).without_model_at_none()

    def without_model_at_none(self) -> "Config":
        """Return the settings with the `offline` strategy if the effort is `none`, unless a flag sets one."""
        return (
            replace(self, strategy="offline") if self.effort == "none" and self.origins["strategy"] != "flag" else self
        )

    def ignores(self, path: str) -> bool:
        """Return whether `ignore` excludes this path from the review."""
        if not (patterns := self.unread):
            return False
        return globs.matches(patterns, path)

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield the key, value and origin of each setting, as text for people."""
        for name in DEFAULTS:
            yield key_in_file(name), value_text(getattr(self, name)), self.origins[name]
        for name, value in asdict(self.triggers).items():
            yield f"triggers.{name}", value_text(value), self.origins.get(f"triggers.{name}", "default")
        for name, text in self.ceilings:
            yield name, text, "server limit, which repository files cannot raise"

    def model_sentence(self) -> str:
        """Return a sentence about the models that settings files choose, or "" if they choose none."""
        file_roles = [name for name in MODELS if self.origins[name] not in ("flag", "environment", "default")]
        ours = [f"{name} {getattr(self, name)}" for name in file_roles]
        if self.origins["readers"] not in ("flag", "environment", "default"):
            ours.append(f"readers {', '.join(self.readers)}")
        return f"The repository's settings select the models: {', '.join(ours)}." if ours else ""


def _plain(value: Any) -> Any:  # noqa: ANN401 - the value of any setting
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def value_text(value: object) -> str:
    """Return a value as a line of text. An entry of a list is shown as its values, without empty ones."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {value_text(item)}" for name, item in value.items() if item is not None)
    if isinstance(value, tuple):
        entries = (
            ": ".join(text for text in map(value_text, asdict(item).values()) if text not in ("", "no"))
            if is_dataclass(item) and not isinstance(item, type)
            else value_text(item)
            for item in value
        )
        return ", ".join(entries)
    return str(value)


def resolve(
    flags: Mapping[str, Any],
    repository: "SettingsText",
    settings: Settings,
    name: str = FILE,
    others: Sequence[str] = (),
    shared: Sequence["SharedFile"] = (),
) -> Config:
    """Return all settings, each from the source with the highest precedence that sets it.

    `repository` is the content of the file `name`. `others` are files in the repository with similar names; a
    warning says that they are not read. `shared` are files for several repositories, in order of increasing
    precedence. A mistake in a file causes a warning, and the setting with the mistake doesn't apply. Raises
    ConfigError for an invalid option or variable.
    """
    flags = _checked(flags)
    operator = asdict(settings)
    from_file, warnings, doubts = _from_repository(repository, name, others, flags, operator)
    layers = []
    for layer in map(read_shared, shared):
        allowed, refusals = _allowed(layer.values, flags, operator, layer.source)
        layers.append(replace(layer, values=allowed))
        warnings += [*layer.warnings, *refusals]
        doubts += layer.doubts
    files = [*((layer.source, layer.values) for layer in layers), (name, from_file)]
    values, origins = _layered(operator, files, flags)
    for layer in reversed(layers):
        _enforce(values, origins, layer, flags)
    _clamp(values, origins, settings, operator)
    _apply_dependent_settings(values, origins, flags)
    if not_asked := [*_named_requirements(values["instructions"])][MOST_MUSTS:]:
        warnings.append(f"a review checks at most {MOST_MUSTS} requirements. Not checked: {', '.join(not_asked)}")
    triggers = Triggers(**{key.removeprefix("triggers."): values.pop(key) for key in TRIGGERS})
    return Config(
        **values,
        origins=origins,
        warnings=tuple(warnings),
        doubts=tuple(doubts),
        triggers=triggers,
        ceilings=tuple(settings.ceilings()),
    )


def _checked(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags that are set, with valid settings among them. Raises ConfigError."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        settings = AllSettings(**{name: value for name, value in given.items() if name in DEFAULTS})
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{first['loc'][0]} (flag): {yaml_text.sentence(first)}") from None
    return {name: getattr(settings, name) if name in DEFAULTS else value for name, value in given.items()}


def _from_repository(
    text: "SettingsText", name: str, others: Sequence[str], flags: Mapping[str, Any], operator: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str], tuple[str, ...]]:
    """Return the settings that the repository's file sets and may set, the warnings, and the doubts."""
    unread = [f"{other} is not read. Rename it to {name}." for other in others]
    if text is None:
        return {}, unread, ()
    if isinstance(text, UnusableFile):
        unusable = f"{name}: {text.why}, so nothing in it applies"
        return {}, [unusable, *unread], (unusable,)
    file = read(text, name)
    if file.enforced:
        unread.append(f"{name}: enforce only has an effect in the organization's repository for defaults")
    allowed, refusals = _allowed(file.values, flags, operator, name)
    return allowed, [*file.warnings, *unread, *refusals], file.doubts


def _layered(
    operator: Mapping[str, Any], files: Sequence[tuple[str, Mapping[str, Any]]], flags: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the value and the origin of each setting. `files` are in order of increasing precedence.

    Lists and sections combine the values of all files.
    """
    values, origins = {**DEFAULTS, **TRIGGERS}, dict.fromkeys(DEFAULTS, "default")
    of_files = set[str]()  # the settings whose values come from a file
    for origin, layer in (("environment", operator), *files, ("flag", flags)):
        for key in [key for key in values if layer.get(key) is not None]:
            is_of_both = key in of_files and origin != "flag"
            values[key] = _merged(key, layer[key], values[key]) if is_of_both else layer[key]
            origins[key] = f"{origin} and {origins[key]}" if is_of_both and values[key] != layer[key] else origin
            if origin != "environment":
                of_files.add(key)
            if key in MERGED_LISTS and values[key] == ():
                origins[key] = "default"
    return values, origins


def _merged(key: str, first: Any, second: Any) -> Any:  # noqa: ANN401 - of any setting
    """Return the combined value of two files, of which `first` takes precedence.

    If both set the same key of a section, the first one's value counts. An empty first list drops the second.
    """
    if key == "run":
        return {**second, **first}
    if key not in MERGED_LISTS or first == ():
        return first
    if key == "ignore":  # the last matching pattern decides, so the patterns in `first` come last
        return (*second, *first)
    return tuple(dict.fromkeys((*first, *second)))


def _named_requirements(instructions: Iterable[Instruction]) -> dict[str, Instruction]:
    """Return the requirements by name. Of two with the same name, the first counts."""
    named: dict[str, Instruction] = {}
    for each in instructions:
        if each.must != "no":
            name = each.name or textwrap.shorten(each.text, 60, placeholder="...")
            named.setdefault(name, replace(each, name=name))
    return named


def _enforce(values: dict[str, Any], origins: dict[str, str], layer: "SettingsLayer", flags: Mapping[str, Any]) -> None:
    """Apply the settings that a shared file enforces. Its instructions are added to the repository's own.

    Flags that a person types still take precedence, because that person pays. The inputs of a workflow
    (`is_workflow`) don't, because they belong to the repository.
    """
    for key in (key for key in layer.values if key in layer.enforced):
        value = layer.values[key]
        enforced = tuple(dict.fromkeys((*value, *values[key]))) if key == "instructions" else value
        if enforced != values[key] and (origins[key] != "flag" or flags.get("is_workflow")):
            values[key], origins[key] = enforced, layer.source if key in TRIGGERS else f"{layer.source} (enforced)"
    if "effort" in layer.enforced:
        values["effort_for"] = layer.values.get("effort_for", ())


def _clamp(values: dict[str, Any], origins: dict[str, str], settings: Settings, operator: Mapping[str, Any]) -> None:
    """Lower the values from files to the operator's limits. DEEPREPO_CAP_USD also limits flags."""
    asked = {key for key in DEFAULTS if origins[key] not in ("flag", "environment", "default")}
    rows: list[tuple[str, str, Any, Callable[[Any], float]]] = [
        (key, *_ceiling(key, operator), float) for key in ("usd", "seconds") if key in asked
    ]
    if "effort" in asked:
        rows.append(("effort", "DEEPREPO_EFFORT", settings.effort, EFFORTS.index))
    if settings.effort is not None:
        values["effort_for"] = tuple(
            replace(each, effort=min(each.effort, settings.effort, key=EFFORTS.index)) for each in values["effort_for"]
        )
    for key, variable, most, order in (*rows, ("usd", "DEEPREPO_CAP_USD", settings.cap_usd, float)):
        value = values[key]
        if most is not None and not order(value) <= order(most):
            text = f"{value:.2f}" if isinstance(value, float) else str(value)
            values[key], origins[key] = most, f"{variable}, lower than the {text} from: {origins[key]}"


def _ceiling(key: str, operator: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name and value of the limit for a setting in a file; the value is None for no limit.

    The limit is the environment's value. Without it, dollars are limited to the default, and seconds to an
    hour.
    """
    if operator.get(key) is not None:
        return f"DEEPREPO_{key.upper()}", operator[key]
    if key == "usd" and operator.get("cap_usd") is None:
        return "the default (DEEPREPO_USD sets another)", DEFAULTS["usd"]
    return ("the limit for files (DEEPREPO_SECONDS sets another)", MOST_SECONDS) if key == "seconds" else ("", None)


def _apply_dependent_settings(values: dict[str, Any], origins: dict[str, str], flags: Mapping[str, Any]) -> None:
    if flags.get("effort") is not None:
        values["effort_for"], origins["effort_for"] = (), "default"
    if flags.get("strategy") is None:
        if {values["effort"], *(each.effort for each in values["effort_for"])} == {"none"}:
            values["strategy"], origins["strategy"] = "offline", origins["effort"]
        elif flags.get("effort") is not None:  # a typed effort overrides a strategy from a file or variable
            values["strategy"], origins["strategy"] = "auto", origins["effort"]
    bar = values["fail_on"]
    # Findings that fail the check are always shown.
    if bar is not None and not at_least(bar, values["minimum_severity"]):
        values["minimum_severity"], origins["minimum_severity"] = bar, f"`fail_on` of {origins['fail_on']}"


def _allowed(
    choices: Mapping[str, Any], flags: Mapping[str, Any], operator: Mapping[str, Any], name: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the file's settings without the models and the strategy that it may not choose.

    Also returns a sentence for each of these. DEEPREPO_MODELS lists the models that a file may choose.
    Without a list, a file may only choose a model if no option or variable sets one, not even for the other
    role, because the file could choose a more expensive model for it.
    """
    allowed_choices, refusals = dict(choices), []
    patterns = [pattern.strip() for pattern in (operator.get("models") or "").split(",") if pattern.strip()]
    is_model_set = any(flags.get(role) or operator.get(role) for role in MODELS)
    for role in MODELS:
        model = allowed_choices.get(role)
        ours = flags.get(role) or operator.get(role)
        if model is None or model == ours:
            continue
        if patterns and any(fnmatchcase(model, pattern) for pattern in patterns):
            continue
        if patterns or is_model_set:
            del allowed_choices[role]
            why = "DEEPREPO_MODELS does not list it" if patterns else "the operator chose the models"
            refusals.append(f"{name}: models.{role} {model} is ignored: {why}")
    readers = allowed_choices.get("readers") or ()
    unlisted = [model for model in readers if not any(fnmatchcase(model, pattern) for pattern in patterns)]
    if (patterns or is_model_set) and unlisted:
        allowed_choices["readers"] = tuple(model for model in readers if model not in unlisted)
        why = "DEEPREPO_MODELS does not list" if patterns else "the operator chose the models, which do not include"
        refusals.append(f"{name}: some models in `models.readers` are ignored: {why} {', '.join(unlisted)}")
    strategy = allowed_choices.get("strategy")
    if operator.get("effort") is not None and strategy not in (None, "offline"):
        del allowed_choices["strategy"]
        refusals.append(f"{name}: strategy {strategy} is ignored: DEEPREPO_EFFORT is {operator['effort']}")
    return allowed_choices, tuple(refusals)
