"""Files that are gone, and how lines name them: `COPY scripts/start.sh`, `shop.tasks.send_mail`, `-m shop.tasks`. Pure."""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from impact.changes import ChangedFile
from impact.filetypes import filetype, module_path
from impact.text.paths import uses_nothing

_COMMON_FILES = re.compile(
    r"^(?:index|main|mod|__init__|readme|config|utils?|types?|test|setup|package)\.\w+$", re.IGNORECASE
)


def lost_paths(files: Sequence[ChangedFile], head_paths: Collection[str]) -> Iterator[tuple[str, str]]:
    """(what a line writes that names it, path) for each file that goes: its name with its folder, alone if no other file has it; its module."""
    names = {posixpath.basename(path) for path in head_paths}
    for file in files:
        path = file.old_path or ""
        is_gone = path and path not in head_paths and (file.status == "deleted" or path != file.path)
        if not is_gone or uses_nothing(path):
            continue
        name = posixpath.basename(path)
        parts = path.split("/")
        if len(parts) > 1:
            yield "/".join(parts[-2:]), path
        if name not in names and not _COMMON_FILES.match(name):
            yield name, path
        if filetype(path).dotted_modules and len(parts) > 1:
            yield ".".join(module_path(path).split("/")[-2:]), path
