"""What ReviewBench's runner sets for a reviewer in its container: RB_HEAD, RB_OUT and the others."""

from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import ConfigError
from bot.levels import Strategy

COMMIT = r"^[0-9a-f]{40}$"


class Contract(BaseSettings):
    """One pull request of the benchmark, as its container sees it."""

    model_config = SettingsConfigDict(env_prefix="RB_", extra="ignore", frozen=True)

    repo: Path = Path()  # the container says no name for it: the image starts us in the checkout
    pr_json: Path
    out: Path
    nwo: str
    pr_number: int
    base: str = Field(pattern=COMMIT)
    head: str = Field(pattern=COMMIT)
    agent: str = "deeprepo"
    config_root: str | None = None  # RB_CONFIG_ROOT and so on: the settings that a manifest names
    config_worker: str | None = None
    config_strategy: Strategy | None = None


def contract() -> Contract:
    """The variables of the contract. Raises ConfigError with the first one that is missing or wrong, never its value."""
    try:
        return Contract()  # type: ignore[call-arg]  # they come from the environment
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"RB_{str(first['loc'][0]).upper()}: {first['msg']} (the variables of ReviewBench)") from None
