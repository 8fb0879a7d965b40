"""What people send is counted before GitHub is asked anything."""

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import required

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "arrival", sa.Column("id", sa.Text(), nullable=False),
        *required(sa.BigInteger(), "installation", "repository"), *required(sa.Text(), "who", "kind"),
        sa.Column("stranger", sa.Boolean(), nullable=False), sa.Column("given", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
    op.create_index("arrival_who", "arrival", ["installation", "kind", "given"])
    op.create_index("arrival_given", "arrival", ["given"])
