"""What reviews may spend and have spent, for the caps of a day."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "spending",
        sa.Column("journal", sa.Text(), nullable=False),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("fork", sa.Boolean(), nullable=False),
        sa.Column("begun", sa.Double(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("journal"),
    )
    op.create_index("spending_begun", "spending", ["begun"], unique=False)
