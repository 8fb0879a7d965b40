"""Which packages repositories offer and take."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "package_home",
        sa.Column("repository", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("commit_id", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("read_at", sa.Double(), nullable=False),
    )
    op.create_index("package_home_of_installation", "package_home", ["installation"])
    op.create_table(
        "package",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("arrival", sa.Text(), nullable=False),
    )
    op.create_index("package_named", "package", ["installation", "role", "language", "name"])
    op.create_index("package_of_repository", "package", ["repository"])
