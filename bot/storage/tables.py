"""The tables in their newest version. The migrations in `migrations/versions` upgrade older databases."""

from typing import Any

import sqlalchemy as sa

from bot.values import PullRef

schema = sa.MetaData()
Scope = tuple[int, ...] | None  # installation IDs, or None for all installations
Json = sa.Text  # SQL never looks into the JSON
Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite only auto-increments a plain INTEGER


def keys(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - the library's type
    """Return the columns of a primary key."""
    return tuple(sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names)


def required(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - the library's type
    """Return columns that must not be null."""
    return tuple(sa.Column(name, kind, nullable=False) for name in names)


def _owner() -> tuple[sa.Column[int], ...]:
    """Return the columns for the installation and the repository that a row belongs to."""
    return required(sa.BigInteger, "installation", "repository")


review = sa.Table(
    "review",
    schema,
    sa.Column("id", sa.Text, primary_key=True),  # the job's id
    sa.Column("pull", sa.Text, nullable=False),  # PullRef.key
    *_owner(),
    *required(sa.Text, "name", "head", "trigger", "conclusion", "strategy"),  # name: owner/name at the time
    *required(sa.Integer, "number", "round", "calls"),
    *required(sa.Double, "started", "finished"),  # seconds since 1970 (UTC), like all times here
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("usd", sa.Double),  # null if a price was unknown
    sa.Column("fork", sa.Boolean, nullable=False),  # whether the pull request comes from a fork
    # Copied from the output, so that lists don't have to read the output.
    sa.Column("title", sa.Text),  # the pull request's title at the time
    sa.Column("state", sa.Text, nullable=False),  # bot.values.review.ReviewStatus
    sa.Column("found", sa.Integer),  # new findings
    sa.Column("still", sa.Integer),  # earlier findings that are still open
    sa.Column("fixed", sa.Integer),  # earlier findings that are fixed
    sa.Column("journal", sa.Text),  # name of the journal
    sa.Column("closed", sa.Double),  # when the pull request was closed; null if it is open
    sa.Column("merged", sa.Double),  # when it was merged
    # Large columns come last, because SQLite reads a row from its start.
    sa.Column("output", sa.LargeBinary, nullable=False),  # the JSON output
    sa.Column("memory", sa.LargeBinary),  # state for the next review; null if the output serves as the state
    sa.Index("review_pull", "pull", "finished", "state"),
    sa.Index("review_finished", "finished", "id", "state"),
    sa.Index("review_of_installation", "installation", "finished", "id", "state"),
    sa.Index("review_of_repository", "repository", "finished", "id", "state"),
    sa.Index("review_head", "repository", "head", "finished"),
    sa.Index("review_merged", "merged"),
)
finding = sa.Table(
    "finding",
    schema,
    *keys(sa.Text, "pull", "fingerprint"),
    *_owner(),
    sa.Column("first", sa.Integer, nullable=False),  # number of the review that found it
    sa.Column("last", sa.Integer, nullable=False),  # number of the last review that mentioned it
    *required(sa.Text, "state", "severity", "kind", "source", "path", "title"),
    sa.Column("seen", sa.Double, nullable=False),
    sa.Column("outcome", sa.Text),  # bot.storage.findings.FindingOutcome; null if it was never reported
    sa.Column("at", sa.Double),  # when the outcome last changed
    sa.Index("finding_outcome", "repository", "at", "outcome"),
    sa.Index("finding_at", "at", "outcome"),
)
suppression = sa.Table(
    "suppression",
    schema,
    *keys(sa.Text, "pull", "fingerprint"),
    *_owner(),
    *required(sa.Text, "who", "reason"),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("withdrawn", sa.Boolean, nullable=False),
)
feedback = sa.Table(
    "feedback",
    schema,
    *keys(sa.Text, "pull", "fingerprint", "who", "kind"),
    *_owner(),
    *required(sa.Text, "value"),
    sa.Column("given", sa.Double, nullable=False),
)
line = sa.Table(
    "line",
    schema,
    sa.Column("id", Number, primary_key=True, autoincrement=True),
    *required(sa.Text, "journal", "text"),
    sa.Column("written", sa.Double, nullable=False),
    sa.Index("line_journal", "journal", "id"),
)
pause = sa.Table(
    "paused",
    schema,
    sa.Column("pull", sa.Text, primary_key=True),
    *_owner(),
    *required(sa.Text, "who"),
    *required(sa.Double, "since"),
)
check = sa.Table(
    "check_run",
    schema,
    sa.Column("run", sa.Text, primary_key=True),  # the job that started it
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("number", sa.BigInteger, nullable=False),  # GitHub's number
    sa.Column("begun", sa.Double, nullable=False),
    sa.Index("check_run_pull", "pull"),
)
command = sa.Table(
    "command",
    schema,
    sa.Column("comment", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("given", sa.Double, nullable=False),
    sa.Column("writes", sa.Boolean, nullable=False),  # whether this person had write access
    sa.Index("command_who", "repository", "who", "given"),
)
# These rows are kept when the App is removed. Otherwise, people could reset the caps by installing it again.
# They are deleted after two days.
spending = sa.Table(
    "spending",
    schema,
    sa.Column("journal", sa.Text, primary_key=True),  # journal and job
    *_owner(),
    # The account is needed because an App that is installed again has another installation ID.
    sa.Column("owner", sa.Text, nullable=False, server_default=""),
    sa.Column("holder", sa.Text, nullable=False),  # identifies the reservation that may settle this row
    # Whether this is a review of a pull request from a fork that nobody requested
    sa.Column("fork", sa.Boolean, nullable=False),
    sa.Column("begun", sa.Double, nullable=False),
    sa.Column("usd", sa.Double, nullable=False),  # the reserved amount, later the paid amount
    sa.Index("spending_begun", "begun"),
)
rule = sa.Table(
    "rule",
    schema,
    *keys(sa.BigInteger, "repository"),
    *keys(sa.Integer, "number"),
    sa.Column("installation", sa.BigInteger, nullable=False),
    sa.Column("pull", sa.Text, nullable=False),  # where it was proposed
    sa.Column("mark", sa.Text, nullable=False),  # digest of the proposed kind and path
    *required(sa.Text, "path", "kind", "text", "state", "how", "who", "link"),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("grave", sa.Boolean, nullable=False),
    sa.Column("decider", sa.Text, nullable=False, server_default=""),
    sa.Column("decided", sa.Double, nullable=False, server_default="0"),
    sa.Column("comment", sa.BigInteger),  # the comment with the proposal; null until it is posted
    sa.Column("comment_kind", sa.Text),
    sa.Column("silenced", sa.Integer, nullable=False, server_default="0"),
    sa.Column("last", sa.Double, nullable=False, server_default="0"),
    # The definition that a learning is about.
    sa.Column("symbol", sa.Text, nullable=False, server_default=""),
    sa.Index("rule_mark", "repository", "mark", unique=True),
)
failure = sa.Table(  # failed jobs, with the reasons
    "failure",
    schema,
    sa.Column("id", sa.Text, primary_key=True),  # a review's pull request, or a command's comment
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("what", sa.Text, nullable=False),  # "review", or the command
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("ask", Json, nullable=False),  # for repeating the job
    sa.Column("failed", sa.Double, nullable=False),
    sa.Index("failure_failed", "failed"),
    sa.Index("failure_of_installation", "installation", "failed"),
)
spent = sa.Table(  # used sign-in links, and ended sessions
    "spent",
    schema,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),  # when the link or session would expire
)
build = sa.Table(  # versions of deeprepo that opened this database
    "build",
    schema,
    sa.Column("version", sa.Text, primary_key=True),
    *required(sa.Double, "first", "last"),
)
# The tables whose rows are deleted when the App is removed from a repository.
OWNED = tuple(table for table in schema.tables.values() if "repository" in table.c and table is not spending)


def within(scope: Scope, table: sa.Table) -> sa.ColumnElement[bool]:
    """Return the condition that a row belongs to one of these installations."""
    return sa.true() if scope is None else table.c.installation.in_(scope)


def owner_columns(pull: PullRef) -> dict[str, Any]:
    """Return the columns for a row's pull request, repository and installation."""
    return {"pull": pull.key, "installation": pull.installation, "repository": pull.repository}
