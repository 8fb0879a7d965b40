"""GitHub's own description of its REST API, cut down to the operations that the product uses. See openapi.LICENSE."""

import gzip
import json
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from deeprepo_sandbox.github.things import Json

WHOLE = "DEEPREPO_SANDBOX_DESCRIPTION"
FILE = Path(__file__).parent / "openapi.json.gz"
WIDE = ("path", "basehead", "ref")  # parameters that may hold slashes


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its name at GitHub, its method, the pattern of its path and all that the description has of it."""

    id: str
    method: str
    pattern: re.Pattern[str]
    spec: Json

    def parameters(self, place: str) -> dict[str, Json]:
        """The parameters in the path or in the query, by name."""
        shared = load()["components"]["parameters"]
        found = (shared[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p for p in self.spec["parameters"])
        return {parameter["name"]: parameter for parameter in found if parameter["in"] == place}

    def success(self) -> tuple[int, Json]:
        """The status of a good answer, which may lead elsewhere, and what the description has of it."""
        return next((int(code), answer) for code, answer in self.spec["responses"].items() if code[0] in "23")


@cache
def load() -> Json:
    """The description of the product's operations.

    If the variable WHOLE names a file with GitHub's whole description, they are taken from there.
    """
    found: Json = json.loads(gzip.decompress(FILE.read_bytes()))
    if file := os.environ.get(WHOLE):
        whole: Json = json.loads(Path(file).read_bytes())
        paths = {
            template: {method: whole["paths"][template][method] for method in methods}
            for template, methods in found["paths"].items()
        }
        return {**whole, "paths": paths}
    return found


@cache
def operations() -> dict[str, Operation]:
    """Every operation by its name."""
    made = {}
    for template, methods in load()["paths"].items():
        for method, spec in methods.items():
            bare = Operation(spec["operationId"], method.upper(), re.compile(""), spec)
            made[bare.id] = Operation(bare.id, bare.method, _pattern(template, bare), spec)
    return made


def _pattern(template: str, operation: Operation) -> re.Pattern[str]:
    kinds = operation.parameters("path")

    def one(match: re.Match[str]) -> str:
        name = match[1]
        number = kinds[name]["schema"].get("type") == "integer"
        return f"(?P<{name}>{r'[0-9]+' if number else '.+' if name in WIDE else '[^/]+'})"

    return re.compile(re.sub(r"\\{(\w+)\\}", one, re.escape(template)))


def find(method: str, path: str) -> tuple[Operation, dict[str, Any]] | None:
    """The operation that a request calls, with the parameters of its path; the path is as it was sent."""
    for operation in operations().values():
        found = operation.pattern.fullmatch(path) if operation.method == method else None
        if found:
            kinds = operation.parameters("path")
            given = {name: unquote(value) for name, value in found.groupdict().items()}
            return operation, {
                n: int(v) if kinds[n]["schema"].get("type") == "integer" else v for n, v in given.items()
            }
    return None


@cache
def _example(operation: str) -> str:
    _, answer = operations()[operation].success()
    content = answer["content"]["application/json"]
    if "example" in content:
        return json.dumps(content["example"])
    shown = next(iter(content["examples"].values()))
    where = shown.get("$ref", "").rsplit("/", 1)[-1]
    return json.dumps((load()["components"]["examples"][where] if where else shown)["value"])


def example(operation: str) -> Any:  # noqa: ANN401 - any JSON value
    """GitHub's own example of an answer, to be filled with facts."""
    return json.loads(_example(operation))
