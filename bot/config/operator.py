"""The reader of the environment's settings, made from their dataclass: pydantic checks each value by its type and bounds."""

from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints

from pydantic import Field, create_model
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.config.settings import PREFIX, Settings


class _Environment(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True, env_ignore_empty=True)


@cache
def reader() -> type[BaseSettings]:
    """The model that reads DEEPREPO_ROOT, DEEPREPO_WORKER, DEEPREPO_BASE_URL and so on, with the fields of `Settings`."""
    types = get_type_hints(Settings)
    rows: dict[str, Any] = {
        each.name: (types[each.name], Field(default=None, **each.metadata)) for each in fields(Settings)
    }
    return create_model("Settings", __base__=_Environment, **rows)
