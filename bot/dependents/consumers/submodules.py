"""The folders of a consumer whose code is in another repository."""

import posixpath
from collections.abc import Mapping, Sequence

from bot.text.paths import is_prose, is_sample, is_test, vendored_folder
from bot.values import TreeEntry
from bot.values.consumer import Requirement


def unread_folders(entries: Mapping[str, TreeEntry]) -> tuple[str, ...]:
    """The submodules of a tree."""
    return tuple(sorted(path for path, entry in entries.items() if entry.kind == "submodule"))


def open_folder(takes: Sequence[Requirement], folders: Sequence[str]) -> str:
    """What is open of a consumer because of its submodules: one beside or below a manifest that takes the package may use it.

    Other people's code, tests, samples and texts are left out, as they are where they can be read.
    """
    homes = {posixpath.dirname(row.path) for row in takes}
    for folder in folders:
        inside = f"{folder}/x"
        is_aside = vendored_folder(inside) or is_test(inside) or is_sample(inside) or is_prose(inside)
        if not is_aside and any(not home or folder.startswith(f"{home}/") for home in homes):
            return f"the submodule {folder} was not read, whose code is in another repository"
    return ""
