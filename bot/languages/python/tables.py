"""What files of settings hold, as plain values: a file that cannot be parsed holds nothing."""

import configparser
import tomllib
from collections.abc import Mapping
from contextlib import suppress

from bot.languages.lexical import manifest_text


def table(value: object) -> Mapping[str, object]:
    """Return a table, an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def strings(value: object) -> list[str]:
    """Return the texts of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def texts(value: object) -> list[str]:
    """Return the texts of a list, or the one that is there instead of a list."""
    return [value] if isinstance(value, str) else strings(value)


def toml(source: bytes) -> Mapping[str, object]:
    """Return what a file of TOML holds."""
    with suppress(ValueError, RecursionError):
        return tomllib.loads(manifest_text(source))
    return {}


def ini(source: bytes) -> configparser.ConfigParser:
    """Return what a file of sections holds."""
    result = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(configparser.Error):
        result.read_string(manifest_text(source))
    return result
