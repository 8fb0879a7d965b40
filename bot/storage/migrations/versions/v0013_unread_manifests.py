"""Why it is not known which packages a repository offers or takes."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """What this version adds."""
    op.add_column("package", sa.Column("reason", sa.Text(), nullable=False, server_default=""))
