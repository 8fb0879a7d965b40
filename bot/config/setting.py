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
    default: Any,  # noqa: ANN401 - the field's annotation is its type
    about: str,
    *,
    section: str = "",
    entries: type | None = None,
    is_threshold: bool = False,
    only_in: str = "",
    **bounds: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Declare a setting. A default of `...` makes it required.

    - `about`: the description for the reference and for editors.
    - `section`: the section of `.deeprepo.yml` that contains it; "" for the top level.
    - `entries`: the dataclass of the list's entries, or of the section's keys.
    - `is_threshold`: whether it decides if a check passes. A mistake in it makes the check neutral.
    - `only_in`: for a key that describes its file and is no setting, the only file in which it has an effect.
    - `bounds`: further arguments for pydantic's `Field`, such as `ge`.
    """
    field_of_form = {"description": about, **bounds}
    about_it = {"section": section, "entries": entries, "only_in": only_in, "is_threshold": is_threshold}
    return field(default=MISSING if default is ... else default, metadata={**about_it, "field": field_of_form})


@dataclass(frozen=True, slots=True)
class Checked:
    """Annotate a type with a function that validates or converts its values.

    Pydantic calls this class's two methods, so modules with settings need not import pydantic.
    """

    check: Callable[[Any], Any]
    before: bool = False  # whether `check` runs before the value's type is validated
    pattern: str = ""  # a regular expression for the JSON Schema
    short: Mapping[str, Any] | None = None  # the JSON Schema of a short form that is also accepted

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:  # noqa: ANN401 - pydantic's
        """Return the type's validation schema with the function."""
        from pydantic_core import core_schema

        if self.before:
            return core_schema.no_info_before_validator_function(self.check, handler(source))
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:  # noqa: ANN401 - pydantic's
        """Return the type's JSON Schema for editors, with the short form."""
        whole = handler(schema) | ({"pattern": self.pattern} if self.pattern else {})
        return {"anyOf": [self.short, whole]} if self.short is not None else whole


def _pattern(value: str) -> str:
    from bot import globs

    globs.check(value)  # raises ValueError, which pydantic reports with the key
    return value


def _language(value: str) -> str:
    if not re.fullmatch(LANGUAGE, value):
        raise ValueError("use a language code such as en, de or pt-BR")
    return value


LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$"
Language = Annotated[str, Checked(_language, pattern=LANGUAGE)]
Pattern = Annotated[str, Checked(_pattern)]  # as in .gitignore
# A single pattern can be written as a string.
Patterns = Annotated[
    tuple[Pattern, ...],
    Checked(lambda value: (value,) if isinstance(value, str) else value, before=True, short={"type": "string"}),
]
