"""The first version. There is nothing to do, because a new database is created with the newest tables."""

revision = "0003"
down_revision = None


def upgrade() -> None:
    """Do nothing, because there is no older version."""
