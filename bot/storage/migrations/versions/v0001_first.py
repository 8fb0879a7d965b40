"""The tables of the first version."""

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import required

revision = "0001"
down_revision = None


def upgrade() -> None:
    """What this version adds."""
    op.create_table(
        "arrival",
        sa.Column("id", sa.Text(), nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        *required(sa.Text(), "who", "kind"),
        sa.Column("stranger", sa.Boolean(), nullable=False),
        sa.Column("given", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("arrival_given", "arrival", ["given"])
    op.create_index("arrival_who", "arrival", ["installation", "kind", "given"])
    op.create_table(
        "check_run",
        *required(sa.Text(), "run", "pull"),
        *required(sa.BigInteger(), "installation", "repository", "number"),
        sa.Column("begun", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("run"),
    )
    op.create_index("check_run_pull", "check_run", ["pull"])
    op.create_table(
        "command",
        sa.Column("comment", sa.BigInteger(), autoincrement=False, nullable=False),
        *required(sa.Text(), "kind", "pull"),
        *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("given", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("comment", "kind"),
    )
    op.create_index("command_who", "command", ["repository", "who", "given"])
    op.create_table(
        "day",
        sa.Column("installation", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("repository", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("last", sa.Double(), nullable=False),
        *required(sa.Integer(), "reviews", "clean", "found", "calls"),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=False),
        *required(
            sa.Integer(),
            "unpriced",
            "t00",
            "t01",
            "t02",
            "t03",
            "t04",
            "t05",
            "t06",
            "t07",
            "t08",
            "t09",
            "t10",
            "t11",
            "t12",
            "t13",
            "t14",
            "t15",
            "t16",
            "t17",
            "t18",
            "t19",
            "t20",
            "t21",
            "t22",
            "t23",
        ),
        sa.PrimaryKeyConstraint("installation", "repository", "day"),
    )
    op.create_index("day_day", "day", ["day"])
    op.create_table(
        "failure",
        *required(sa.Text(), "id", "pull"),
        *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        *required(sa.Text(), "what", "why", "ask"),
        sa.Column("failed", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("failure_failed", "failure", ["failed"])
    op.create_index("failure_of_installation", "failure", ["installation", "failed"])
    op.create_table(
        "feedback",
        sa.Column("pull", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("who", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), autoincrement=False, nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("given", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pull", "fingerprint", "who", "kind"),
    )
    op.create_table(
        "finding",
        sa.Column("pull", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.Text(), autoincrement=False, nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        *required(sa.Integer(), "first", "last"),
        *required(sa.Text(), "state", "severity", "category", "source", "path", "title"),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pull", "fingerprint"),
    )
    op.create_table(
        "line",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        *required(sa.Text(), "journal", "text"),
        sa.Column("written", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("line_journal", "line", ["journal", "id"])
    op.create_table(
        "outcome",
        sa.Column("pull", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.Text(), autoincrement=False, nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pull", "fingerprint"),
    )
    op.create_index("outcome_at", "outcome", ["at", "state"])
    op.create_index("outcome_repository", "outcome", ["repository", "at", "state"])
    op.create_table(
        "package",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        *required(sa.Text(), "role", "language", "name", "version", "arrival"),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("package_named", "package", ["installation", "role", "language", "name"])
    op.create_index("package_of_repository", "package", ["repository"])
    op.create_table(
        "package_home",
        sa.Column("repository", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        *required(sa.Text(), "name", "commit_id", "problem"),
        sa.Column("read_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("repository"),
    )
    op.create_index("package_home_of_installation", "package_home", ["installation"])
    op.create_table(
        "paused",
        sa.Column("pull", sa.Text(), nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pull"),
    )
    op.create_table(
        "review",
        *required(sa.Text(), "id", "pull"),
        *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        *required(sa.Text(), "head", "trigger"),
        sa.Column("round", sa.Integer(), nullable=False),
        *required(sa.Double(), "started", "finished"),
        *required(sa.Text(), "conclusion", "strategy"),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=True),
        sa.Column("fork", sa.Boolean(), nullable=False),
        sa.Column("output", sa.LargeBinary(), nullable=False),
        sa.Column("memory", sa.LargeBinary(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), server_default="findings", nullable=False),
        sa.Column("found", sa.Integer(), nullable=True),
        sa.Column("still", sa.Integer(), nullable=True),
        sa.Column("fixed", sa.Integer(), nullable=True),
        sa.Column("journal", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("closed", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("review_finished", "review", ["finished", "id", "state"])
    op.create_index("review_head", "review", ["repository", "head", "finished"])
    op.create_index("review_of_installation", "review", ["installation", "finished", "id", "state"])
    op.create_index("review_of_repository", "review", ["repository", "finished", "id", "state"])
    op.create_index("review_pull", "review", ["pull", "finished", "state"])
    op.create_index("review_source", "review", ["repository", "source", "finished"])
    op.create_table(
        "rule",
        sa.Column("repository", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("installation", sa.BigInteger(), nullable=False),
        *required(sa.Text(), "pull", "mark", "path", "kind", "text", "state", "how", "who", "link"),
        sa.Column("made", sa.Double(), nullable=False),
        sa.Column("grave", sa.Boolean(), nullable=False),
        sa.Column("decider", sa.Text(), server_default="", nullable=False),
        sa.Column("decided", sa.Double(), server_default="0", nullable=False),
        sa.Column("comment", sa.BigInteger(), nullable=True),
        sa.Column("comment_kind", sa.Text(), nullable=True),
        sa.Column("silenced", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last", sa.Double(), server_default="0", nullable=False),
        sa.Column("symbol", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("repository", "number"),
    )
    op.create_index("rule_mark", "rule", ["repository", "mark"], unique=True)
    op.create_table(
        "spending",
        sa.Column("journal", sa.Text(), nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("owner", sa.Text(), server_default="", nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("fork", sa.Boolean(), nullable=False),
        *required(sa.Double(), "begun", "usd"),
        sa.PrimaryKeyConstraint("journal"),
    )
    op.create_index("spending_begun", "spending", ["begun"])
    op.create_table(
        "suppression",
        sa.Column("scope", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.Text(), autoincrement=False, nullable=False),
        *required(sa.BigInteger(), "installation", "repository"),
        *required(sa.Text(), "who", "reason"),
        sa.Column("made", sa.Double(), nullable=False),
        sa.Column("until", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("scope", "fingerprint"),
    )
    op.create_table(
        "used",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("until", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
