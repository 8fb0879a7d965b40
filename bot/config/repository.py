"""The repository's own file, as its owner writes it: .deeprepo.yml of the base branch."""

from typing import Annotated, Literal

import yaml
from pathspec import GitIgnoreSpec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from bot.errors import ConfigError
from bot.values import Severity

FILE = ".deeprepo.yml"
Strategy = Literal["auto", "direct", "fanout", "rlm", "rlm-only", "offline"]


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
