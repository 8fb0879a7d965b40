"""Declare a setting: its type, its default, its bounds and its description.

Settings are plain dataclasses, from which `forms` makes validators, the JSON Schema and the reference.
Pydantic takes longer to load than the rest of a review without a model, so it is loaded only if it has
something to read.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field
from typing import Annotated, Any


def setting(
    default: Any,  # noqa: ANN401 - the type stands beside it
    about: str,
    *,
    section: str = "",
    entries: type | None = None,
    is_reported: bool = False,
    is_permission: bool = False,
    is_threshold: bool = False,
    only_in: str = "",
    **bounds: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Declare a setting. A default of `...` makes it required.

    `section`: the heading of `.deeprepo.yml` that it belongs to. `entries`: the form of each entry, or of its keys. `is_reported`: the switch
    of a feature, which is stored with each review. `is_permission`: the variable by which an operator allows a feature, which `--NAME` does too.
    `is_threshold`: whether it decides how a check ends, so a mistake in it leaves the check neutral.
    `only_in`: of a key that says something of its file, and no setting: the one file in which it has an effect.
    """
    field_of_form = {"description": about, **bounds}
    flags = {"is_reported": is_reported, "is_permission": is_permission, "is_threshold": is_threshold}
    metadata = {"section": section, "entries": entries, "only_in": only_in, **flags, "field": field_of_form}
    return field(default=MISSING if default is ... else default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Checked:
    """Mark a type whose values a function checks: pydantic asks for it, and nothing else has to know pydantic."""

    check: Callable[[Any], Any]
    before: bool = False  # than the type
    pattern: str = ""  # for editors
    short: Mapping[str, Any] | None = None  # for editors: the JSON Schema of a short form that is taken too

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:  # noqa: ANN401 - pydantic's
        """Return the schema of the values."""
        from pydantic_core import core_schema

        if self.before:
            return core_schema.no_info_before_validator_function(self.check, handler(source))
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:  # noqa: ANN401 - pydantic's
        """Return the type's JSON schema for editors, with the short form."""
        whole = handler(schema) | ({"pattern": self.pattern} if self.pattern else {})
        return {"anyOf": [self.short, whole]} if self.short is not None else whole


def _pattern(value: str) -> str:
    from bot import globs

    globs.check(value)  # raises a ValueError, which pydantic tells with the key
    return value


def _language(value: str) -> str:
    if not re.fullmatch(LANGUAGE, value):
        raise ValueError("use a language code such as en, de or pt-BR")
    return value


LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$"
Language = Annotated[str, Checked(_language, pattern=LANGUAGE)]
Pattern = Annotated[str, Checked(_pattern)]  # as in .gitignore
# One alone is written as a text
Patterns = Annotated[
    tuple[Pattern, ...],
    Checked(lambda value: (value,) if isinstance(value, str) else value, before=True, short={"type": "string"}),
]
