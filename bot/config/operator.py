"""The reader of the environment's settings, made from their dataclass: pydantic checks each value by its type and bounds."""

from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints

from pydantic import Field, create_model
from pydantic_settings import BaseSettings, SettingsConfigDict


@cache
def reader(form: type, prefix: str) -> type[BaseSettings]:
    """Make the model that reads the variable PREFIX_NAME for each field NAME of a dataclass."""

    class Environment(BaseSettings):
        model_config = SettingsConfigDict(env_prefix=prefix, extra="ignore", frozen=True, env_ignore_empty=True)

    types = get_type_hints(form)
    rows: dict[str, Any] = {
        each.name: (types[each.name], Field(default=None, **each.metadata)) for each in fields(form)
    }
    return create_model(form.__name__, __base__=Environment, **rows)
