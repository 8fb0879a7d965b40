"""One value per setting, from the strongest source that has it, and where it comes from.

Order, strongest first: flag, repository file, organization file, environment, default. Nothing is read from the head of a pull request.

A repository's file may have been written by a stranger, and the money is not theirs. So what the environment says of money
is stronger than the file: its limits and its effort are ceilings that the file can only lower, and its models and its strategy hold.
A flag was typed by the person who pays: only DEEPREPO_CAP_USD is above it. What an organization enforces holds against the file and
against the inputs of a workflow, which are the repository's too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from bot.config.defaults import DEFAULTS, SENTENCES, ReviewSettings
from bot.config.names import FILE, MOST_CHECKS
from bot.config.settings import Settings
from bot.errors import ConfigError
from bot.values import EFFORTS, SEVERITIES, at_least
from bot.values.model import is_amount

if TYPE_CHECKING:
    from bot.config.organization import SharedDefaults
    from bot.config.repository import RepoConfig, Triggers
    from bot.values import OrganizationFile

BARS = ("off", *SEVERITIES)  # of `request_changes`, the one that stops least first
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
        """What starts a review by itself."""
        from bot.config.repository import Triggers

        return self.file_triggers or Triggers()

    def file_of(self, trigger: str) -> str:
        """The file that sets a trigger."""
        return self.trigger_origins.get(trigger, FILE)

    def with_flags(self, **values: Any) -> "Config":  # noqa: ANN401 - its own fields
        """The settings with values that count like a person's own words: what is left to spend, or that no model is asked."""
        return replace(self, **values, origins={**self.origins, **dict.fromkeys(values, "flag")})

    def within(self, usd: float | None) -> "Config":
        """The settings with no more to spend than these dollars."""
        return self if usd is None or usd >= self.usd else self.with_flags(usd=usd)

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
            yield f"triggers.{name}", value_text(value), self.trigger_origins.get(name, "default")
        for name, text in self.ceilings:
            yield name, text, "ceiling: no repository's file goes above it"

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
    organization: "OrganizationFile | None" = None,
) -> Config:
    """One value per setting, from the strongest source that has it. `repository`: the content of the file `name`, if there is one.

    `others` are files of the repository that somebody may take for it: a warning says that they are not read.
    `organization` has the defaults of the repository's owner. Raises ConfigError for a file or a value that cannot be used.
    """
    file, warnings = _read(repository, name) if repository is not None else (None, ())
    warnings += tuple(f"{other} is not read: rename it to {name}." for other in others)
    if file is not None and file.enforce:
        warnings += (f"{name}: enforce has an effect in the organization's repository for defaults alone",)
    defaults = _defaults(organization) if organization is not None else None
    operator = asdict(settings)
    own, refusals = _allow(_flat(file) if file else {}, flags, operator, name)
    ours, more_refusals = _allow(_flat(defaults.file), flags, operator, defaults.source) if defaults else ({}, ())
    values = _layered(flags, own, ours, operator, (name, defaults.source if defaults else ""))
    triggers = file.triggers if file else None
    origins: Mapping[str, str] = dict.fromkeys(triggers.model_fields_set, name) if triggers is not None else {}
    if defaults is not None:
        values |= defaults.both(values, own, ours, _left_out(file), name)
        values |= defaults.enforced(values, ours, flags)
        triggers, origins = defaults.triggers(triggers, name)
    values |= _clamped(values, settings, operator)
    values["strategy"] = _strategy(values, flags)
    values["run"] = _run_section(values["run"])
    values["minimum_severity"] = _no_higher_than_bar(values["minimum_severity"], values["fail_on"])
    values["checks"], too_many = _few_checks(values["checks"])
    return Config.of(
        values,
        warnings=(*warnings, *refusals, *(defaults.warnings if defaults else ()), *more_refusals, *too_many),
        file_triggers=triggers,
        trigger_origins=origins,
        ceilings=tuple(settings.ceilings()),
    )


def _defaults(organization: "OrganizationFile") -> "SharedDefaults | None":
    from bot.config.organization import read_defaults

    return read_defaults(organization)


def _layered(
    flags: Mapping[str, Any],
    own: Mapping[str, Any],
    ours: Mapping[str, Any],
    operator: Mapping[str, Any],
    files: tuple[str, str],
) -> dict[str, Value]:
    """The value of the strongest layer for each setting. `own` and `ours`: of the repository's and of the organization's file."""
    switch = {"run": None, "consumers": None}  # of the environment, which are no section `run` and no list
    layers = (("flag", flags), (files[0], own), (files[1], ours), ("environment", {**operator, **switch}))
    values = {}
    for key, default in DEFAULTS.items():
        candidates = ((layer[key], origin) for origin, layer in layers if layer.get(key) is not None)
        value, origin = next(candidates, (default, "default"))
        if isinstance(value, int | float) and not is_amount(value) and not isinstance(value, bool):
            raise ConfigError(f"{key} is {value} ({origin}): give a finite number of 0 or more")
        values[key] = Value(value, origin)
    return values


def _left_out(file: "RepoConfig | None") -> frozenset[str]:
    """The lists that a repository's file has as empty: they leave the organization's entries out."""
    written = file.model_fields_set if file is not None else frozenset()
    return frozenset(key for key in written if DEFAULTS.get(key) == () == getattr(file, key))


def _clamped(values: Mapping[str, Value], settings: Settings, operator: Mapping[str, Any]) -> dict[str, Value]:
    """What a file asks for above the operator's ceilings, as low as these are."""
    asked = {key: one for key, one in values.items() if one.origin not in ("flag", "environment", "default")}
    rows: list[tuple[str, str, Any, Callable[[Any], float]]] = [
        (key, *_ceiling(key, operator), float) for key in LIMITS if key in asked
    ]
    if "effort" in asked:
        rows += [("effort", "DEEPREPO_EFFORT", settings.effort, EFFORTS.index)]
    if values["request_changes"].origin != "flag":
        rows += [("request_changes", "DEEPREPO_REQUEST_CHANGES", settings.request_changes, BARS.index)]
    clamped: dict[str, Value] = {}
    for key, variable, most, order in (*rows, ("usd", "DEEPREPO_CAP_USD", settings.cap_usd, float)):
        one = clamped.get(key, values[key])
        if most is not None and not order(one.value) <= order(most):
            text = f"{one.value:.2f}" if isinstance(one.value, float) else str(one.value)
            clamped[key] = Value(most, f"{variable}, below the {text} of: {one.origin}")
    return clamped


def _ceiling(key: str, operator: Mapping[str, Any]) -> tuple[str, Any]:
    """The limit of a file: the environment's; if that sets none, of dollars the default and of seconds an hour."""
    if operator.get(key) is not None:
        return f"DEEPREPO_{key.upper()}", operator[key]
    if key == "usd" and operator.get("cap_usd") is None:
        return "the default (DEEPREPO_USD sets another)", DEFAULTS["usd"]
    return ("the limit of a file (DEEPREPO_SECONDS sets another)", MOST_SECONDS) if key == "seconds" else ("", None)


def _no_higher_than_bar(least: Value, bar: Value) -> Value:
    """What makes the check fail is shown: the least severity is not above the bar of `fail_on`."""
    if bar.value is None or at_least(bar.value, least.value):
        return least
    return Value(bar.value, f"`fail_on` of {bar.origin}")


def _few_checks(checks: Value) -> tuple[Value, tuple[str, ...]]:
    """The checks that one review asks, and a sentence about the others."""
    others = [row[0] for row in checks.value[MOST_CHECKS:]]
    if not others:
        return checks, ()
    sentence = f"a review asks {MOST_CHECKS} checks at most; not asked: {', '.join(others)}"
    return Value(checks.value[:MOST_CHECKS], checks.origin), (sentence,)


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


def _strategy(values: Mapping[str, Value], flags: Mapping[str, Any]) -> Value:
    """The strategy that holds beside the effort: an effort that a person has typed is stronger than a strategy that nobody has."""
    effort, strategy = values["effort"], values["strategy"]
    if flags.get("strategy") is not None:
        return strategy
    if effort.value == "none":
        return Value("offline", effort.origin)
    return Value("auto", effort.origin) if flags.get("effort") is not None else strategy


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
