"""The languages of schemas, each a module that satisfies `SchemaLanguage`."""

from collections.abc import Mapping
from typing import cast

from bot.dependents.schemas import graphql, jsonschema, openapi, protobuf, sql
from bot.dependents.schemas.breaks import SchemaLanguage

SCHEMAS: Mapping[str, SchemaLanguage] = {
    module.NAME: cast("SchemaLanguage", module) for module in (sql, openapi, protobuf, graphql, jsonschema)
}
