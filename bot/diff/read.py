"""Decide which files of a change are reviewed, and why others are not."""

from collections.abc import Sequence
from dataclasses import replace

from bot.diff import skip
from bot.globs import generated_marks
from bot.values import ChangedFile, RawChange
from deeprepo.impact import patches
from deeprepo.impact.in_hand import reading
from deeprepo.impact.text.paths import is_code, is_settings, vendored_folder


def read(change: RawChange) -> tuple[ChangedFile, ...]:
    """Return all changed files in git's order, with the reason in `skip` for those not reviewed."""
    is_generated = generated_marks(change.attributes)
    changed_files, pairs = [], [*patches.with_patches(change.status, change.patch)]
    left = [entry.old for entry, _ in pairs if entry.letter in "DR" and (is_code(entry.old) or is_settings(entry.old))]
    for entry, written in pairs:
        reading(entry.new)
        parts = [b""] if entry.new in change.left_out else written
        file = replace(patches.changed_file(entry, parts), skip=skip.by_mode(entry.old_mode, entry.new_mode))
        why = skip.reason(file, parts, change, is_generated)
        replaces_code = any(path.startswith(f"{entry.new}/") for path in left) if why in skip.ELSEWHERE else False
        is_unjustified = skip.is_unjustified(file, why, replaces_code=replaces_code)
        changed_files.append(
            replace(file, skip=why, is_unreviewed=is_unjustified, is_vendored=why in skip.NOT_WRITTEN_HERE)
        )
    changed_files += [
        ChangedFile(path, path, "modified", skip=skip.WITHHELD, is_unreviewed=True)
        for path in sorted(change.withheld - {file.path for file in changed_files})
    ]
    return _accept_vendored_updates(changed_files)


def _accept_vendored_updates(files: Sequence[ChangedFile]) -> tuple[ChangedFile, ...]:
    """Return the files, with new files in existing folders of vendored code accepted as vendored code.

    Such a file is part of an update. Reviewing it would not prevent attacks, because an author who wants to
    hide code could also change a vendored file that already exists.
    """
    vendored_folders = {vendored_folder(file.old_path) for file in files if file.old_path is not None} - {None}
    return tuple(
        replace(file, is_unreviewed=False)
        if file.skip == skip.VENDOR and file.hunks and vendored_folder(file.path) in vendored_folders
        else file
        for file in files
    )
