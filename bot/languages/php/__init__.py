"""PHP: namespaces, Composer's autoloading, includes."""

from collections.abc import Collection

from bot.languages import queried
from bot.languages.php.names import Names
from bot.values import Use

project = Names


outline = queried.outline


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    r"""The names of a file that are spelt like one of the names; `Models\Order` is found by its last part."""
    return queried.uses(path, source, {name.rpartition("\\")[2] for name in names})
