"""Which files are migrations, by their paths and by what their code defines."""

import re

from bot.dependents.schemas.breaks import is_product
from bot.text.paths import is_test

_FOLDER = re.compile(r"(?:^|/)(?:migrations?|migrate|post_migrate|alembic/versions)(?:/|$)|migration", re.IGNORECASE)
_CODE = re.compile(r"\.(?:rb|py|php|js|ts|mjs|cjs|cs|go|rs|java|kt|exs)$")
# What code defines that is a migration, whatever its file is called.
_STEPS = re.compile(
    r"^[ \t]*+(?:(?:async )?def (?:upgrade|up|change)\b|class \w++(?:\(| <).{0,80}Migration\b|exports\.up\b|revision\s*+[:=]|(?:public |async |export |function ){1,4}up\b)",
    re.MULTILINE,
)


def is_migration(path: str) -> bool:
    """Whether a file of code is a migration, by its folder or its name."""
    return bool(_CODE.search(path) and _FOLDER.search(path)) and (not is_test(path) or is_among(path))


def is_among(path: str) -> bool:
    """Whether a file that is called like a test or a sample lies among migrations: who runs them asks for no name."""
    folder = _FOLDER.search(path.rpartition("/")[0])
    return folder is not None and is_product(path[: folder.end()].rstrip("/") + "/1.sql")


def has_steps(text: str) -> bool:
    """Whether code defines what a migration does, or is a class of one."""
    return bool(_STEPS.search(text))


def is_in_folder(path: str) -> bool:
    """Whether a file is beside migrations."""
    return bool(_FOLDER.search(path))


def is_of_the_past(path: str) -> bool:
    """Whether a file lies among migrations: one that was there before says what was."""
    return is_in_folder(path.rpartition("/")[0])


def home(path: str) -> str:
    """Return the folder of the migrations that a file is one of."""
    match = _FOLDER.search(path)
    return (
        path[: match.end()].rstrip("/")
        if match and match.group().strip("/") and "/" in path[match.start() :]
        else path.rpartition("/")[0]
    )
