"""Build the pydantic model that reads settings from environment variables.

This is separate from the models for files, because it loads one more library (pydantic-settings), and few
machines set a variable.
"""

from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints

import pydantic
from pydantic import create_model
from pydantic_settings import BaseSettings, SettingsConfigDict


class FromEnvironment(BaseSettings):
    """The base of models that read environment variables. An empty variable counts as not set."""

    model_config = SettingsConfigDict(
        extra="ignore", frozen=True, env_ignore_empty=True, hide_input_in_errors=True, allow_inf_nan=False
    )


@cache
def model(form: type, prefix: str) -> type[BaseSettings]:
    """Return the model that reads the settings in this dataclass from variables.

    A setting's variable is the prefix followed by its name.
    """

    class Environment(FromEnvironment):
        model_config = SettingsConfigDict(env_prefix=prefix)

    types = get_type_hints(form, include_extras=True)
    rows: dict[str, Any] = {
        each.name: (types[each.name], pydantic.Field(None, **each.metadata["field"])) for each in fields(form)
    }
    return create_model(form.__name__, __base__=Environment, **rows)
