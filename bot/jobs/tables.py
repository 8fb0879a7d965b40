"""The tables of the jobs. In a file they have a file of their own: who stores a delivery never waits for another writer."""

import time

import sqlalchemy as sa

VERSION = "deeprepo-wf-1"  # of how jobs run: a process carries out jobs of its own version only
WAITING, RUNNING, DONE, CANCELLED = "waiting", "running", "done", "cancelled"
ACTIVE = (WAITING, RUNNING)
LOCK = "deeprepo jobs"  # one process at a time gives places away, or creates the tables

schema = sa.MetaData()
job = sa.Table(
    "job",
    schema,
    sa.Column("id", sa.Text, primary_key=True),  # bot.jobs.ids
    sa.Column("queue", sa.Text, nullable=False),
    sa.Column("installation", sa.BigInteger, nullable=False),  # whose turn it is
    sa.Column("serial", sa.Text),  # jobs of one queue with the same value run one after the other
    sa.Column("person", sa.Text, nullable=False, server_default=""),  # who waits for it; "": nobody does
    sa.Column("priority", sa.Integer, nullable=False),  # lower goes first, within an installation
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("ask", sa.Text, nullable=False),  # bot.jobs.codec; empty once the job has ended
    sa.Column("version", sa.Text, nullable=False),
    sa.Column(
        "created_at", sa.Double, nullable=False
    ),  # seconds since 1970, UTC, on the database's clock, like all times here
    sa.Column("due_at", sa.Double, nullable=False),  # it does not start before
    sa.Column("started_at", sa.Double),  # for the last time
    sa.Column("finished_at", sa.Double),
    sa.Column("executor", sa.Text, nullable=False, server_default=""),  # the process that has it, or had it last
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),  # starts, less those that were handed back
    sa.Column(
        "isolated", sa.Boolean, nullable=False, server_default=sa.false()
    ),  # was tried alone, after several crashes
    sa.Column("outcome", sa.Text, nullable=False, server_default=""),
    sa.Index("job_active", "state", "queue", "installation"),
    sa.Index("job_started", "queue", "started_at"),
    sa.Index("job_finished", "finished_at"),
)
step = sa.Table(
    "job_step",
    schema,
    sa.Column("job", sa.Text, sa.ForeignKey("job.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("use", sa.Integer, primary_key=True),  # 1 for the first step of this name
    sa.Column("result", sa.Text, nullable=False),  # JSON
)


def create(connection: sa.Connection) -> None:
    """Create the tables that are missing."""
    lock(connection)
    schema.create_all(connection)


def lock(connection: sa.Connection) -> None:
    """Wait until no other process gives places away; held until the end of the transaction. A SQLite file is locked anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(LOCK, 0))))


def now(connection: sa.Connection) -> float:
    """Seconds since 1970 on the database's clock: those of several machines differ."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.execute(sa.select(sa.extract("epoch", sa.func.clock_timestamp()))).scalar_one())
