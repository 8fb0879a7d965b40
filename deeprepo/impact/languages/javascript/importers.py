"""Find references in JavaScript files, including Svelte stores and lazily loaded default exports."""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from deeprepo.impact.language import language_of
from deeprepo.impact.parsing import Lines
from deeprepo.impact.reading.spots import MOST
from deeprepo.impact.reading.unreadable import finds
from deeprepo.impact.resolving.importers import statements
from deeprepo.impact.resolving.offers import uses as read_uses
from deeprepo.impact.values import SomeUses, Use

STORE = re.compile(rb"(?<![\w$.])\$([A-Za-z_]\w{0,100})(?![\w$])")


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """Return the identifiers of a file that match one of the names."""
    code_uses = read_uses(path, source, names)
    more = [*(_stores(source, names) if path.endswith(".svelte") else ()), *_loaded_defaults(path, source, names)]
    if not more or isinstance(code_uses, SomeUses):
        return code_uses
    return tuple(sorted((*code_uses, *more), key=lambda use: use.at))


def _stores(source: bytes, names: Collection[str]) -> Iterator[Use]:
    """Yield references to stores in a Svelte component: `$cart` reads and sets the value in `cart`."""
    lines = Lines(source)
    for match in islice(STORE.finditer(source), MOST):
        if (name := match[1].decode("utf-8", "replace")) in names:
            yield Use(name, lines.at(match.start()), "name", at=match.start())


def _loaded_defaults(path: str, source: bytes, names: Collection[str]) -> Iterator[Use]:
    """Yield calls that load a module's default export without naming it: `lazy(() => import("./Button"))`."""
    language = language_of(path)
    for item in statements(language, source) if language is not None and "default" in names else ():
        for bound in item.names:
            if (bound.there, bound.here) == ("default", ""):
                yield Use("default", bound.line, "import", is_guarded=True)
