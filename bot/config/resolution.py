"""One value per setting, from the strongest source that has it, and where it comes from.

Order, strongest first: flag, repository file, environment, default. Nothing is read from the head of a pull request.

A repository's file may have been written by a stranger, and the money is not theirs. So what the environment says of money
is stronger than the file: its limits and its effort are ceilings that the file can only lower, and its models and its strategy hold.
A flag was typed by the person who pays: only DEEPREPO_CAP_USD is above it.

Who may not write to the repository can still choose the base branch of a pull request, which may be an old one with other settings.
For them the default branch's file is resolved in the same way, and of each setting the stricter value holds (`stricter.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from bot.config.defaults import DEFAULTS, ReviewSettings
from bot.config.names import FILE
from bot.config.settings import Settings
from bot.config.stricter import BARS, Stricter
from bot.errors import ConfigError
from bot.values import EFFORTS

if TYPE_CHECKING:
    from bot.config.repository import RepoConfig, Triggers

OF_BASE, OF_DEFAULT = "of the base branch", "of the default branch"
FROM_FILE = f"{FILE} {OF_BASE}"
# Which the environment's value is a ceiling of.
LIMITS = ("usd", "tokens", "calls", "seconds", "turns", "concurrency", "pause_after")
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
    file_triggers: "Triggers | None" = None  # of the repository's file; None if there is no file
    ceilings: tuple[tuple[str, str], ...] = ()  # what the operator has set above every file, by variable
    bounding: "Triggers | None" = None  # of the default branch, where it bounds what the base branch asks for

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
        """What starts a review by itself, within what the default branch asks for if that bounds it."""
        own = self._own
        return own if self.bounding is None else own.within(self.bounding)

    @property
    def _own(self) -> "Triggers":
        from bot.config.repository import Triggers

        return self.file_triggers or Triggers()

    @property
    def conditions(self) -> "tuple[tuple[str, Triggers], ...]":
        """What a pull request has to meet to be reviewed by itself, with the file that asks for it."""
        own = (FILE, self._own)
        return (own,) if self.bounding is None else (own, (f"{FILE} {OF_DEFAULT}", self.bounding))

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
            is_set = name in self.triggers.model_fields_set
            yield f"triggers.{name}", value_text(value), FROM_FILE if is_set else "default"
        for name, text in self.ceilings:
            yield name, text, "ceiling: no repository's file goes above it"

    def model_sentence(self) -> str:
        """A sentence about the models that the repository's file has chosen, "" if it has chosen none."""
        file_roles = [name for name in MODELS if self.origins[name].endswith((OF_BASE, OF_DEFAULT))]
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
) -> Config:
    """One value per setting, from the strongest source that has it. `repository`: the content of the file `name`, if there is one.

    `others` are files of the repository that somebody may take for it: a warning says that they are not read. `bound` is the file of
    the default branch, empty if that has no file: of each setting the stricter value holds. None: the base branch's hold alone.
    """
    own = _one(flags, repository, settings, name, OF_BASE, others)
    return own if bound is None else _within_bounds(own, _one(flags, bound, settings, name, OF_DEFAULT))


def _one(
    flags: Mapping[str, Any],
    repository: bytes | None,
    settings: Settings,
    name: str,
    branch: str,
    others: Sequence[str] = (),
) -> Config:
    """The settings by the file of one branch."""
    source = f"{name} {branch}"
    file, warnings = _read(repository, name if branch == OF_BASE else source) if repository is not None else (None, ())
    warnings += tuple(f"{other} is not read: rename it to {name}." for other in others)
    operator = asdict(settings)
    choices, refusals = _allow(_flat(file) if file else {}, flags, operator, name)
    also = flags.get("more_fail_also") or ()
    switch = {"run": None}  # of the environment, which is no section `run`
    layers = (("flag", flags), (source, choices), ("environment", operator | switch))
    values = {}
    for key, default in DEFAULTS.items():
        candidates = ((layer[key], origin) for origin, layer in layers if layer.get(key) is not None)
        value, origin = next(candidates, (default, "default"))
        values[key] = Value(value, origin)
        if origin == source and key in LIMITS:
            values[key] = _lower(key, values[key], operator)
    if also:  # what a person types is added to what the others name
        if values["fail_on"].value is None:
            raise ConfigError("--fail-also has no effect without a bar: add --fail-on high, or set `fail_on`")
        values["fail_also"] = Value(tuple(dict.fromkeys((*values["fail_also"].value, *also))), "flag")
    if values["effort"].origin == source:
        values["effort"] = _no_higher(values["effort"], operator)
    values["strategy"] = _strategy(values, flags)
    if settings.request_changes is not None and values["request_changes"].origin != "flag":
        values["request_changes"] = _no_stricter(values["request_changes"], settings.request_changes)
    if settings.cap_usd is not None and values["usd"].value > settings.cap_usd:
        values["usd"] = _below("DEEPREPO_CAP_USD", settings.cap_usd, values["usd"])
    values["run"] = _run_section(values["run"])
    return Config.of(
        values,
        warnings=(*warnings, *refusals),
        file_triggers=file.triggers if file else None,
        ceilings=tuple(settings.ceilings()),
    )


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
        ceilings=own.ceilings,
        bounding=default.triggers,
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
    """A limit of the file, below the one of the environment; dollars below the default too, if the environment sets none."""
    if operator.get(key) is not None:
        variable, most = f"DEEPREPO_{key.upper()}", operator[key]
    elif key == "usd" and operator.get("cap_usd") is None:
        variable, most = "the default (DEEPREPO_USD sets another)", DEFAULTS["usd"]
    else:
        return value
    return value if value.value <= most else _below(variable, most, value)


def _below(variable: str, most: Any, value: Value) -> Value:  # noqa: ANN401 - a whole number or a fraction
    """A ceiling in the place of what was asked for."""
    text = f"{value.value:.2f}" if isinstance(value.value, float) else str(value.value)
    return Value(most, f"{variable}, below the {text} of: {value.origin}")


def _flat(file: "RepoConfig") -> dict[str, Any]:
    """The file's settings under the names of DEFAULTS; an empty list counts as not set, but for `fail_also`: nothing is a choice."""
    rows = (
        file.model_dump(exclude={"models", "budget", "instructions", "rules", "learnings", "checks", "triggers", "run"})
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
    choice = {"fail_also": file.fail_also} if file.fail_also is not None else {}
    return {name: value for name, value in rows.items() if value not in (None, ())} | choice
