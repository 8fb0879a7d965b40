"""Which versions of deeprepo have opened this database."""

from alembic import op

from bot.storage.tables import build

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make their table."""
    build.create(op.get_bind())
