"""What was spent counts by account too: an App that is installed again has another id."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """What this version adds."""
    op.add_column("spending", sa.Column("owner", sa.Text(), nullable=False, server_default=""))
