"""Holds every request and every answer against GitHub's description, and writes down what does not fit.

jsonschema does the work where it is installed; a sandbox without it answers just the same and checks nothing.
"""

import json
from copy import deepcopy
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qsl

from deeprepo_sandbox.github.description import Operation, load
from deeprepo_sandbox.github.things import Json

# Null in GitHub's true answers and not in its description: a comment on lines that a later push has changed.
# And who wrote it, if the account was deleted.
NULL_AT_GITHUB = {"pull-request-review-comment": ("line", "position", "original_line", "user")}
HEADLESS = ("pull-request", "pull-request-simple")  # `head.repo` is null once the fork was deleted
ERROR = {"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}}
FAILED = 400


def able() -> bool:
    """Whether there is a library to check with."""
    return find_spec("jsonschema") is not None


def request(operation: Operation, query: str, body: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    """What is wrong with a request: an unknown or malformed parameter, a body that the description does not know."""
    found = []
    known = operation.parameters("query")
    for name, value in parse_qsl(query, keep_blank_values=True):
        schema = known.get(name, {}).get("schema")
        if schema is None:
            found.append(f"unknown parameter {name} in the query")
        elif not _fits(schema, value):
            found.append(f"{name}={value} is no {schema.get('type')} of {schema.get('enum', 'any value')}")
    about = operation.spec.get("requestBody")
    if about is None:
        return found + (["a body where none is wanted"] if body else [])
    if body is None:
        return found + (["no body"] if about.get("required") else [])
    return found + _errors(operation.id, "request", body)


def answer(operation: Operation, status: int, body: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    """What is wrong with an answer of the sandbox."""
    said = operation.spec["responses"].get(str(status))
    if said is None and status < FAILED:
        return [f"status {status} is unknown"]
    if isinstance(body, str):
        return []
    if not (said or {}).get("content"):
        return [] if body is None or status >= FAILED else ["a body where none is described"]
    is_sound = not _errors(operation.id, str(status), _form(body))
    return [] if is_sound else _errors(operation.id, str(status), body)


def _form(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """An answer without what the description does not ask about: the numbers, the texts that it lists nowhere, and repetitions.

    Most answers have a form that was checked before, and to check one takes longer than to answer.
    """
    if isinstance(value, dict):
        return {name: _form(item) for name, item in value.items()}
    if isinstance(value, list):
        return [json.loads(text) for text in dict.fromkeys(json.dumps(_form(item)) for item in value)]
    if isinstance(value, str):
        return value if value in _listed() else "text"
    return 1 if type(value) is int else value


@cache
def _listed() -> frozenset[str]:
    """Every text that is one of a closed list of the description."""
    left: list[Any] = [load()]
    found = set[str]()
    while left:
        one = left.pop()
        left += [part for part in (one.values() if isinstance(one, dict) else one) if isinstance(part, dict | list)]
        if isinstance(one, dict) and isinstance(one.get("enum"), list):
            found.update(text for text in one["enum"] if isinstance(text, str))
    return frozenset(found)


def _fits(schema: Json, value: str) -> bool:
    if schema.get("type") == "integer":
        return value.isdecimal()
    return value in schema.get("enum", [value])


def _errors(operation: str, part: str, body: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    return list(_errors_of_text(operation, part, json.dumps(body)))


@lru_cache(maxsize=2_000)
def _errors_of_text(operation: str, part: str, text: str) -> tuple[str, ...]:
    """Return the schema errors of a JSON body.

    They are cached, because the same body is often sent again and checking takes longer than answering.
    """
    checker = _checker(operation, part)
    if checker is None:
        return ()
    return tuple(
        f"{'/'.join(map(str, error.absolute_path)) or 'body'}: {error.message[:300]}"
        for error in checker.iter_errors(json.loads(text))
    )


@cache
def _checker(operation: str, part: str) -> Any:  # noqa: ANN401 - of a library that may be missing
    if not able():
        return None
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    from deeprepo_sandbox.github.description import operations

    spec = operations()[operation].spec
    if part == "request":
        schema = _close(spec["requestBody"]["content"]["application/json"]["schema"])
    else:
        schema = spec["responses"].get(part, {}).get("content", {}).get("application/json", {}).get("schema", ERROR)
        schema = _mend(operation, schema)
    return Draft202012Validator({**_plain(schema), "components": _components()})


def _mend(operation: str, schema: Json) -> Json:
    """The description asks of an installation's account that it be a person and an enterprise at once; GitHub means: or."""
    if operation != "apps/list-installations":
        return schema
    done = deepcopy(schema)
    account = done["items"]["properties"]["account"]
    account["anyOf"] = account.pop("allOf")
    return done


@cache
def _components() -> Json:
    schemas = {name: dict(schema) for name, schema in load()["components"]["schemas"].items()}
    for name, fields in NULL_AT_GITHUB.items():
        properties = dict(schemas[name]["properties"])
        properties |= {field: {**properties[field], "nullable": True} for field in fields}
        schemas[name]["properties"] = properties
    for name in HEADLESS:
        schemas[name] = deepcopy(schemas[name])
        schemas[name]["properties"]["head"]["properties"]["repo"]["nullable"] = True
    return {"schemas": {name: _plain(schema) for name, schema in schemas.items()}}


def _plain(schema: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The schema in the words of JSON Schema, which has no `nullable`."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    done = {name: _plain(value) for name, value in schema.items() if name != "nullable" or value is not True}
    return {"anyOf": [{"type": "null"}, done]} if schema.get("nullable") is True else done


def _close(schema: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The schema with no room for fields that it does not name: GitHub drops those without a word."""
    if not isinstance(schema, dict):
        return schema
    done = {name: _close(value) if name == "items" else value for name, value in schema.items()}
    if "properties" in done and done.get("additionalProperties") is not True:
        done["properties"] = {name: _close(value) for name, value in done["properties"].items()}
        done["additionalProperties"] = False
    return done
