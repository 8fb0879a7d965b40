"""Add the table of the versions of deeprepo that have opened the database."""

from alembic import op

from bot.storage.tables import build

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table."""
    build.create(op.get_bind())
