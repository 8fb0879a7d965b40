"""Read a GitHub Actions step's inputs (DEEPREPO_ACTION_<NAME>) and the runner's own variables."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.config import yaml_text
from bot.config.defaults import FILE
from bot.config.server import Address, FromEnvironment
from bot.errors import ConfigError, UsageError
from bot.levels import Strategy
from bot.values import ReviewEffort, Severity

PREFIX = "DEEPREPO_ACTION_"
WHERE = "`deeprepo action` only runs as a step of a GitHub Actions workflow"


def _inside(value: str) -> str:
    if value.startswith(("/", "-")) or ".." in value.split("/") or not value.isprintable() or set(value) & set("?#\\:"):
        raise ValueError("this must be a path inside the repository")
    return value


class Inputs(FromEnvironment):
    """The inputs of action.yml. A missing input arrives as an empty variable."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    github_token: SecretStr
    # Reads the owner's default settings, if `github_token` has no access to them.
    organization_token: SecretStr | None = None
    consumers: str = ""  # repositories that use this one, as owner/name, one per line
    consumers_token: SecretStr | None = None  # reads the consumers, if `github_token` has no access to them
    pull_request: int | None = Field(default=None, ge=1)
    root: str | None = None
    worker: str | None = None
    provider: str | None = None
    api_key: SecretStr | None = None  # for `provider`, or else for the provider of `worker` or `root`
    effort: ReviewEffort | None = None
    strategy: Strategy | None = None  # for comparisons
    budget: float | None = Field(default=None, ge=0)
    fork_reviews_per_day: int | None = Field(default=None, ge=0)
    quota: int | None = Field(default=None, ge=0)
    fail_on: Severity | None = None
    config: Annotated[str, AfterValidator(_inside)] = FILE
    previous: Path | None = None
    full: bool = False
    sarif_reports: str = ""  # paths, one per line
    sarif: Path | None = None
    json_file: Path | None = None

    def flags(self) -> dict[str, Any]:
        """Return the settings among the inputs, which override the repository's file."""
        options = {name: getattr(self, name) for name in ("root", "worker", "effort", "strategy", "quota", "fail_on")}
        return {**options, "usd": self.budget, "is_workflow": True}


class RunnerVariables(FromEnvironment):
    """The runner's own variables."""

    github_event_name: str
    github_event_path: Path
    github_workspace: Path
    github_api_url: Address = "https://api.github.com"
    github_output: Path | None = None
    github_step_summary: Path | None = None
    github_run_id: str = "local"
    github_run_attempt: str = "1"
    github_workflow_ref: str = ""  # "owner/name/.github/workflows/file.yml@ref"
    github_repository: str = ""  # "owner/name"
    github_repository_id: int = 0
    github_actor: str = ""
    runner_temp: Path | None = None
    deeprepo_write_pause: float = Field(default=1.0, ge=0, le=60)  # seconds between two writes, as for a server

    @property
    def workflow_path(self) -> str:
        """The path of the workflow's file in the repository, or "" if the runner doesn't report it."""
        return self.github_workflow_ref.partition("@")[0].removeprefix(f"{self.github_repository}/")


@dataclass(frozen=True, slots=True)
class Step:
    """The inputs and the runner variables of a step."""

    inputs: Inputs
    runner: RunnerVariables


Kind = TypeVar("Kind", bound=BaseSettings)


def is_step() -> bool:
    """Return whether this process is a step of a GitHub Actions workflow."""
    return bool(os.environ.get("GITHUB_EVENT_PATH"))


def step() -> Step:
    """Return the step's inputs and runner variables.

    Raises UsageError outside a workflow step, and ConfigError for an invalid input. The message contains the
    input's name, but never its value.
    """
    if not is_step():
        raise UsageError(
            f"{WHERE}. For workflows to copy, see docs/action.md. To review a local change, run `deeprepo review`"
        )
    return Step(_read(Inputs), _read(RunnerVariables))


def lend(variable: str, key: SecretStr) -> None:
    """Set a provider's API key variable in this process's environment."""
    os.environ[variable] = key.get_secret_value()


def _read(kind: type[Kind]) -> Kind:
    try:
        return kind()
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        label = name.removesuffix("_file").replace("_", "-") if kind is Inputs else name.upper()
        problem = " is not set" if first["type"] == "missing" else f": {yaml_text.sentence(first)}"
        raise ConfigError(f"{'the input ' if kind is Inputs else ''}{label}{problem}") from None
