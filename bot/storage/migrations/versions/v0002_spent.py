"""Links that were used and sessions that were ended, which no restart makes valid again."""

from alembic import op

from bot.storage.tables import spent

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make their table."""
    spent.create(op.get_bind())
