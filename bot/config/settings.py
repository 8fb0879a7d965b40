"""What the environment sets for every command. Read here and nowhere else."""

import os

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.config.repository import Strategy
from bot.errors import ConfigError


class Settings(BaseSettings):
    """What the environment sets: DEEPREPO_ROOT, DEEPREPO_WORKER, DEEPREPO_BASE_URL and so on."""

    model_config = SettingsConfigDict(env_prefix="DEEPREPO_", extra="ignore", frozen=True)

    root: str | None = None
    worker: str | None = None
    base_url: str | None = None  # of an endpoint that speaks OpenAI's or Anthropic's dialect; for both models
    strategy: Strategy | None = None
    usd: float | None = Field(default=None, ge=0)
    cap_usd: float | None = Field(default=None, ge=0)  # the operator's own: no flag and no file goes above it
    journal: str | None = None
    cache: str | None = None  # a folder in which a server keeps what it parsed


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
