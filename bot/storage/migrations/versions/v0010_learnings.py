"""Learnings: sentences with a scope, beside the rules of a kind."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """What this version adds."""
    op.add_column("rule", sa.Column("symbol", sa.Text(), nullable=False, server_default=""))
