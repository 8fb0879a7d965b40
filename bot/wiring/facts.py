"""Enable the cache for facts about files."""

from contextlib import suppress
from pathlib import Path

from bot.machine.fact_files import MAX_CACHE_BYTES, FactFiles
from deeprepo.impact.reading import memo

DEFAULT_FOLDER = "~/.cache/deeprepo/facts"


def keep_facts(folder: str | Path | None, most: int = MAX_CACHE_BYTES) -> None:
    """Cache facts in a folder, up to `most` bytes.

    Nothing is cached if the folder is None or "off", or if other users can access it.
    """
    store = None
    if folder is not None and folder != "off":
        with suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
            store = FactFiles(Path(folder).expanduser(), most)
    memo.use_store(store)
