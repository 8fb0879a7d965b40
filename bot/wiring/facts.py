"""Store facts between reviews: about files, and about how a model's server must be asked."""

from contextlib import suppress
from pathlib import Path

from bot.machine.fact_files import MAX_CACHE_BYTES, FactFiles
from deeprepo.impact.reading import memo
from deeprepo.rlm.models.known import Known

DEFAULT_FOLDER = "~/.cache/deeprepo/facts"


def keep_facts(folder: str | Path | None, most: int = MAX_CACHE_BYTES) -> None:
    """Store facts in a folder, up to `most` bytes.

    Nothing is stored if the folder is None or "off", or if other users can enter it.
    """
    store = None
    if folder is not None and folder != "off":
        with suppress(OSError, RuntimeError):  # there is no home folder
            store = FactFiles(Path(folder).expanduser(), most)
    memo.use_store(store)
    Known.store = store
