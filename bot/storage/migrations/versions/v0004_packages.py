"""Drop the index of the packages that repositories publish and use."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Drop the tables."""
    op.drop_table("package")
    op.drop_table("package_home")
