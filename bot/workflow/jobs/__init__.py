"""Durable jobs: what was asked for is on disk before it is answered, and is carried out whatever happens to the process.

DBOS keeps them, in a SQLite file for one process or in PostgreSQL for several. A job is known by its delivery, so that copies change
nothing; reviews of one pull request take each other's place; a dead process's jobs are taken over. The work itself is given from
outside.
"""

from bot.workflow.jobs.engine import JobSettings
from bot.workflow.jobs.queue import Jobs, ListedJob
from bot.workflow.jobs.runner import Apologise, Job, Work
