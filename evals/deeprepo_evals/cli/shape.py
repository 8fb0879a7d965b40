"""Forms of an experiment's results on standard output."""

from enum import StrEnum


class Shape(StrEnum):
    """Forms of the output."""

    table = "table"
    json = "json"
