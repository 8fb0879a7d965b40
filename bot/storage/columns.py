"""Columns of one kind that every row fills, for the tables as they are and for the versions that made them."""

from typing import Any

import sqlalchemy as sa


def keys(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - as the library has it
    """Return the columns that together tell a row from all others."""
    return tuple(sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names)


def required(kind: Any, *names: str, **options: Any) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - as the library has it
    """Return the columns of these names; no row leaves one of them empty."""
    return tuple(sa.Column(name, kind, nullable=False, **options) for name in names)
