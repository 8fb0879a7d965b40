"""What reviews may spend and have spent, for the caps of a day."""

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import required

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "spending", sa.Column("journal", sa.Text(), nullable=False),
        *required(sa.BigInteger(), "installation", "repository"), sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("fork", sa.Boolean(), nullable=False), *required(sa.Double(), "begun", "usd"),
        sa.PrimaryKeyConstraint("journal"),
    )  # fmt: skip
    op.create_index("spending_begun", "spending", ["begun"], unique=False)
