"""Store everything that outlives a job, in SQLite or PostgreSQL. Start at `open_store`.

Only this package contains SQL. It also contains the tables of features, so that there is one set of
migrations and a repository's data is deleted in one transaction.
"""

from bot.storage.findings import StoredFinding
from bot.storage.journals import StoredJournal
from bot.storage.people import Failure
from bot.storage.reviews import FinishedReview
from bot.storage.spending import Grant
from bot.storage.store import Store, check, open_store
