"""What is known outlives a pull request and the retention: the branch that a reviewed head is on, and whether its pull request is closed."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """What this version adds."""
    op.add_column("review", sa.Column("source", sa.Text(), nullable=False, server_default=""))
    op.add_column("review", sa.Column("closed", sa.Double(), nullable=True))
    op.execute(
        "UPDATE review SET closed = finished WHERE found = 0 AND still = 0"
    )  # nobody knows which are open: they age
    op.create_index("review_source", "review", ["repository", "source", "finished"])
    op.create_index("review_head", "review", ["repository", "head", "finished"])
