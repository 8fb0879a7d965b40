"""Settings: the environment at the door, .deeprepo.yml of the base branch, the flags of the command. Each value knows its origin.

Order, strongest first: flag, repository file, environment, default. Nothing is read from the head of a pull request.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import yaml
from pathspec import GitIgnoreSpec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import ConfigError
from bot.values import Severity

FILE = ".deeprepo.yml"
TEMPLATES = tuple(f".deeprepo/templates/{name}.md.j2" for name in ("summary", "finding", "inline"))  # an owner's own
Strategy = Literal["auto", "direct", "fanout", "rlm", "rlm-only", "offline"]


class Settings(BaseSettings):
    """What the environment sets: DEEPREPO_ROOT, DEEPREPO_WORKER, DEEPREPO_BASE_URL and so on."""

    model_config = SettingsConfigDict(env_prefix="DEEPREPO_", extra="ignore", frozen=True)

    root: str | None = None
    worker: str | None = None
    base_url: str | None = None  # of an endpoint that speaks OpenAI's or Anthropic's dialect; for both models
    strategy: Strategy | None = None
    usd: float | None = Field(default=None, ge=0)
    journal: str | None = None
    cache: str | None = None  # a folder in which a server keeps what it parsed


def _pattern(value: str) -> str:
    GitIgnoreSpec.from_lines([value])  # raises a ValueError, which pydantic tells with the key
    return value


Pattern = Annotated[str, AfterValidator(_pattern)]  # as in .gitignore


class _Section(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Models(_Section):
    """Section `models`."""

    root: str | None = None
    worker: str | None = None


class Budget(_Section):
    """Section `budget`: hard caps of one review."""

    usd: float | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, gt=0)


class Instruction(_Section):
    """One entry of `instructions`: what the owner asks of reviews of certain files."""

    path: Pattern
    text: str


class RepoConfig(_Section):
    """The whole of .deeprepo.yml."""

    models: Models = Models()
    budget: Budget = Budget()
    strategy: Strategy | None = None
    ignore: tuple[Pattern, ...] = ()  # paths that are listed and not reviewed, as in .gitignore
    quota: int | None = Field(default=None, ge=0)
    fail_on: Severity | None = None
    verify: bool | None = None
    analyzers: tuple[str, ...] | None = None
    language: str | None = Field(default=None, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$")  # of comments: "de"
    lenses: tuple[str, ...] | None = None
    instructions: tuple[Instruction, ...] = ()
    guidelines: bool | None = None  # whether AGENTS.md, CLAUDE.md and the like are shown to the models


@dataclass(frozen=True, slots=True)
class Value:
    """One setting and where it comes from."""

    value: Any
    origin: str


DEFAULTS: dict[str, Any] = {
    "root": None,
    "worker": None,
    "strategy": "auto",
    "usd": 1.0,
    "tokens": 2_000_000,
    "calls": 1_000,
    "seconds": 900.0,
    "ignore": (),
    "quota": 4,
    "fail_on": None,
    "verify": True,
    "analyzers": ("contracts", "ruff", "secrets"),
    "lenses": ("correctness", "contracts", "security", "data", "concurrency", "errors", "api", "tests"),
    "language": "en",
    "instructions": (),
    "guidelines": True,
}


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting of one review, resolved. `warnings` are sentences about the repository's file."""

    values: Mapping[str, Value]
    warnings: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - settings are of several types; a wrong name is a KeyError
        return self.values[name].value

    def ignores(self, path: str) -> bool:
        """Whether the repository's file asks not to review this path."""
        return bool(self["ignore"]) and GitIgnoreSpec.from_lines(self["ignore"]).match_file(path)


def resolve(flags: Mapping[str, Any], repository: bytes | None, settings: Settings) -> Config:
    """One value per setting, from the strongest source that has it. `repository` is the file's content, None: there is none."""
    file, warnings = read(repository) if repository is not None else (RepoConfig(), ())
    layers = (("flag", flags), (f"{FILE} of the base branch", _flat(file)), ("environment", settings.model_dump()))
    values = {}
    for name, default in DEFAULTS.items():
        found = ((layer[name], origin) for origin, layer in layers if layer.get(name) is not None)
        value, origin = next(found, (default, "default"))
        values[name] = Value(value, origin)
    return Config(values, warnings)


def read(text: bytes) -> tuple[RepoConfig, tuple[str, ...]]:
    """The repository's file and warnings for keys that nobody knows. Raises ConfigError with the line."""
    try:
        source = text.decode()
        node, data = yaml.compose(source, Loader=yaml.SafeLoader), yaml.safe_load(source)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date that no month has is a ValueError
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f" line {line + 1}" if line is not None else ""
        raise ConfigError(f"{FILE}{where} is not valid YAML: {getattr(error, 'problem', None) or error}") from error
    if data is None:
        return RepoConfig(), ()
    if not isinstance(data, dict):
        raise ConfigError(f"{FILE} must hold `key: value` lines at its top")
    try:
        return RepoConfig.model_validate(data), tuple(_unknown(node, RepoConfig))
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{FILE}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def environment() -> Settings:
    """The settings of the environment. Raises ConfigError with the variable's name, never its value."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"DEEPREPO_{str(first['loc'][0]).upper()}: {first['msg']}") from None


def telemetry() -> str | None:
    """Where OpenTelemetry spans go, by the variable that every program reads for it; None: nowhere."""
    return os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip() or None


def key(variable: str) -> SecretStr | None:
    """A provider's key from the environment; its repr shows nothing."""
    found = os.environ.get(variable, "").strip()
    return SecretStr(found) if found else None


def _flat(file: RepoConfig) -> dict[str, Any]:
    """The file's settings under the names of DEFAULTS; an empty list counts as not set."""
    rows = (
        file.model_dump(exclude={"models", "budget", "instructions"})
        | file.models.model_dump()
        | file.budget.model_dump()
    )
    rows["instructions"] = tuple((item.path, item.text) for item in file.instructions)
    return {name: value for name, value in rows.items() if value not in (None, ())}


def _unknown(node: yaml.Node | None, model: type[BaseModel], prefix: str = "") -> list[str]:
    found = []
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        known = model.model_fields.get(name.value)
        if known is None:
            options = ", ".join(model.model_fields)
            found.append(
                f"{FILE} line {name.start_mark.line + 1}: unknown key {prefix}{name.value!s} (known: {options})"
            )
        elif isinstance(known.annotation, type) and issubclass(known.annotation, BaseModel):
            found += _unknown(value, known.annotation, f"{name.value}.")
    return found
