"""One value per setting, from the strongest source that has it, and where it comes from.

Order, strongest first: flag, repository file, organization file, environment, default. Nothing is read from the head of a pull request.

A repository's file may have been written by a stranger, and the money is not theirs. So what the environment says of money
is stronger than the file: its limits and its effort are ceilings that the file can only lower, and its models and its strategy hold.
A flag was typed by the person who pays: only DEEPREPO_CAP_USD is above it.

Who may not write to the repository can still choose the base branch of a pull request, which may be an old one with other settings.
For them the default branch's file is resolved in the same way, and of each setting the stricter value holds (`stricter.py`). What an
organization enforces holds against the file and against the inputs of a workflow, which are the repository's too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from bot.config.defaults import DEFAULTS, SENTENCES, ReviewSettings
from bot.config.names import FILE
from bot.config.settings import Settings
from bot.config.stricter import BARS, Stricter
from bot.errors import ConfigError
from bot.values import EFFORTS, at_least
from bot.values.model import is_amount

if TYPE_CHECKING:
    from bot.config.organization import SharedDefaults
    from bot.config.repository import RepoConfig, Triggers
    from bot.values import OrganizationFile

OF_BASE, OF_DEFAULT = "of the base branch", "of the default branch"
# Which the environment's value is a ceiling of.
LIMITS = ("usd", "tokens", "calls", "seconds", "turns", "concurrency", "pause_after")
MOST_SECONDS = 3_600.0  # of a review, where a file alone says how many
MODELS = ("root", "worker")


@dataclass(frozen=True, slots=True)
class Value:
    """One setting and where it comes from."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(ReviewSettings):
    """Every setting of one review, resolved, with its origin. `warnings` are sentences about the repository's file.

    `triggers` decide whether there is a review at all, so they are not part of the settings that a journal records.
    """

    origins: Mapping[str, str]
    warnings: tuple[str, ...] = field(default=())
    file_triggers: "Triggers | None" = None  # of the repository's and the organization's file; None if no file sets any
    trigger_origins: Mapping[str, str] = field(default_factory=dict)  # of those that a file sets
    ceilings: tuple[tuple[str, str], ...] = ()  # what the operator has set above every file, by variable
    bounds: "tuple[tuple[str, Triggers], ...]" = ()  # what has to be met too, with the file that asks for it

    @classmethod
    def of(cls, values: Mapping[str, Value], **more: Any) -> "Config":  # noqa: ANN401 - its own fields
        """Return the settings from one value for each name."""
        origins = {name: value.origin for name, value in values.items()}
        return cls(**{name: value.value for name, value in values.items()}, origins=origins, **more)

    @property
    def values(self) -> dict[str, Value]:
        """Each setting with its origin, by its name."""
        return {name: Value(getattr(self, name), origin) for name, origin in self.origins.items()}

    def record(self) -> dict[str, Any]:
        """Return the settings as a journal has them, from which they are resolved again."""
        run = None if self.run is None else self.run.model_dump()
        return {**{name: getattr(self, name) for name in DEFAULTS}, "run": run}

    @property
    def triggers(self) -> "Triggers":
        """What starts a review by itself, within what the default branch and the organization ask for if they bound it."""
        triggers = self._own
        for _, bound in self.bounds:
            triggers = triggers.within(bound)
        return triggers

    @property
    def _own(self) -> "Triggers":
        from bot.config.repository import Triggers

        return self.file_triggers or Triggers()

    @property
    def conditions(self) -> "tuple[tuple[str, Triggers], ...]":
        """What a pull request has to meet to be reviewed by itself, with the file that asks for it."""
        files = dict.fromkeys(origin.removesuffix(f" {OF_BASE}") for origin in self.trigger_origins.values())
        return ((" and ".join(files) or FILE, self._own), *self.bounds)

    def without_secrets(self) -> "Config":
        """The settings with a placeholder for each secret in the sentences that the owner wrote.

        Those of a record, which come as flags when it is replayed, stay as they were recorded.
        """
        from bot.masking.masks import Masks

        sentences = {name: getattr(self, name) for name in SENTENCES if self.origins[name] != "flag"}
        return replace(self, **Masks().hide(sentences))

    def ignores(self, path: str) -> bool:
        """Whether the repository's file asks not to review this path."""
        if not self.ignore:
            return False
        from bot.text import globs

        return globs.matches(self.ignore, path)

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Name, value and origin of each setting, as texts for people."""
        from bot.config.repository import written_as

        for name, value in self.record().items():
            yield written_as(name), value_text(value), self.origins[name]
        for name, value in self.triggers:
            yield f"triggers.{name}", value_text(value), self._trigger_origin(name, value)
        for name, text in self.ceilings:
            yield name, text, "ceiling: no repository's file goes above it"

    def _trigger_origin(self, name: str, value: object) -> str:
        """Where a trigger that holds comes from: the files, or the one that bounds them."""
        if value == getattr(self._own, name):
            return self.trigger_origins.get(name, "default")
        return next(
            (file for file, bound in self.bounds if getattr(bound, name) == value), "the stricter of several files"
        )

    def model_sentence(self) -> str:
        """A sentence about the models that the repository's file has chosen, "" if it has chosen none."""
        file_roles = [name for name in MODELS if self.origins[name] not in ("flag", "environment", "default")]
        ours = [f"{name} {getattr(self, name)}" for name in file_roles]
        return f"The repository's settings choose the models: {', '.join(ours)}." if ours else ""


def value_text(value: object) -> str:
    """A value as the repository's file has it; an item of a list may be a pair such as an instruction's path and text."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {value_text(item)}" for name, item in value.items() if item is not None)
    if isinstance(value, tuple):
        return ", ".join(": ".join(map(str, item)) if isinstance(item, tuple) else value_text(item) for item in value)
    return str(value)


def resolve(
    flags: Mapping[str, Any],
    repository: bytes | None,
    settings: Settings,
    name: str = FILE,
    others: Sequence[str] = (),
    bound: bytes | None = None,
    organization: "OrganizationFile | None" = None,
) -> Config:
    """One value per setting, from the strongest source that has it. `repository`: the content of the file `name`, if there is one.

    `others` are files of the repository that somebody may take for it: a warning says that they are not read. `bound` is the file of
    the default branch, empty if that has no file: of each setting the stricter value holds. None: the base branch's hold alone.
    `organization` has the defaults of the repository's owner.
    """
    defaults = _defaults(organization) if organization is not None else None
    own = _one(flags, repository, settings, name, OF_BASE, others, defaults)
    return own if bound is None else _within_bounds(own, _one(flags, bound, settings, name, OF_DEFAULT, (), defaults))


def _defaults(organization: "OrganizationFile") -> "SharedDefaults | None":
    from bot.config.organization import read_defaults

    return read_defaults(organization)


def _one(
    flags: Mapping[str, Any],
    repository: bytes | None,
    settings: Settings,
    name: str,
    branch: str,
    others: Sequence[str] = (),
    defaults: "SharedDefaults | None" = None,
) -> Config:
    """The settings by the file of one branch, over the organization's."""
    source = f"{name} {branch}"
    file, warnings = _read(repository, name if branch == OF_BASE else source) if repository is not None else (None, ())
    warnings += tuple(f"{other} is not read: rename it to {name}." for other in others)
    if file is not None and file.enforce:
        warnings += (f"{name}: enforce has an effect in the organization's repository for defaults alone",)
    operator = asdict(settings)
    choices, refusals = _allow(_flat(file) if file else {}, flags, operator, name)
    shared, more_refusals = _allow(_flat(defaults.file), flags, operator, defaults.source) if defaults else ({}, ())
    shared = {key: value for key, value in shared.items() if not _is_left_out(file, key)}
    switch = {"run": None, "consumers": None}  # of the environment, which are no section `run` and no list
    ours = defaults.source if defaults else ""
    layers = (("flag", flags), (source, choices), (ours, shared), ("environment", operator | switch))
    values = {}
    for key, default in DEFAULTS.items():
        candidates = ((layer[key], origin) for origin, layer in layers if layer.get(key) is not None)
        value, origin = next(candidates, (default, "default"))
        _refuse_no_amount(key, value, origin)
        values[key] = Value(value, origin)
        if defaults is not None and origin == source and key in shared:
            values[key] = _of_both(Value(value, source), defaults.combine(key, value, shared[key]), ours)
        if origin in (source, ours) and key in LIMITS:
            values[key] = _lower(key, values[key], operator)
    if values["effort"].origin in (source, ours):
        values["effort"] = _no_higher(values["effort"], operator)
    values["strategy"] = _strategy(values, flags)
    notes: tuple[str, ...] = ()
    if defaults is not None:
        values, notes = _enforced(values, defaults, flags)
    if settings.request_changes is not None and values["request_changes"].origin != "flag":
        values["request_changes"] = _no_stricter(values["request_changes"], settings.request_changes)
    if settings.cap_usd is not None and not values["usd"].value <= settings.cap_usd:
        values["usd"] = _below("DEEPREPO_CAP_USD", settings.cap_usd, values["usd"])
    values["run"] = _run_section(values["run"])
    values["minimum_severity"] = _no_higher_than_bar(values["minimum_severity"], values["fail_on"])
    triggers, origins = _triggers(file, source, defaults)
    return Config.of(
        values,
        warnings=(*warnings, *refusals, *(defaults.warnings if defaults else ()), *more_refusals, *notes),
        file_triggers=triggers,
        trigger_origins=origins,
        ceilings=tuple(settings.ceilings()),
        bounds=defaults.bounds(triggers) if defaults else (),
    )


def _refuse_no_amount(key: str, value: object, origin: str) -> None:
    """Raise ConfigError for a number that no setting can have: below 0, infinite, or not a number."""
    if isinstance(value, int | float) and not is_amount(value) and not isinstance(value, bool):
        raise ConfigError(f"{key} is {value} ({origin}): give a finite number of 0 or more")


def _is_left_out(file: "RepoConfig | None", key: str) -> bool:
    """Whether a repository's file leaves the organization's entries out: by an empty list."""
    return DEFAULTS[key] == () and file is not None and key in file.model_fields_set and getattr(file, key) == ()


def _of_both(own: Value, both: Any, ours: str) -> Value:  # noqa: ANN401 - of any setting
    return own if both == own.value else Value(both, f"{own.origin} and {ours}")


def _no_higher_than_bar(least: Value, bar: Value) -> Value:
    """What makes the check fail is shown: the least severity is not above the bar of `fail_on`."""
    if bar.value is None or at_least(bar.value, least.value):
        return least
    return Value(bar.value, f"`fail_on` of {bar.origin}")


def _enforced(
    values: Mapping[str, Value], defaults: "SharedDefaults", flags: Mapping[str, Any]
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """The values that hold where the organization lets nobody loosen them, and a sentence about checks that are too many.

    What a person types at a terminal holds: they pay for it. The inputs of a workflow (`is_workflow`) are the repository's.
    """
    from bot.config.organization import LISTS, too_many_checks

    ours = {name: value for name, value in _flat(defaults.file).items() if defaults.is_enforced(name)}
    ours |= {name: () for name in LISTS if defaults.is_enforced(name) and name not in ours}  # an empty list, written so
    values_held = dict(values)
    for name, value in ours.items():
        if values[name].origin == "flag" and not flags.get("is_workflow"):
            continue
        holds = defaults.hold(name, values[name].value, value)
        if holds != values[name].value:
            values_held[name] = Value(holds, f"{defaults.source}, which enforces it")
    checks, note = too_many_checks(values_held["checks"].value)
    return {**values_held, "checks": Value(checks, values_held["checks"].origin)}, (
        f"{defaults.source}: {note}",
    ) if note else ()


def _triggers(
    file: "RepoConfig | None", source: str, defaults: "SharedDefaults | None"
) -> "tuple[Triggers | None, Mapping[str, str]]":
    """What starts a review, by the repository's file over the organization's."""
    own = file.triggers if file else None
    if defaults is not None:
        return defaults.triggers(own, source)
    return own, dict.fromkeys(own.model_fields_set, source) if own is not None else {}


def _within_bounds(own: Config, default: Config) -> Config:
    """The base branch's settings within the default branch's, each by the rule that it is declared with."""
    from bot.config.repository import declared_rules

    ours, theirs, rule_by_name = own.values, default.values, declared_rules()
    values = {name: _stricter(rule_by_name[name], ours[name], theirs[name]) for name in ours}
    warnings = tuple(dict.fromkeys((*own.warnings, *default.warnings)))
    return Config.of(
        values,
        warnings=warnings,
        file_triggers=own.file_triggers,
        trigger_origins=own.trigger_origins,
        ceilings=own.ceilings,
        bounds=(*own.bounds, (f"{FILE} {OF_DEFAULT}", default.triggers)),
    )


def _stricter(rule: Stricter, own: Value, default: Value) -> Value:
    """The value that holds, with its origin; one that neither file has as it is comes from both."""
    holds = rule.pick(own.value, default.value)
    stricter_value = next((value for value in (own, default) if value.value == holds), None)
    return stricter_value or Value(holds, f"{own.origin} and {default.origin}")


def _run_section(value: Value) -> Value:
    """The section `run`: a journal has recorded it as a mapping."""
    if not isinstance(value.value, Mapping):
        return value
    from bot.config.sections import RunSection

    return Value(RunSection.model_validate(value.value), value.origin)


def _read(text: bytes, name: str) -> "tuple[RepoConfig, tuple[str, ...]]":
    from bot.config.repository import read

    return read(text, name)


def _allow(
    choices: dict[str, Any], flags: Mapping[str, Any], operator: Mapping[str, Any], name: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the file may choose of the models and the strategy, and a sentence for each choice that does not hold.

    A list of the operator's says which models the file may name. Without one, the file chooses only if nobody else has:
    not even for the other role, which would be one more model, and perhaps a dearer one.
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
            why = "DEEPREPO_MODELS does not list it" if patterns else "the models are named by who runs deeprepo"
            refusals.append(f"{name}: models.{role} {model} is not used: {why}")
    strategy = allowed_choices.get("strategy")
    for variable in ("strategy", "effort"):
        limit = operator.get(variable)
        if limit is not None and allowed_choices.get("strategy") not in (
            None,
            limit,
            "offline",
        ):  # offline spends nothing
            del allowed_choices["strategy"]
            refusals.append(f"{name}: strategy {strategy} is not used: DEEPREPO_{variable.upper()} is {limit}")
    return allowed_choices, tuple(refusals)


def _no_higher(value: Value, operator: Mapping[str, Any]) -> Value:
    """An effort of the file, no higher than the operator's."""
    most = operator.get("effort")
    higher = most is not None and EFFORTS.index(value.value) > EFFORTS.index(most)
    return _below("DEEPREPO_EFFORT", most, value) if higher else value


def _no_stricter(value: Value, most: str) -> Value:
    """A bar of the file, no lower than the operator's: changes are requested for no less than that."""
    if BARS.index(value.value) <= BARS.index(most):
        return value
    return _below("DEEPREPO_REQUEST_CHANGES", most, value)


def _strategy(values: Mapping[str, Value], flags: Mapping[str, Any]) -> Value:
    """The strategy that holds beside the effort: an effort that a person has typed is stronger than a strategy that nobody has."""
    effort, strategy = values["effort"], values["strategy"]
    if flags.get("strategy") is not None:
        return strategy
    if effort.value == "none":
        return Value("offline", effort.origin)
    return Value("auto", effort.origin) if flags.get("effort") is not None else strategy


def _lower(key: str, value: Value, operator: Mapping[str, Any]) -> Value:
    """A limit of the file, below the one of the environment; if that sets none, dollars below the default and seconds below an hour."""
    if operator.get(key) is not None:
        variable, most = f"DEEPREPO_{key.upper()}", operator[key]
    elif key == "usd" and operator.get("cap_usd") is None:
        variable, most = "the default (DEEPREPO_USD sets another)", DEFAULTS["usd"]
    elif key == "seconds":
        variable, most = "the limit of a file (DEEPREPO_SECONDS sets another)", MOST_SECONDS
    else:
        return value
    return value if value.value <= most else _below(variable, most, value)


def _below(variable: str, most: Any, value: Value) -> Value:  # noqa: ANN401 - a whole number or a fraction
    """A ceiling in the place of what was asked for."""
    text = f"{value.value:.2f}" if isinstance(value.value, float) else str(value.value)
    return Value(most, f"{variable}, below the {text} of: {value.origin}")


def _flat(file: "RepoConfig") -> dict[str, Any]:
    """The file's settings under the names of DEFAULTS; an empty list counts as not set."""
    rows = (
        file.model_dump(
            exclude={"models", "budget", "instructions", "rules", "learnings", "checks", "triggers", "run", "enforce"}
        )
        | file.models.model_dump()
        | file.budget.model_dump()
    )
    rows["instructions"] = tuple((item.path, item.text) for item in file.instructions)
    rows["rules"] = tuple((item.path, item.kind, item.text) for item in file.rules)
    rows["learnings"] = tuple((item.path, item.symbol, item.text) for item in file.learnings)
    distinct_checks = {item.name: item for item in reversed(file.checks)}  # of one name the first counts
    rows["checks"] = tuple(
        (item.name, item.ask, item.paths, item.severity) for item in file.checks if distinct_checks[item.name] is item
    )
    if "run" in file.model_fields_set:  # a section that sets nothing switches it on, too
        rows["run"] = file.run
    return {name: value for name, value in rows.items() if value not in (None, ())}
