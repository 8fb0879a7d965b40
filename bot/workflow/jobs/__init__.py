"""Durable jobs: a job is on disk before its delivery is acknowledged, and is done even if the process dies.

DBOS stores the jobs, in a SQLite file for one process or in PostgreSQL for several. A job is identified by
its delivery, so copies of a delivery change nothing. A new review of a pull request replaces the earlier
ones. Jobs of a dead process are taken over. The caller supplies the function that does the work.
"""

from bot.workflow.jobs.engine import REFUSAL_PAUSE, JobSettings
from bot.workflow.jobs.queue import Jobs, ListedJob
from bot.workflow.jobs.runner import Apologise, Attempt, Work
