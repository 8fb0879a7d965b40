"""One value per setting, from the strongest source that has it, and where it comes from.

Order, strongest first: flag, repository file, shared files, environment, default. Nothing is read from the
head of a pull request.

A stranger may have written a repository's file, but the operator pays. So the environment is stronger than
the file for money: the file can only lower its limits and its effort, and can't replace its models and its
strategy. The person who pays types the flags, so only DEEPREPO_CAP_USD is above them. Settings that a shared
file enforces also override the inputs of a workflow, which belong to the repository.
"""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

from bot.config.defaults import (
    ALL,
    CLAIMS,
    DEFAULTS,
    ENTRY_FORMS,
    FILE_FIELDS,
    FORMS,
    LISTS,
    REPORTED,
    SECTION_FORMS,
    IgnoreItem,
    Instruction,
    ReviewSettings,
    Triggers,
    key_in_file,
)
from bot.config.names import FILE, MOST_MUSTS
from bot.config.settings import Settings
from bot.errors import ConfigError
from bot.values import EFFORTS, SEVERITIES, at_least
from bot.values.shared_file import UnusableFile
from deeprepo.rlm.values import is_amount

if TYPE_CHECKING:
    from bot.values.shared_file import Layer, SettingsText, SharedFile
    from deeprepo.rlm.values import Masks

BARS = ("off", *SEVERITIES)  # of `request_changes`, the one that stops least first
# Which the environment's value is a ceiling of.
LIMITS = ("usd", "tokens", "calls", "seconds", "concurrency", "pause_after")
MOST_SECONDS = 3_600.0  # of a review, where a file alone says how many
MODELS = ("root", "worker")
TRIGGERS = {f"triggers.{each.name}": each.default for each in fields(Triggers)}
Form = TypeVar("Form")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(ReviewSettings):
    """Every setting of one review, resolved. `origins`: where each comes from; `warnings`: sentences about settings files.

    `doubts` are the warnings about mistakes that may concern a threshold: the check of such a review does not succeed.

    `triggers` decide whether there is a review at all, so they are not part of the settings that a journal records.
    """

    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    triggers: Triggers = field(default_factory=Triggers)
    ceilings: tuple[tuple[str, str], ...] = ()  # what the operator has set above every file, by variable
    of_features: tuple[Any, ...] = ()  # the settings of each feature

    def of(self, form: type[Form]) -> Form:
        """Return the settings of a feature, by their dataclass."""
        return next(feature for feature in self.of_features if isinstance(feature, form))

    @property
    def reported(self) -> dict[str, bool]:
        """The switches of features that a review keeps."""
        return {name: self.value(name) for name in REPORTED}

    def value(self, name: str) -> Any:  # noqa: ANN401 - of any setting
        """Return a setting by its name."""
        return next(getattr(each, name) for each in (self, *self.of_features) if hasattr(each, name))

    def record(self) -> dict[str, Any]:
        """Return the settings as a journal stores them, with the names of all fields. `recorded` reads them again."""
        return {name: _plain(self.value(name)) for name in DEFAULTS}

    def file_of(self, trigger: str) -> str:
        """Return the file that sets a trigger."""
        return self.origins.get(f"triggers.{trigger}", FILE)

    def with_flags(self, **values: Any) -> "Config":  # noqa: ANN401 - its own fields
        """Return the settings with values that count like flags, such as the remaining budget."""
        return replace(self, **values, origins={**self.origins, **dict.fromkeys(values, "flag")})

    def within(self, usd: float | None) -> "Config":
        """Return the settings with no more to spend than these dollars."""
        return self if usd is None or usd >= self.usd else self.with_flags(usd=usd)

    def without_secrets(self, masks: "Masks") -> "Config":
        """Return the settings with a placeholder for each secret in the sentences that the owner wrote.

        Those of a record, which come as flags when it is replayed, stay as they were recorded.
        """
        settings = self
        if self.origins["instructions"] != "flag":
            settings = replace(settings, instructions=masks.hide(self.instructions))
        if self.origins["ignore"] != "flag":  # a fingerprint looks like a secret, and the name of a file may
            hidden = ("path", "kind", "symbol", "reason", "expires")
            entries = (
                replace(
                    entry,
                    **{name: masks.hide(getattr(entry, name)) for name in (hidden if entry.kind else hidden[-2:])},
                )
                for entry in self.ignore
            )
            settings = replace(settings, ignore=tuple(entries))
        return settings

    def on(self, today: date) -> "Config":
        """Return the settings of a day: without the entries of `ignore` that have expired."""
        held = tuple(entry for entry in self.ignore if not entry.expires or entry.expires >= today.isoformat())
        return self if held == self.ignore else replace(self, ignore=held)

    @property
    def unread(self) -> tuple[str, ...]:
        """The patterns of files that are not read."""
        return tuple(entry.path for entry in self.ignore if not entry.kind and not entry.finding)

    @property
    def rules(self) -> tuple[IgnoreItem, ...]:
        """The entries of `ignore` about kinds of findings that are not reported."""
        return tuple(entry for entry in self.ignore if entry.kind and entry.kind not in (CLAIMS, ALL))

    @property
    def learnings(self) -> tuple[IgnoreItem, ...]:
        """The entries of `ignore` whose reason answers models' findings."""
        return tuple(entry for entry in self.ignore if entry.kind == CLAIMS)

    @property
    def dismissed(self) -> tuple[IgnoreItem, ...]:
        """The entries of `ignore` about single findings, and about files of which nothing is reported."""
        return tuple(entry for entry in self.ignore if entry.finding or entry.kind == ALL)

    @property
    def advice(self) -> tuple[tuple[str, str], ...]:
        """The instructions for models, as pairs of a pattern and a text."""
        return tuple(
            (path, each.text) for each in self.instructions if each.must == "no" for path in each.path or ("*",)
        )

    @property
    def must_hold(self) -> tuple[Instruction, ...]:
        """The instructions that a review answers, each with its name. If two have the same name, the first counts."""
        return tuple(_asked(self.instructions).values())[:MOST_MUSTS]

    def for_labels(self, labels: Iterable[str]) -> "Config":
        """Return the settings of a pull request with these labels: of `effort_for` what fits one of them, or asks for none."""
        # GitHub does not tell labels apart by their letters' case
        lower_labels = {"", *(label.lower() for label in labels)}
        fitting = (replace(each, label="") for each in self.effort_for if each.label.lower() in lower_labels)
        return replace(self, effort_for=tuple(fitting))

    def for_paths(self, paths: Iterable[str]) -> "Config":
        """Return the settings of a change of these files: `effort` is what the most demanding of them gets by `effort_for`."""
        if not self.effort_for:
            return self
        from bot import globs

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
        """Return the settings with the strategy that needs no model, if the effort is `none`."""
        return (
            replace(self, strategy="offline") if self.effort == "none" and self.origins["strategy"] != "flag" else self
        )

    def ignores(self, path: str) -> bool:
        """Return whether the repository's file asks not to review this path."""
        if not (patterns := self.unread):
            return False
        from bot import globs

        return globs.matches(patterns, path)

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield name, value and origin of each setting, as texts for people."""
        for name in DEFAULTS:
            yield key_in_file(name), value_text(self.value(name)), self.origins[name]
        for name, value in asdict(self.triggers).items():
            yield f"triggers.{name}", value_text(value), self.origins.get(f"triggers.{name}", "default")
        for name, text in self.ceilings:
            yield name, text, "server limit, which repository files cannot raise"

    def model_sentence(self) -> str:
        """Return a sentence about the models that the repository's file has chosen, "" if it has chosen none."""
        file_roles = [name for name in MODELS if self.origins[name] not in ("flag", "environment", "default")]
        ours = [f"{name} {getattr(self, name)}" for name in file_roles]
        if self.origins["readers"] not in ("flag", "environment", "default"):
            ours.append(f"readers {', '.join(self.readers)}")
        return f"The repository's settings select the models: {', '.join(ours)}." if ours else ""


def _plain(value: Any) -> Any:  # noqa: ANN401 - the value of any setting
    """Return a value of which dataclasses are mappings."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def recorded(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record's settings as flags of `resolve`, without unknown names."""
    return {name: _of_entries(name, value) for name, value in record.items() if name in DEFAULTS}


def _of_entries(name: str, value: Any) -> Any:  # noqa: ANN401 - the value of any setting
    """Return the value of a setting, from values of JSON. Raises TypeError or ValueError if it has another form."""
    if (form := ENTRY_FORMS.get(name)) is not None:
        return tuple(form(**_form_values(form, _tuples(entry))) for entry in value)
    if (form := SECTION_FORMS.get(name)) is not None and value:
        return _form_values(form, _tuples(value))
    return _tuples(value)


def _tuples(value: Any) -> Any:  # noqa: ANN401 - any value of JSON
    """Return a value of JSON with tuples instead of lists."""
    if isinstance(value, Mapping):
        return {name: _tuples(item) for name, item in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value


def value_text(value: object) -> str:
    """Return a value as a line of text. An entry of a list is shown as its values, without those that say nothing."""
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
    """Return one value per setting, from the strongest source that has it.

    `repository`: the content of the file `name`.

    `others` are similar files in the repository; a warning says that they are not read. `shared` are files
    for several repositories, the weakest first. A mistake in a file causes a warning, and the setting with
    the mistake doesn't apply. Raises ConfigError for an invalid option or variable.
    """
    operator = asdict(settings)
    from_file, warnings, doubts = _own(repository, name, others, flags, operator)
    layers = []
    for layer in (file.layer() for file in shared):
        allowed, refusals = _allowed(layer.values, flags, operator, layer.source)
        layers.append(replace(layer, values=allowed))
        warnings += [*layer.warnings, *refusals]
        doubts += layer.doubts
    files = [*((layer.source, layer.values) for layer in layers), (name, from_file)]
    values, origins = _layered(operator, files, flags)
    for layer in reversed(layers):
        _bind(values, origins, layer, flags)
    for key, value in values.items():
        if isinstance(value, int | float) and not is_amount(value) and not isinstance(value, bool):
            raise ConfigError(f"{key} is {value} ({origins[key]}): use a finite number of 0 or more")
    _clamp(values, origins, settings, operator)
    _apply_dependent_settings(values, origins, flags)
    if not_asked := [*_asked(values["instructions"])][MOST_MUSTS:]:
        warnings.append(f"a review checks at most {MOST_MUSTS} requirements. Not checked: {', '.join(not_asked)}")
    triggers = Triggers(**{key.removeprefix("triggers."): values.pop(key) for key in TRIGGERS})
    return Config(
        **_form_values(ReviewSettings, values),
        origins=origins,
        warnings=tuple(warnings),
        doubts=tuple(doubts),
        triggers=triggers,
        ceilings=tuple(settings.ceilings()),
        of_features=tuple(form(**_form_values(form, values)) for form in FORMS[1:]),
    )


def _form_values(form: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of one dataclass of settings."""
    return {each.name: values[each.name] for each in fields(form) if each.name in values}


def _own(
    text: "SettingsText", name: str, others: Sequence[str], flags: Mapping[str, Any], operator: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str], tuple[str, ...]]:
    """Return what the repository's file sets and may set, the warnings about it, and the doubts among them."""
    unread = [f"{other} is not read. Rename it to {name}." for other in others]
    if text is None:
        return {}, unread, ()
    if isinstance(text, UnusableFile):
        unusable = f"{name}: {text.why}, so nothing in it applies"
        return {}, [unusable, *unread], (unusable,)
    from bot.config.repository import read

    file = read(text, name)
    idle = (each for each in FILE_FIELDS if file.about_itself.get(each.name))
    unread += [f"{name}: {each.name} only has an effect in {each.metadata['only_in']}" for each in idle]
    allowed, refusals = _allowed(file.values, flags, operator, name)
    return allowed, [*file.warnings, *unread, *refusals], file.doubts


def _layered(
    operator: Mapping[str, Any], files: Sequence[tuple[str, Mapping[str, Any]]], flags: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the strongest layer's value for each setting, and its origin.

    The weakest file is first.

    Lists of entries, and sections, combine the values of all files.
    """
    values, origins = {**DEFAULTS, **TRIGGERS}, dict.fromkeys(DEFAULTS, "default")
    of_files = set[str]()  # the settings whose values are of a file
    for origin, layer in (("environment", operator), *files, ("flag", flags)):
        for key in [key for key in values if layer.get(key) is not None]:
            is_of_both = key in of_files and origin != "flag"
            values[key] = _joined(key, layer[key], values[key]) if is_of_both else layer[key]
            origins[key] = f"{origin} and {origins[key]}" if is_of_both and values[key] != layer[key] else origin
            if origin != "environment":
                of_files.add(key)
            if key in LISTS and values[key] == ():
                origins[key] = "default"
    return values, origins


def _joined(key: str, first: Any, second: Any) -> Any:  # noqa: ANN401 - of any setting
    """The value of two files; of one name or key the first one's counts, and an empty list leaves the second one's entries out."""
    if key in SECTION_FORMS:
        return {**second, **first}
    if key not in LISTS or first == ():
        return first
    if key == "ignore":  # the last pattern that takes a file decides: it is the repository's
        return (*second, *first)
    return tuple(dict.fromkeys((*first, *second)))


def _asked(instructions: Iterable[Instruction]) -> dict[str, Instruction]:
    """Return the instructions that must be answered, by name. If two have the same name, the first counts."""
    named: dict[str, Instruction] = {}
    for each in instructions:
        if each.must != "no":
            name = each.name or textwrap.shorten(each.text, 60, placeholder="...")
            named.setdefault(name, replace(each, name=name))
    return named


def _bind(values: dict[str, Any], origins: dict[str, str], layer: "Layer", flags: Mapping[str, Any]) -> None:
    """Apply the settings that a shared file enforces.

    Its instructions are added to those of the repository.

    Flags that a person types still apply, because that person pays. The inputs of a workflow (`is_workflow`)
    belong to the repository.
    """
    for key in (key for key in layer.values if key in layer.bound):
        value = layer.values[key]
        holds = tuple(dict.fromkeys((*value, *values[key]))) if key == "instructions" else value
        if holds != values[key] and (origins[key] != "flag" or flags.get("is_workflow")):
            values[key], origins[key] = holds, layer.source if key in TRIGGERS else f"{layer.source} (enforced)"
    if "effort" in layer.bound:
        values["effort_for"] = layer.values.get("effort_for", ())


def _clamp(values: dict[str, Any], origins: dict[str, str], settings: Settings, operator: Mapping[str, Any]) -> None:
    """Lower what a file asks for above the operator's ceilings; DEEPREPO_CAP_USD is above everybody's."""
    asked = {key for key in DEFAULTS if origins[key] not in ("flag", "environment", "default")}
    rows: list[tuple[str, str, Any, Callable[[Any], float]]] = [
        (key, *_ceiling(key, operator), float) for key in LIMITS if key in asked
    ]
    if "effort" in asked:
        rows.append(("effort", "DEEPREPO_EFFORT", settings.effort, EFFORTS.index))
    if origins["request_changes"] != "flag":
        rows.append(("request_changes", "DEEPREPO_REQUEST_CHANGES", settings.request_changes, BARS.index))
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
    """The limit of a file: the environment's; if that sets none, of dollars the default and of seconds an hour."""
    if operator.get(key) is not None:
        return f"DEEPREPO_{key.upper()}", operator[key]
    if key == "usd" and operator.get("cap_usd") is None:
        return "the default (DEEPREPO_USD sets another)", DEFAULTS["usd"]
    return ("the limit for files (DEEPREPO_SECONDS sets another)", MOST_SECONDS) if key == "seconds" else ("", None)


def _apply_dependent_settings(values: dict[str, Any], origins: dict[str, str], flags: Mapping[str, Any]) -> None:
    """Settle what follows from another setting."""
    if flags.get("effort") is not None and "effort_for" not in flags:  # a record has both
        values["effort_for"], origins["effort_for"] = (), "default"
    if flags.get("strategy") is None:
        if {values["effort"], *(each.effort for each in values["effort_for"])} == {"none"}:
            values["strategy"], origins["strategy"] = "offline", origins["effort"]
        elif flags.get("effort") is not None:  # that a person has typed is stronger than a strategy that nobody has
            values["strategy"], origins["strategy"] = "auto", origins["effort"]
    bar = values["fail_on"]
    if bar is not None and not at_least(bar, values["minimum_severity"]):  # what makes the check fail is shown
        values["minimum_severity"], origins["minimum_severity"] = bar, f"`fail_on` of {origins['fail_on']}"
    for name, form in SECTION_FORMS.items():
        if isinstance(values[name], Mapping):
            values[name] = form(**values[name])


def _allowed(
    choices: Mapping[str, Any], flags: Mapping[str, Any], operator: Mapping[str, Any], name: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the models and the strategy that the file may choose, and a sentence for each refused choice.

    The operator's list says which models the file may choose. Without a list, the file may choose only if no
    option or variable sets a model. This includes the other role, which could be a more expensive model.
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
    for variable in ("strategy", "effort"):
        limit = operator.get(variable)
        spends_nothing = (None, limit, "offline")
        if limit is not None and allowed_choices.get("strategy") not in spends_nothing:
            del allowed_choices["strategy"]
            refusals.append(f"{name}: strategy {strategy} is ignored: DEEPREPO_{variable.upper()} is {limit}")
    return allowed_choices, tuple(refusals)
