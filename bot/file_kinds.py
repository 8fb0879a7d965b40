"""Classify files by what a review does with them: images, workflows' actions, files that no search reads."""

import re
from posixpath import basename

from deeprepo.impact.text.paths import is_code, is_lock

DUMP = 500_000  # bytes of a file without code
_PACKED = (".min.js", ".min.css", ".map", ".svg")
_TRANSLATIONS = (
    ".json",
    ".yml",
    ".yaml",
    ".po",
    ".pot",
    ".properties",
    ".ftl",
    ".xlf",
    ".xliff",
    ".strings",
    ".arb",
    ".resx",
)
_LOCALES = re.compile(r"(?:^|/)(?:locales?|langs?|languages?|i18n|l10n|translations?)/", re.IGNORECASE)


def is_excluded_from_search(path: str, size: int) -> bool:
    """Return whether a search for names skips a file: translations, packed or locked files, large dumps."""
    if is_lock(path) or path.endswith(_PACKED):
        return True
    return not is_code(path) and (size > DUMP or (path.endswith(_TRANSLATIONS) and _LOCALES.search(path) is not None))


def is_action(path: str) -> bool:
    """Return whether a file defines a GitHub action."""
    return basename(path) in ("action.yml", "action.yaml")


def is_dockerfile(path: str) -> bool:
    """Return whether a file defines how an image is built."""
    name = basename(path).lower()
    return name in ("dockerfile", "containerfile") or name.endswith(".dockerfile")
