"""What reads and describes the settings of the environment, as `forms` does those of a file. It loads another library: few machines set one."""

from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints

import pydantic
from pydantic import create_model
from pydantic_settings import BaseSettings, SettingsConfigDict


class FromEnvironment(BaseSettings):
    """What is read from variables of the environment; one that is empty is not set."""

    model_config = SettingsConfigDict(
        extra="ignore", frozen=True, env_ignore_empty=True, hide_input_in_errors=True, allow_inf_nan=False
    )


@cache
def model(forms: tuple[type, ...], prefix: str) -> type[BaseSettings]:
    """Return the model that reads the variable PREFIX_NAME for each field NAME of some dataclasses that is declared as a setting."""

    class Environment(FromEnvironment):
        model_config = SettingsConfigDict(env_prefix=prefix)

    rows: dict[str, Any] = {}
    for form in forms:
        types = get_type_hints(form, include_extras=True)
        for each in (field for field in fields(form) if field.metadata):
            rows[each.name] = types[each.name], pydantic.Field(None, **each.metadata["field"])
    return create_model(forms[0].__name__, __base__=Environment, **rows)
