"""One value per setting, from the strongest source that has it, and where it comes from.

Order, strongest first: flag, repository file, environment, default. Nothing is read from the head of a pull request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pathspec import GitIgnoreSpec

from bot.config.repository import FILE, RepoConfig, read
from bot.config.settings import Settings


@dataclass(frozen=True, slots=True)
class Value:
    """One setting and where it comes from."""

    value: Any
    origin: str


DEFAULTS: dict[str, Any] = {
    "root": None,
    "worker": None,
    "strategy": "auto",
    "usd": 1.0,
    "tokens": 2_000_000,
    "calls": 1_000,
    "seconds": 900.0,
    "ignore": (),
    "quota": 4,
    "fail_on": None,
    "verify": True,
    "analyzers": ("contracts", "ruff", "secrets"),
    "lenses": ("correctness", "contracts", "security", "data", "concurrency", "errors", "api", "tests"),
    "language": "en",
    "instructions": (),
    "guidelines": True,
}


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting of one review, resolved. `warnings` are sentences about the repository's file."""

    values: Mapping[str, Value]
    warnings: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - settings are of several types; a wrong name is a KeyError
        return self.values[name].value

    def ignores(self, path: str) -> bool:
        """Whether the repository's file asks not to review this path."""
        return bool(self["ignore"]) and GitIgnoreSpec.from_lines(self["ignore"]).match_file(path)


def resolve(flags: Mapping[str, Any], repository: bytes | None, settings: Settings) -> Config:
    """One value per setting, from the strongest source that has it. `repository` is the file's content, None: there is none."""
    file, warnings = read(repository) if repository is not None else (RepoConfig(), ())
    layers = (("flag", flags), (f"{FILE} of the base branch", _flat(file)), ("environment", settings.model_dump()))
    values = {}
    for name, default in DEFAULTS.items():
        found = ((layer[name], origin) for origin, layer in layers if layer.get(name) is not None)
        value, origin = next(found, (default, "default"))
        values[name] = Value(value, origin)
    return Config(values, warnings)


def _flat(file: RepoConfig) -> dict[str, Any]:
    """The file's settings under the names of DEFAULTS; an empty list counts as not set."""
    rows = (
        file.model_dump(exclude={"models", "budget", "instructions"})
        | file.models.model_dump()
        | file.budget.model_dump()
    )
    rows["instructions"] = tuple((item.path, item.text) for item in file.instructions)
    return {name: value for name, value in rows.items() if value not in (None, ())}
