"""Deliveries and installations were noted, and nothing has ever read them: the metrics and the log hold what an operator asks."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """What this version removes."""
    op.drop_table("delivery")
    op.drop_table("installation")
