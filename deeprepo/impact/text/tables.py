"""Read settings files as plain values; a file that cannot be parsed is empty."""

import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from deeprepo.impact.text.lines import MANIFEST, utf8

if TYPE_CHECKING:
    from configparser import ConfigParser

_NOISE = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|,(?=\s*+[}\]])')


def manifest_text(source: bytes) -> str:
    """Return the part of a manifest that patterns and parsers read."""
    return MANIFEST.shorten(source).decode("utf-8", "replace")


def table(value: object) -> Mapping[str, object]:
    """Return a table, or an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def at(value: object, path: str) -> object:
    """Return the value at a dotted path, or None."""
    for key in path.split("."):
        value = table(value).get(key)
    return value


def strings(value: object) -> list[str]:
    """Return the strings in a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def texts(value: object) -> list[str]:
    """Return the strings in a list, or a single string as a list."""
    return [value] if isinstance(value, str) else strings(value)


def text_of(value: object) -> str:
    """Return a string, or "" for any other value."""
    return value if isinstance(value, str) else ""


def toml(source: bytes) -> Mapping[str, object]:
    """Return the content of a TOML file."""
    with suppress(ValueError, RecursionError):
        return tomllib.loads(manifest_text(source))
    return {}


def json_table(source: bytes) -> Mapping[str, object]:
    """Return the content of a JSON file, which may have comments and trailing commas."""
    text = utf8(source).decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        return table(json.loads(text))
    with suppress(ValueError, RecursionError):
        return table(json.loads(_NOISE.sub(lambda match: match[1] or "", text)))
    return {}


def ini(source: bytes) -> "ConfigParser":
    """Return the content of an INI file."""
    import configparser  # imported here because few changes have such a file

    result = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(configparser.Error):
        result.read_string(manifest_text(source))
    return result
