"""The tables of the first version: a new database gets the newest ones at once (bot/storage/database.py), so there is nothing to do."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: nothing leads here from an older one."""
