"""Read the cases of a folder. Nothing in them is trusted."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo_evals.reviews.cases import PAIRED, Case


def read(folder: Path, kinds: Collection[str] = (), only: Collection[str] = ()) -> tuple[Case, ...]:
    """The cases of a folder and of its folders `twins` and `large`. Raises UsageError with the file and what is wrong in it."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of cases: name one with --cases")
    files = [
        *sorted(folder.glob("*.json")),
        *(path for name in PAIRED for path in sorted((folder / name).glob("*.json"))),
    ]
    found = [case for path in files for case in _of_file(path)]
    wanted = [case for case in found if not only or case.id in only or case.twin in only]
    told = tuple(case for case in wanted if not kinds or case.kind in kinds)
    if not told or not {*kinds} <= {case.kind for case in found}:
        known = ", ".join(dict.fromkeys(case.kind for case in found)) or "none"
        raise UsageError(f"{folder} holds no such case: there are {len(found)}, of the kinds {known}")
    return told


def _of_file(path: Path) -> Iterator[Case]:
    from deeprepo_evals.reviews import (
        strangers,  # pydantic takes longer to import than the command line may take to answer
    )

    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"the case {path} cannot be read: {error.strerror}") from error
    digest = hashlib.sha256(data).hexdigest()[:12]
    given: Any = strangers.read(data, path)
    for case in given.cases():
        yield replace(case, digest=digest)
