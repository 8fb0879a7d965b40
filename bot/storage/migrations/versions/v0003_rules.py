"""Rules that people have taught, and what became of findings."""

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import required

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "rule", sa.Column("repository", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        *required(sa.Text(), "pull", "mark", "path", "kind", "text", "state", "how", "who", "link"),
        sa.Column("made", sa.Double(), nullable=False), sa.Column("grave", sa.Boolean(), nullable=False),
        sa.Column("decider", sa.Text(), nullable=False, server_default=""),
        sa.Column("decided", sa.Double(), nullable=False, server_default="0"),
        sa.Column("comment", sa.BigInteger(), nullable=True), sa.Column("comment_kind", sa.Text(), nullable=True),
        sa.Column("silenced", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("last", sa.Double(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("repository", "number"),
    )  # fmt: skip
    op.create_index("rule_mark", "rule", ["repository", "mark"], unique=True)
    op.create_table(
        "outcome", *required(sa.Text(), "pull", "fingerprint"),
        *required(sa.BigInteger(), "installation", "repository"), sa.Column("state", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False), sa.PrimaryKeyConstraint("pull", "fingerprint"),
    )  # fmt: skip
    op.create_index("outcome_repository", "outcome", ["repository", "at", "state"], unique=False)
    op.create_index("outcome_at", "outcome", ["at", "state"], unique=False)
