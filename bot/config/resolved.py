"""One value per setting, from the strongest source that has it, and where it comes from.

Order, strongest first: flag, repository file, environment, default. Nothing is read from the head of a pull request.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pathspec import GitIgnoreSpec

from bot.config.repository import FILE, RepoConfig, Triggers, read
from bot.config.settings import Settings

FROM_FILE = f"{FILE} of the base branch"


@dataclass(frozen=True, slots=True)
class Value:
    """One setting and where it comes from."""

    value: Any
    origin: str


DEFAULTS: dict[str, Any] = {
    "root": None,
    "worker": None,
    "effort": None,
    "timeout": 120.0,
    "concurrency": None,
    "context": None,
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
    """Every setting of one review, resolved. `warnings` are sentences about the repository's file.

    `triggers` decide whether there is a review at all, so they are no part of the settings that a journal records.
    """

    values: Mapping[str, Value]
    warnings: tuple[str, ...] = field(default=())
    triggers: Triggers = field(default=Triggers())

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - settings are of several types; a wrong name is a KeyError
        return self.values[name].value

    def ignores(self, path: str) -> bool:
        """Whether the repository's file asks not to review this path."""
        return bool(self["ignore"]) and GitIgnoreSpec.from_lines(self["ignore"]).match_file(path)

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Name, value and origin of each setting, as texts for people."""
        for name, found in self.values.items():
            yield name, shown(found.value), found.origin
        for name, value in self.triggers:
            given = name in self.triggers.model_fields_set
            yield f"triggers.{name}", shown(value), FROM_FILE if given else "default"


def shown(value: object) -> str:
    """A value as the repository's file has it; an item of a list may be a pair such as an instruction's path and text."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(": ".join(map(str, item)) if isinstance(item, tuple) else shown(item) for item in value)
    return str(value)


def resolve(flags: Mapping[str, Any], repository: bytes | None, settings: Settings, name: str = FILE) -> Config:
    """One value per setting, from the strongest source that has it. `repository`: the content of the file `name`, if there is one."""
    file, warnings = read(repository, name) if repository is not None else (RepoConfig(), ())
    layers = (("flag", flags), (f"{name} of the base branch", _flat(file)), ("environment", settings.model_dump()))
    values = {}
    for key, default in DEFAULTS.items():
        found = ((layer[key], origin) for origin, layer in layers if layer.get(key) is not None)
        value, origin = next(found, (default, "default"))
        values[key] = Value(value, origin)
    values["usd"] = _capped(values["usd"], settings.cap_usd)
    return Config(values, warnings, file.triggers)


def _capped(asked: Value, cap: float | None) -> Value:
    """The dollars of one review, under the ceiling that the operator has set."""
    if cap is None or asked.value <= cap:
        return asked
    return Value(cap, f"DEEPREPO_CAP_USD, below the {asked.value:.2f} of: {asked.origin}")


def _flat(file: RepoConfig) -> dict[str, Any]:
    """The file's settings under the names of DEFAULTS; an empty list counts as not set."""
    rows = (
        file.model_dump(exclude={"models", "budget", "instructions", "triggers"})
        | file.models.model_dump()
        | file.budget.model_dump()
    )
    rows["instructions"] = tuple((item.path, item.text) for item in file.instructions)
    return {name: value for name, value in rows.items() if value not in (None, ())}
