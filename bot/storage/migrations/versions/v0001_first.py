"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import required

revision = "0001"
down_revision = None


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "check_run", *required(sa.Text(), "run", "pull"),
        *required(sa.BigInteger(), "installation", "repository", "number"),
        sa.Column("begun", sa.Double(), nullable=False), sa.PrimaryKeyConstraint("run"),
    )  # fmt: skip
    op.create_index("check_run_pull", "check_run", ["pull"], unique=False)
    op.create_table(
        "command", sa.Column("comment", sa.BigInteger(), autoincrement=False, nullable=False),
        *required(sa.Text(), "kind", "pull"), *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("who", sa.Text(), nullable=False), sa.Column("given", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("comment", "kind"),
    )  # fmt: skip
    op.create_index("command_who", "command", ["repository", "who", "given"], unique=False)
    op.create_table(
        "delivery", *required(sa.Text(), "guid", "event", "action"),
        *required(sa.BigInteger(), "installation", "repository"), sa.Column("received", sa.Double(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False), sa.PrimaryKeyConstraint("guid"),
    )  # fmt: skip
    op.create_index("delivery_received", "delivery", ["received"], unique=False)
    op.create_table(
        "feedback", *required(sa.Text(), "pull", "fingerprint", "who", "kind"),
        *required(sa.BigInteger(), "installation", "repository"), sa.Column("value", sa.Text(), nullable=False),
        sa.Column("given", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pull", "fingerprint", "who", "kind"),
    )  # fmt: skip
    op.create_table(
        "finding", *required(sa.Text(), "pull", "fingerprint"),
        *required(sa.BigInteger(), "installation", "repository"), *required(sa.Integer(), "first", "last"),
        *required(sa.Text(), "state", "severity", "category", "source", "path", "title"),
        sa.Column("seen", sa.Double(), nullable=False), sa.PrimaryKeyConstraint("pull", "fingerprint"),
    )  # fmt: skip
    op.create_table(
        "installation", sa.Column("id", sa.BigInteger(), nullable=False), *required(sa.Text(), "account", "facts"),
        sa.Column("seen", sa.Double(), nullable=False), sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
    op.create_table(
        "line",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        *required(sa.Text(), "journal", "text"), sa.Column("written", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
    op.create_index("line_journal", "line", ["journal", "id"], unique=False)
    op.create_table(
        "paused", sa.Column("pull", sa.Text(), nullable=False),
        *required(sa.BigInteger(), "installation", "repository"), sa.Column("who", sa.Text(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False), sa.PrimaryKeyConstraint("pull"),
    )  # fmt: skip
    op.create_table(
        "review", *required(sa.Text(), "id", "pull"), *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("name", sa.Text(), nullable=False), sa.Column("number", sa.Integer(), nullable=False),
        *required(sa.Text(), "head", "trigger"), sa.Column("round", sa.Integer(), nullable=False),
        *required(sa.Double(), "started", "finished"), *required(sa.Text(), "conclusion", "strategy"),
        sa.Column("calls", sa.Integer(), nullable=False), sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=True), sa.Column("fork", sa.Boolean(), nullable=False),
        sa.Column("output", sa.LargeBinary(), nullable=False), sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
    op.create_index("review_finished", "review", ["finished"], unique=False)
    op.create_index("review_pull", "review", ["pull", "finished"], unique=False)
    op.create_table(
        "suppression", *required(sa.Text(), "scope", "fingerprint"),
        *required(sa.BigInteger(), "installation", "repository"), *required(sa.Text(), "who", "reason"),
        sa.Column("made", sa.Double(), nullable=False), sa.Column("until", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("scope", "fingerprint"),
    )  # fmt: skip
    op.create_table(
        "worker", *required(sa.Text(), "executor", "name", "version"),
        sa.Column("beat", sa.Double(), nullable=False), sa.PrimaryKeyConstraint("executor"),
    )  # fmt: skip
