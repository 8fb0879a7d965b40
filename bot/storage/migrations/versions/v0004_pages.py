"""What the operator's pages list: figures beside each review, sums of each day, failures, and sessions that were ended."""

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import required

revision = "0004"
down_revision = "0003"

BUCKETS = 24
DAY = 86400


def upgrade() -> None:
    """What this version adds."""
    for column in (
        sa.Column("title", sa.Text()),
        sa.Column("state", sa.Text(), nullable=False, server_default="findings"),
        sa.Column("found", sa.Integer()),
        sa.Column("still", sa.Integer()),
        sa.Column("fixed", sa.Integer()),
        sa.Column("journal", sa.Text()),
    ):
        op.add_column("review", column)
    op.execute("UPDATE review SET state = 'clean' WHERE conclusion = 'success'")
    op.drop_index("review_finished", "review")
    op.create_index("review_finished", "review", ["finished", "id", "state"])
    op.create_index("review_of_installation", "review", ["installation", "finished", "id", "state"])
    op.create_index("review_of_repository", "review", ["repository", "finished", "id", "state"])
    op.create_table(
        "day", *required(sa.BigInteger(), "installation", "repository", autoincrement=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False), sa.Column("last", sa.Double(), nullable=False),
        *required(sa.Integer(), "reviews", "clean", "found", "calls"),
        sa.Column("tokens", sa.BigInteger(), nullable=False), sa.Column("usd", sa.Double(), nullable=False),
        sa.Column("unpriced", sa.Integer(), nullable=False),
        *(sa.Column(f"t{number:02}", sa.Integer(), nullable=False) for number in range(BUCKETS)),
        sa.PrimaryKeyConstraint("installation", "repository", "day"),
    )  # fmt: skip
    op.create_index("day_day", "day", ["day"])
    op.create_table(
        "failure", *required(sa.Text(), "id", "pull"), *required(sa.BigInteger(), "installation", "repository"),
        sa.Column("name", sa.Text(), nullable=False), sa.Column("number", sa.Integer(), nullable=False),
        *required(sa.Text(), "what", "why", "ask"), sa.Column("failed", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
    op.create_index("failure_failed", "failure", ["failed"])
    op.create_index("failure_of_installation", "failure", ["installation", "failed"])
    op.create_table(
        "used", sa.Column("id", sa.Text(), nullable=False), sa.Column("until", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
    _sum()


def _sum() -> None:
    """The sums of the reviews that are there. Their times count as today's buckets have them: twice as long is two buckets on."""
    times = ", ".join(f"t{number:02}" for number in range(BUCKETS))
    took = "(finished - started)"
    counts = ", ".join(f"SUM(CASE WHEN {_within(took, number)} THEN 1 ELSE 0 END)" for number in range(BUCKETS))
    op.execute(  # nothing in it comes from outside
        f"INSERT INTO day (installation, repository, day, name, last, reviews, clean, found, calls, tokens, usd, unpriced, {times}) "  # noqa: S608
        f"SELECT installation, repository, CAST(finished AS BIGINT) / {DAY}, MAX(name), MAX(finished), COUNT(*), "
        "SUM(CASE WHEN state = 'clean' THEN 1 ELSE 0 END), 0, SUM(calls), SUM(tokens), COALESCE(SUM(usd), 0), "
        f"SUM(CASE WHEN usd IS NULL THEN 1 ELSE 0 END), {counts} "
        f"FROM review GROUP BY installation, repository, CAST(finished AS BIGINT) / {DAY}"
    )


def _within(took: str, number: int) -> str:
    """The condition of one bucket: the first and the last are open."""
    above, below = 2 ** (number / 2 + 0.5), 2 ** (number / 2 + 1)
    least = [] if number == 0 else [f"{took} >= {above}"]
    most = [] if number == BUCKETS - 1 else [f"{took} < {below}"]
    return " AND ".join(least + most)
