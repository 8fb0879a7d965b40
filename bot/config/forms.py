"""Build pydantic models from the settings' dataclasses.

They validate a settings file and provide its schema.
"""

from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Annotated, Any, get_type_hints

import pydantic
from pydantic import BaseModel, ConfigDict, create_model

from bot.config.defaults import FILE_FIELDS, SECTIONS, SETTING_FIELDS, ReviewSettings, Triggers
from bot.config.setting import Checked


class FileSection(BaseModel):
    """The base of all models. It ignores unknown keys, which `usable` reports."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


@cache
def section(form: type) -> type[FileSection]:
    """Return the model for a section or for an entry of a list."""
    types = get_type_hints(form, include_extras=True)
    rows: dict[str, Any] = {
        field.name: (
            types[field.name],
            pydantic.Field(... if field.default is MISSING else field.default, **field.metadata["field"]),
        )
        for field in fields(form)
    }
    return create_model(form.__name__, __base__=FileSection, __doc__=form.__doc__, **rows)


@cache
def repository() -> type[FileSection]:
    """Return the model for the whole of .deeprepo.yml."""
    rows: dict[str, Any] = {}
    for name, (doc, about) in SECTIONS.items():
        keys: dict[str, Any] = {each.name: _key(each) for each in SETTING_FIELDS if each.metadata["section"] == name}
        part = create_model(f"{name.capitalize()}Section", __base__=FileSection, __doc__=doc, **keys)
        rows[name] = part, pydantic.Field(part(), description=about)
    rows |= {each.name: _key(each) for each in SETTING_FIELDS if not each.metadata["section"]}
    triggers = section(Triggers)
    rows["triggers"] = (
        triggers,
        pydantic.Field(triggers(), description="Which pull requests are reviewed automatically."),
    )
    rows |= {each.name: _key(each) for each in FILE_FIELDS}
    return create_model("RepoConfig", __base__=FileSection, __doc__="The whole of .deeprepo.yml.", **rows)


def _key(setting: Field[Any]) -> tuple[Any, Any]:
    """Return the type and field of one setting in a file. If the file doesn't set it, it is None or empty."""
    entry, about = setting.metadata["entries"], setting.metadata["field"]
    if entry is not None and setting.default is None:
        return section(entry), pydantic.Field(section(entry)(), **about)
    if setting.default == ():
        return tuple[_item(entry), ...] if entry else _types()[setting.name], pydantic.Field((), **about)  # type: ignore[misc]
    return _types()[setting.name] | None, pydantic.Field(None, **about)


def _item(entry: type) -> Any:  # noqa: ANN401 - a type
    """Return the type of an entry in a list, which also accepts the entry's short form."""
    if not (key := getattr(entry, "short", "")):
        return section(entry)
    lengthen = Checked(
        lambda value: {key: value} if isinstance(value, str) else value, before=True, short={"type": "string"}
    )
    return Annotated[section(entry), lengthen]


@cache
def _types() -> dict[str, Any]:
    return get_type_hints(ReviewSettings, include_extras=True)
