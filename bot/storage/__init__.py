"""What outlives a job, in a SQLite file or in PostgreSQL; the only SQL of the project. `open_store` is the way in.

Tables of features are here too: one set of migrations, and a repository is forgotten in one transaction.
"""

from bot.storage.failures import Failure
from bot.storage.findings import StoredFinding
from bot.storage.journals import StoredJournal
from bot.storage.reviews import FinishedReview
from bot.storage.spending import Grant
from bot.storage.store import Store, check, open_store
