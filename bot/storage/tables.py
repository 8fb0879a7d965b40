"""The tables, as the newest version of the program has them. How an older database comes there is in migrations/versions."""

from typing import Any

import sqlalchemy as sa

from bot.values import PullRef

schema = sa.MetaData()
Scope = tuple[int, ...] | None  # installations; None: all
Json = sa.Text  # one form for both databases; nothing is looked up inside
Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite counts up in a plain INTEGER only


def keys(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - as the library has it
    """Return the columns that together tell a row from all others."""
    return tuple(sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names)


def required(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - as the library has it
    """Return the columns of these names; no row leaves one of them empty."""
    return tuple(sa.Column(name, kind, nullable=False) for name in names)


def _owner() -> tuple[sa.Column[int], ...]:
    """The columns by which a row belongs to a repository of an installation."""
    return required(sa.BigInteger, "installation", "repository")


review = sa.Table(
    "review",
    schema,
    sa.Column("id", sa.Text, primary_key=True),  # the job's
    sa.Column("pull", sa.Text, nullable=False),  # PullRef.key
    *_owner(),
    *required(sa.Text, "name", "head", "trigger", "conclusion", "strategy"),  # name: owner/name as it was
    *required(sa.Integer, "number", "round", "calls"),
    *required(sa.Double, "started", "finished"),  # seconds since 1970, UTC, like every time here
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("usd", sa.Double),  # null: a price was unknown
    sa.Column("fork", sa.Boolean, nullable=False),  # of a pull request that came from a fork
    # What lists show without opening the output.
    sa.Column("title", sa.Text),  # the pull request's, as the review saw it
    sa.Column("state", sa.Text, nullable=False),  # bot.values.review.ReviewStatus
    sa.Column("found", sa.Integer),  # findings that are new in this round
    sa.Column("still", sa.Integer),  # findings of earlier rounds that are still open
    sa.Column("fixed", sa.Integer),  # findings of earlier rounds that are gone
    sa.Column("journal", sa.Text),  # the name of its journal
    sa.Column("closed", sa.Double),  # when its pull request was closed; null: it is open, as far as is known
    sa.Column("merged", sa.Double),  # when it was merged
    # Last, so that nobody has to pass them on the way to another column.
    sa.Column("output", sa.LargeBinary, nullable=False),  # the JSON output, as people and commands read it
    sa.Column("memory", sa.LargeBinary),  # what the next round builds upon; null: the output is it
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
    sa.Column("first", sa.Integer, nullable=False),  # the round that found it
    sa.Column("last", sa.Integer, nullable=False),  # the round that spoke of it last
    *required(sa.Text, "state", "severity", "kind", "source", "path", "title"),
    sa.Column("seen", sa.Double, nullable=False),
    sa.Column("outcome", sa.Text),  # bot.storage.findings.FindingOutcome; null: it was never reported
    sa.Column("at", sa.Double),  # when the outcome was stored last
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
    sa.Column("run", sa.Text, primary_key=True),  # the job that began it
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("number", sa.BigInteger, nullable=False),  # GitHub's
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
    sa.Column("writes", sa.Boolean, nullable=False),  # GitHub said that this person may write to the repository
    sa.Index("command_who", "repository", "who", "given"),
)
spending = sa.Table(  # kept when the App is removed, or removing it would be a way around the caps; gone after two days
    "spending",
    schema,
    sa.Column("journal", sa.Text, primary_key=True),  # and the job that pays in it
    *_owner(),
    # The account: an App that is installed again has another id.
    sa.Column("owner", sa.Text, nullable=False, server_default=""),
    sa.Column("holder", sa.Text, nullable=False),  # the reservation that may settle it
    sa.Column("fork", sa.Boolean, nullable=False),  # of a pull request from a fork, and nobody has asked for it
    sa.Column("begun", sa.Double, nullable=False),
    sa.Column("usd", sa.Double, nullable=False),  # reserved, then paid
    sa.Index("spending_begun", "begun"),
)
rule = sa.Table(
    "rule",
    schema,
    *keys(sa.BigInteger, "repository"),
    *keys(sa.Integer, "number"),
    sa.Column("installation", sa.BigInteger, nullable=False),
    sa.Column("pull", sa.Text, nullable=False),  # where it arose
    sa.Column("mark", sa.Text, nullable=False),  # of the kind and the path that were proposed
    *required(sa.Text, "path", "kind", "text", "state", "how", "who", "link"),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("grave", sa.Boolean, nullable=False),
    sa.Column("decider", sa.Text, nullable=False, server_default=""),
    sa.Column("decided", sa.Double, nullable=False, server_default="0"),
    sa.Column("comment", sa.BigInteger),  # that shows the proposal; null until it is posted
    sa.Column("comment_kind", sa.Text),
    sa.Column("silenced", sa.Integer, nullable=False, server_default="0"),
    sa.Column("last", sa.Double, nullable=False, server_default="0"),
    sa.Column("symbol", sa.Text, nullable=False, server_default=""),  # of a learning: the definition that it is about
    sa.Index("rule_mark", "repository", "mark", unique=True),
)
failure = sa.Table(  # what came to nothing, with the sentence that says why
    "failure",
    schema,
    sa.Column("id", sa.Text, primary_key=True),  # of a review its pull request's key, of a command its comment's
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("what", sa.Text, nullable=False),  # "review", or the word of the command
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("ask", Json, nullable=False),  # what was asked for, to ask for it again
    sa.Column("failed", sa.Double, nullable=False),
    sa.Index("failure_failed", "failed"),
    sa.Index("failure_of_installation", "installation", "failed"),
)
package_home = sa.Table(  # repositories of which it is known what they offer and take
    "package_home",
    schema,
    sa.Column("repository", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation", sa.BigInteger, nullable=False),
    *required(sa.Text, "name", "commit_id", "problem"),  # owner/name; what was read; why it could not be
    sa.Column("read_at", sa.Double, nullable=False),
    sa.Index("package_home_of_installation", "installation"),
)
package = sa.Table(
    "package",
    schema,
    sa.Column("id", Number, primary_key=True, autoincrement=True),
    *_owner(),
    *required(sa.Text, "role", "language", "name", "version", "arrival"),  # role: see PackageRow
    sa.Index("package_named", "installation", "role", "language", "name"),
    sa.Index("package_of_repository", "repository"),
)
spent = sa.Table(  # links of the log that were used, and sessions that were ended
    "spent",
    schema,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),  # when it would be over by itself
)
build = sa.Table(  # the versions of deeprepo that have opened this database
    "build",
    schema,
    sa.Column("version", sa.Text, primary_key=True),
    *required(sa.Double, "first", "last"),
)
# What is deleted when the App is removed from a repository.
OWNED = tuple(table for table in schema.tables.values() if "repository" in table.c and table is not spending)


def within(scope: Scope, table: sa.Table) -> sa.ColumnElement[bool]:
    """Select the rows of these installations."""
    return sa.true() if scope is None else table.c.installation.in_(scope)


def owner_columns(pull: PullRef) -> dict[str, Any]:
    """Return the columns by which a row belongs to a pull request, its repository and its installation."""
    return {"pull": pull.key, "installation": pull.installation, "repository": pull.repository}
