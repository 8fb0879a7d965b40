"""Let features add commands and options of `deeprepo review` to the command line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from bot import registry


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a feature."""

    name: str
    about: str  # the summary on the help page
    module: str  # the module with the function `command`, which is imported when the command runs


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a feature.

    If an environment variable of the same name is a permission, so is the option.
    """

    name: str
    form: Any  # the annotation for typer
    read: Callable[[Any], Any] = lambda value: value  # converts the value for the feature. Raises UsageError
    is_estimated: bool = False  # whether the option also affects `deeprepo estimate`


def commands() -> tuple[Command, ...]:
    """Return the commands of all features."""
    return cast("tuple[Command, ...]", registry.parts("command"))


def options() -> tuple[Option, ...]:
    """Return the options of all features."""
    return cast("tuple[Option, ...]", registry.parts("options"))
