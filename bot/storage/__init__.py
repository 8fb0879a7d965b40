"""Data that outlives a job, in SQLite or PostgreSQL. Only this package contains SQL; start at `open_store`.

Features' tables are here too, so there is one set of migrations, and a repository is deleted in one
transaction.
"""

from bot.storage.failures import Failure
from bot.storage.findings import StoredFinding
from bot.storage.journals import StoredJournal
from bot.storage.reviews import FinishedReview
from bot.storage.spending import Grant
from bot.storage.store import Store, check, open_store
