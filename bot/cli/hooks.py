"""What a feature adds to the command line: commands, and options of `deeprepo review`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from bot import registry


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a feature."""

    name: str
    about: str  # what the page of help says of it
    module: str  # which has it as `command`, and is loaded when it is asked for


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a feature. If a variable of the same name allows something, the option does too."""

    name: str
    form: Any  # its type, as the command line's library reads it
    read: Callable[[Any], Any] = lambda value: value  # what the feature is handed. Raises UsageError
    is_estimated: bool = False  # whether `deeprepo estimate` takes account of it


def commands() -> tuple[Command, ...]:
    """List the commands of features."""
    return cast("tuple[Command, ...]", registry.parts("command"))


def options() -> tuple[Option, ...]:
    """List the options of features."""
    return cast("tuple[Option, ...]", registry.parts("options"))
