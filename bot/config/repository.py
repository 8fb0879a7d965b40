"""The repository's own file, as its owner writes it: .deeprepo.yml of the base branch."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from bot import globs
from bot.config import written
from bot.errors import ConfigError
from bot.values import Effort, Severity

FILE = ".deeprepo.yml"
SHOWN = 3  # problems of one file that one error names
Strategy = Literal["auto", "direct", "fanout", "rlm", "rlm-only", "offline"]


def _pattern(value: str) -> str:
    globs.check(value)  # raises a ValueError, which pydantic tells with the key
    return value


Pattern = Annotated[str, AfterValidator(_pattern)]  # as in .gitignore


_LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$"
Event = Literal["opened", "reopened", "ready", "push"]  # what starts a review by itself


class _Section(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Models(_Section):
    """Section `models`: who orchestrates and who reads, and how they are called."""

    root: str | None = Field(default=None, description="The model that asks across units, as provider/model.")
    worker: str | None = Field(default=None, description="The cheap model that reads the code, as provider/model.")
    effort: Effort | None = Field(
        default=None,
        description="How long models that think may think. Without it: low for readers and second opinions, medium for the root.",
    )
    timeout: float | None = Field(
        default=None, gt=0, description="Seconds that a provider may be silent between two pieces of a reply."
    )
    concurrency: int | None = Field(
        default=None, ge=1, description="Calls in flight at once. Without it: 64, or 4 at a server of your own."
    )
    context: int | None = Field(
        default=None,
        ge=2_048,
        description="Tokens of the models' window, prompt and reply together. Without it: found out when a prompt is too long.",
    )


class Budget(_Section):
    """Section `budget`: hard caps of one review."""

    usd: float | None = Field(default=None, ge=0, description="Dollars.")
    tokens: int | None = Field(default=None, ge=0, description="Tokens, in and out together.")
    calls: int | None = Field(default=None, ge=0, description="Calls of models.")
    seconds: float | None = Field(default=None, gt=0, description="Seconds.")


class Instruction(_Section):
    """One entry of `instructions`: what the owner asks of reviews of certain files."""

    path: Pattern = Field(description="The files, as in .gitignore.")
    text: str = Field(description="What to look for, or to leave alone.")


class Triggers(_Section):
    """Section `triggers`: which pull requests are reviewed without being asked. A command or a re-run asks."""

    events: tuple[Event, ...] = Field(
        default=("opened", "reopened", "ready", "push"),
        description="What starts a review by itself; an empty list: only a command does.",
    )
    drafts: bool = Field(default=False, description="Whether drafts are reviewed without being asked.")
    bots: bool = Field(default=False, description="Whether pull requests that a bot has opened are.")
    forks: bool = Field(default=True, description="Whether pull requests from forks are.")
    fork_reviews_per_day: int = Field(
        default=50, ge=0, description="Reviews of forks by models in a day, unasked; further ones need no model."
    )
    branches: tuple[str, ...] = Field(
        default=(), description="Base branches, with `*`; empty: pull requests into every branch."
    )
    labels: tuple[str, ...] = Field(default=(), description="One of these must be there; empty: none is needed.")
    skip_labels: tuple[str, ...] = Field(default=(), description="None of these may be there.")
    skip_authors: tuple[str, ...] = Field(default=(), description="Logins whose pull requests are left alone.")
    paths: tuple[Pattern, ...] = Field(
        default=(), description="A changed file must match, as in .gitignore; empty: any file will do."
    )
    offline_files: int = Field(default=1_000, ge=1, description="With more changed files no model reads it unasked.")
    offline_lines: int = Field(default=100_000, ge=1, description="The same, by added and deleted lines.")
    skip_files: int = Field(
        default=5_000, ge=1, description="With more files nothing starts unasked, and no model reads."
    )
    skip_lines: int = Field(default=1_000_000, ge=1, description="The same, by added and deleted lines.")
    commands_per_hour: int = Field(default=20, ge=1, description="How many commands one person may give in an hour.")


class RepoConfig(_Section):
    """The whole of .deeprepo.yml."""

    models: Models = Field(default=Models(), description="Who orchestrates and who reads.")
    budget: Budget = Field(default=Budget(), description="Hard caps of one review.")
    strategy: Strategy | None = Field(default=None, description="How a change is read; auto chooses by its size.")
    ignore: tuple[Pattern, ...] = Field(default=(), description="Files that are listed, not read, as in .gitignore.")
    quota: int | None = Field(default=None, ge=0, description="Findings told in full; critical ones do not count.")
    fail_on: Severity | None = Field(default=None, description="From this severity on, the check fails.")
    verify: bool | None = Field(default=None, description="Whether a second call has to confirm a finding.")
    analyzers: tuple[str, ...] | None = Field(default=None, description="The checks that need no model.")
    language: str | None = Field(default=None, pattern=_LANGUAGE, description='Of the comments: "de", "pt-BR".')
    lenses: tuple[str, ...] | None = Field(default=None, description="The questions that models may be asked.")
    instructions: tuple[Instruction, ...] = Field(default=(), description="What the owner asks, by files.")
    guidelines: bool | None = Field(
        default=None, description="Whether AGENTS.md, CLAUDE.md and the like are shown to the models."
    )
    triggers: Triggers = Field(default=Triggers(), description="What is reviewed without being asked.")


OTHER_NAMES = (".deeprepo.yaml", "deeprepo.yml", "deeprepo.yaml", ".github/deeprepo.yml", ".github/.deeprepo.yml")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the file: if it is fatal, no review can use the file. `line` is None if the whole file is meant."""

    line: int | None
    said: str
    fatal: bool = True


def check(text: bytes) -> tuple[RepoConfig, tuple[Problem, ...]]:
    """The repository's file, and all that is wrong with it. If a problem is fatal, the settings are the defaults."""
    try:
        node, data = written.loaded(text.decode())
    except (yaml.YAMLError, ValueError) as error:  # a date that no month has is a ValueError
        return RepoConfig(), (Problem(*written.fault(error)),)
    if data is None:
        return RepoConfig(), ()
    if not isinstance(data, dict):
        return RepoConfig(), (Problem(1, "must hold `key: value` lines at its top"),)
    try:
        return RepoConfig.model_validate(data), (*_unknown(node, RepoConfig), *_twice(node))
    except ValidationError as error:
        found = (
            Problem(written.line_of(node, item["loc"]), f"{'.'.join(map(str, item['loc']))}: {written.sentence(item)}")
            for item in error.errors()
        )
        return RepoConfig(), tuple(found)


def read(text: bytes, name: str = FILE) -> tuple[RepoConfig, tuple[str, ...]]:
    """The repository's file and warnings for keys that nobody knows. Raises ConfigError with the lines."""
    found, problems = check(text)
    told = tuple(f"{written.place(name, each.line)}: {each.said}" for each in problems)
    if any(each.fatal for each in problems):
        raise ConfigError("; ".join(told[:SHOWN]))
    return found, told


def _twice(node: yaml.Node | None) -> Iterator[Problem]:
    return (Problem(line, said, fatal=False) for line, said in written.duplicates(node))


def _unknown(node: yaml.Node | None, model: type[BaseModel], prefix: str = "") -> Iterator[Problem]:
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        known = model.model_fields.get(name.value)
        if known is None:
            options = ", ".join(model.model_fields)
            line = name.start_mark.line + 1
            yield Problem(line, f"unknown key {prefix}{name.value!s} (known: {options})", fatal=False)
        elif isinstance(known.annotation, type) and issubclass(known.annotation, BaseModel):
            yield from _unknown(value, known.annotation, f"{prefix}{name.value}.")
