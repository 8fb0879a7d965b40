"""Add the table of used sign-in links and ended sessions."""

from alembic import op

from bot.storage.tables import spent

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table."""
    spent.create(op.get_bind())
