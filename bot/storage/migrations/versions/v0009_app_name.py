"""The name under which the App writes is known at once after a restart."""

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import required

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "app_name", *required(sa.Text(), "api", "app", "login"),
        sa.Column("number", sa.BigInteger(), nullable=False), sa.PrimaryKeyConstraint("api", "app"),
    )  # fmt: skip
