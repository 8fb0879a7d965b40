"""Which pull requests are clean is read off an index alone: the operator's first page asks for the last review of each."""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """What this version adds."""
    op.drop_index("review_pull", "review")
    op.create_index("review_pull", "review", ["pull", "finished", "state"])
