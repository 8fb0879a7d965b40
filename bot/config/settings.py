"""What the environment sets for every command. Read here and nowhere else."""

import os
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.config.repository import Strategy
from bot.errors import ConfigError
from bot.values import Effort


class Settings(BaseSettings):
    """What the environment sets: DEEPREPO_ROOT, DEEPREPO_WORKER, DEEPREPO_BASE_URL and so on."""

    model_config = SettingsConfigDict(env_prefix="DEEPREPO_", extra="ignore", frozen=True, env_ignore_empty=True)

    root: str | None = Field(default=None, description="As `models.root`.")
    worker: str | None = Field(default=None, description="As `models.worker`.")
    effort: Effort | None = Field(default=None, description="As `models.effort`.")
    timeout: float | None = Field(default=None, gt=0, description="As `models.timeout`.")
    concurrency: int | None = Field(default=None, ge=1, description="As `models.concurrency`.")
    context: int | None = Field(default=None, ge=2_048, description="As `models.context`.")
    base_url: str | None = Field(
        default=None, description="Of an endpoint that speaks OpenAI's or Anthropic's dialect; for both models."
    )
    strategy: Strategy | None = Field(default=None, description="As `strategy`.")
    usd: float | None = Field(default=None, ge=0, description="As `budget.usd`.")
    cap_usd: float | None = Field(
        default=None, ge=0, description="The operator's ceiling: no flag and no file goes above it."
    )
    journal: str | None = Field(
        default=None,
        description="Where `deeprepo review` records its calls: a file, or a folder with one for each change.",
    )
    cache: str | None = Field(
        default=None, description="A folder that keeps what was parsed, at most 128 MB, writable for its owner alone."
    )


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
    """A provider's key from the environment, or from the file that <variable>_FILE names; its repr shows nothing."""
    found = os.environ.get(variable, "").strip()
    path = os.environ.get(f"{variable}_FILE", "").strip()
    if not found and path:
        try:
            found = Path(path).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{variable}_FILE: the file cannot be read; name a file that this user may read"
            ) from error
    return SecretStr(found) if found else None
