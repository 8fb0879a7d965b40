"""What outlives a job, in a SQLite file or in PostgreSQL; the only SQL of the project. `opened(url)` is the way in."""

from bot.storage.deliveries import Delivered
from bot.storage.journals import Kept
from bot.storage.people import Suppression
from bot.storage.reviews import Finished, Known
from bot.storage.spending import Caps, Exhausted, Grant
from bot.storage.store import Store, opened

__all__ = ["Caps", "Delivered", "Exhausted", "Finished", "Grant", "Kept", "Known", "Store", "Suppression", "opened"]
