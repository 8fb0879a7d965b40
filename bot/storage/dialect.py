"""What the two databases write differently."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def insert(table: sa.Table, connection: sa.Connection) -> Any:  # noqa: ANN401 - the dialects share no type
    """An INSERT that knows what to do if the key exists."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)
