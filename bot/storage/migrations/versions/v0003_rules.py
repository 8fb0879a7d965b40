"""Rules that people have taught, and what became of findings."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "rule",
        sa.Column("repository", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        sa.Column("pull", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("made", sa.Double(), nullable=False),
        sa.Column("grave", sa.Boolean(), nullable=False),
        sa.Column("decider", sa.Text(), nullable=False, server_default=""),
        sa.Column("decided", sa.Double(), nullable=False, server_default="0"),
        sa.Column("comment", sa.BigInteger(), nullable=True),
        sa.Column("comment_kind", sa.Text(), nullable=True),
        sa.Column("silenced", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("last", sa.Double(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("repository", "number"),
    )
    op.create_index("rule_mark", "rule", ["repository", "mark"], unique=True)
    op.create_table(
        "outcome",
        sa.Column("pull", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pull", "fingerprint"),
    )
    op.create_index("outcome_repository", "outcome", ["repository", "at", "state"], unique=False)
    op.create_index("outcome_at", "outcome", ["at", "state"], unique=False)
