"""The JSON Schema of .deeprepo.yml, for editors: docs/deeprepo.schema.json is what `deeprepo config --schema` prints."""

import json
from typing import Any

from bot.config.names import FILE
from bot.config.repository import RepoConfig

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> str:
    """The schema as text. Stricter than the reader, which takes an unknown key as a warning: an editor should mark it."""
    document = {"$schema": DIALECT, **RepoConfig.model_json_schema()}
    document |= {"title": FILE, "description": f"The settings of a repository, in {FILE} on its base branch."}
    return json.dumps(_close(document), indent=2) + "\n"


def _close(part: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same with no room for unknown keys, and without the names that pydantic makes up for every field."""
    if isinstance(part, list):
        return [_close(item) for item in part]
    if not isinstance(part, dict):
        return part
    fields = part.get("properties")
    inner = {name: _close(value) for name, value in part.items() if name != "properties"}
    if fields is not None:
        inner["properties"] = {
            name: {key: value for key, value in _close(field).items() if key != "title"}
            for name, field in fields.items()
        }
        inner["additionalProperties"] = False
    return inner
