"""What outlives a review is stored apart from its output, which has no bound."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """What this version adds."""
    op.add_column("review", sa.Column("memory", sa.LargeBinary(), nullable=True))
